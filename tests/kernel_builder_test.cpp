#include <gtest/gtest.h>

#include <limits>

#include "kernel/builder.h"

namespace pawl::kernel {
namespace {

using expr::Op;

std::string text(Builder&& b, bool splits = false) { return print(std::move(b).finish(splits)); }

TEST(KernelPrint, IsTheExampleOfTheHeader) {
  Builder b("ema");
  const BufferId x = b.buffer("x", DType::f32, Access::in);
  const BufferId s = b.buffer("s", DType::f32, Access::inout);
  const BufferId y = b.buffer("y", DType::f32, Access::out);
  const Param T = b.param("T");
  const Param C = b.param("C");
  b.lanes(C, [&](Counter c) {
    const Var before = b.load(s, c);
    const std::vector<Var> after = b.steps(T, {before}, [&](Counter t, std::span<const Var> carried) {
      const Var next = b.compute(Op::add, {carried[0], b.load(x, t * C + c)});
      b.store(y, t * C + c, next);
      return std::vector{next};
    });
    b.store(s, c, after[0]);
  });
  EXPECT_EQ(text(std::move(b)),
            "kernel ema(x: f32 in, s: f32 inout, y: f32 out; T, C)\n"
            "  lanes c < C\n"
            "    %0 = load s[c]\n"
            "    steps t < T carry %1 = %0\n"
            "      %2 = load x[t * C + c]\n"
            "      %3 = add %1 %2\n"
            "      store y[t * C + c] = %3\n"
            "      next %3\n"
            "    -> %4\n"
            "    store s[c] = %4\n");
}

TEST(KernelPrint, ShowsEveryStatement) {
  Builder b("all");
  const BufferId h = b.buffer("h", DType::f16, Access::in);
  const BufferId y = b.buffer("y", DType::i32, Access::out);
  const Param n = b.param("n");
  b.lanes(
      2 * Form(n) - 1,
      [&](Counter c) {
        const Var zero = b.constant(DType::f32, 0);
        const Var lowest = b.constant(DType::f32, -std::numeric_limits<double>::infinity());
        const std::vector<Var> sums =
            b.reduced(3, {{Op::add, zero}, {Op::maximum, lowest}}, [&](Counter k) -> std::vector<Var> {
              const Var loaded = b.cast(b.load(h, 3 * n * c - k + 2), DType::f32);
              return {loaded, loaded};
            });
        const Var wide = b.number(-Form(c) * n);
        const Var both = b.compute(Op::less, {sums[0], sums[1]});
        const Var chosen = b.compute(Op::select, {both, b.cast(wide, DType::i32), b.integer(DType::i32, -7)});
        b.store(y, c, chosen, true);
      },
      4);
  EXPECT_EQ(text(std::move(b), true),
            "kernel all(h: f16 in, y: i32 out; n) splits\n"
            "  %0 = constant f32 0\n"
            "  %1 = constant f32 -inf\n"
            "  %13 = constant i32 -7\n"
            "  lanes c < 2 * n - 1 unroll 4\n"
            "    reduced k < 3 carry add %2 = %0, maximum %3 = %1\n"
            "      %4 = load h[3 * c * n - k + 2]\n"
            "      %5 = cast f32 %4\n"
            "      %6 = add %2 %5\n"
            "      %7 = maximum %3 %5\n"
            "      next %6, %7\n"
            "    -> %8, %9\n"
            "    %10 = number -c * n\n"
            "    %11 = less %8 %9\n"
            "    %12 = cast i32 %10\n"
            "    %14 = select %11 %12 %13\n"
            "    store y[c] = %14 streaming\n");
}

TEST(KernelPrint, GivesConstantsInFull) {
  Builder b("constants");
  const auto keep = [&](DType dtype, Var var) {
    b.store(b.buffer(fmt::format("y{}", var.index), dtype, Access::out), 0, var);
  };
  keep(DType::f32, b.constant(DType::f32, 0.1));
  keep(DType::f64, b.constant(DType::f64, 0.1));
  keep(DType::f32, b.constant(DType::f32, -0.0));
  keep(DType::f16, b.constant(DType::f16, 1e6));
  keep(DType::f32, b.constant(DType::f32, std::numeric_limits<double>::quiet_NaN()));
  keep(DType::u64, b.integer(DType::u64, -1));
  keep(DType::i64, b.integer(DType::i64, INT64_MAX));
  keep(DType::i8, b.integer(DType::i8, 255));
  keep(DType::boolean, b.integer(DType::boolean, 2));
  const std::string printed = text(std::move(b));
  for (const char* line :
       {"%0 = constant f32 0.1\n", "%1 = constant f64 0.1\n", "%2 = constant f32 -0\n", "%3 = constant f16 inf\n",
        "%4 = constant f32 nan\n", "%5 = constant u64 18446744073709551615\n",
        "%6 = constant i64 9223372036854775807\n", "%7 = constant i8 -1\n", "%8 = constant bool 1\n"})
    EXPECT_NE(printed.find(line), std::string::npos) << line << printed;
}

TEST(Form, PutsLikeTermsTogether) {
  const Counter i{0};
  const Counter j{1};
  const Param n{0};
  const Form form = (Form(i) + 2) * (Form(n) - 3) + 3 * i - j + j;
  ASSERT_EQ(form.terms().size(), 3U);
  const std::int64_t params[] = {10};
  const std::int64_t counters[] = {4, 5};
  EXPECT_EQ(value_of(form.terms(), params, counters), (4 + 2) * (10 - 3) + 3 * 4);
  EXPECT_TRUE((form - form).terms().empty());
  EXPECT_THROW(i * j, InternalError);
}

TEST(Form, Wraps) {
  const Param n{0};
  const std::int64_t params[] = {INT64_MAX};
  EXPECT_EQ(value_of((Form(n) + 1).terms(), params, {}), INT64_MIN);
  EXPECT_EQ(value_of((2 * Form(n)).terms(), params, {}), -2);
}

struct Values {
  Builder b{"values"};
  Param n = b.param("n");
  Var i = b.number(n);
  Var j = b.number(Form(n) + 1);
  Var x = b.load(b.buffer("x", DType::f32, Access::in), 0);
  Var y = b.load(b.buffer("y", DType::f32, Access::in), 0);
};

TEST(KernelBuilder, ComputesTheSameOnce) {
  Values v;
  const Var sum = v.b.compute(Op::add, {v.x, v.y});
  EXPECT_EQ(v.b.compute(Op::add, {v.y, v.x}), sum);
  EXPECT_NE(v.b.compute(Op::subtract, {v.x, v.y}), v.b.compute(Op::subtract, {v.y, v.x}));
  // Of equal ones the first: -0 and 0.
  EXPECT_NE(v.b.compute(Op::minimum, {v.x, v.y}), v.b.compute(Op::minimum, {v.y, v.x}));
  EXPECT_NE(v.b.cast(v.x, DType::i32), v.b.cast(v.x, DType::i16));
  EXPECT_EQ(v.b.number(Form(1) + v.n), v.j);
  EXPECT_NE(v.b.constant(DType::f32, 0.0), v.b.constant(DType::f32, -0.0));
  v.b.lanes(v.n, [&](Counter) { EXPECT_EQ(v.b.compute(Op::add, {v.x, v.y}), sum); });
}

TEST(KernelBuilder, ForgetsWhatALoopComputed) {
  Values v;
  Var inside;
  v.b.lanes(v.n, [&](Counter) { inside = v.b.compute(Op::add, {v.x, v.y}); });
  EXPECT_NE(v.b.compute(Op::add, {v.x, v.y}), inside);
  EXPECT_THROW(v.b.compute(Op::negate, {inside}), InternalError);
}

TEST(KernelBuilder, LoadsAgainWhatMayHaveChanged) {
  Builder b("loads");
  const BufferId s = b.buffer("s", DType::f32, Access::inout);
  const BufferId x = b.buffer("x", DType::f32, Access::in);
  EXPECT_NE(b.load(s, 0), b.load(s, 0));
  EXPECT_EQ(b.load(x, 3), b.load(x, 3));
  EXPECT_NE(b.load(x, 3), b.load(x, 4));
}

TEST(KernelBuilder, LeavesOutWhatChangesNothing) {
  Values v;
  Builder& b = v.b;
  const Var one = b.constant(DType::f32, 1);
  EXPECT_EQ(b.compute(Op::multiply, {v.x, one}), v.x);
  EXPECT_EQ(b.compute(Op::multiply, {one, v.x}), v.x);
  EXPECT_EQ(b.compute(Op::divide, {v.x, one}), v.x);
  EXPECT_EQ(b.compute(Op::subtract, {v.x, b.constant(DType::f32, 0)}), v.x);
  EXPECT_EQ(b.compute(Op::add, {v.x, b.constant(DType::f32, -0.0)}), v.x);
  EXPECT_NE(b.compute(Op::add, {v.x, b.constant(DType::f32, 0)}), v.x);
  EXPECT_NE(b.compute(Op::subtract, {v.x, b.constant(DType::f32, -0.0)}), v.x);
  EXPECT_EQ(b.compute(Op::add, {v.i, b.integer(DType::i64, 0)}), v.i);
  EXPECT_EQ(b.compute(Op::bit_xor, {v.i, b.integer(DType::i64, 0)}), v.i);
  EXPECT_EQ(b.compute(Op::maximum, {v.x, v.x}), v.x);
  EXPECT_EQ(b.cast(v.x, DType::f32), v.x);
  EXPECT_EQ(b.compute(Op::bits, {v.x}, DType::f32), v.x);
  const Var yes = b.integer(DType::boolean, 1);
  EXPECT_EQ(b.compute(Op::select, {yes, v.x, v.y}), v.x);
  EXPECT_EQ(b.compute(Op::select, {b.integer(DType::boolean, 0), v.x, v.y}), v.y);
  EXPECT_EQ(b.compute(Op::select, {b.compute(Op::less, {v.x, v.y}), v.x, v.x}), v.x);
}

TEST(KernelBuilder, CastsConstants) {
  Builder b("casts");
  EXPECT_EQ(b.cast(b.constant(DType::f64, 0.1), DType::f32), b.constant(DType::f32, 0.1));
  EXPECT_EQ(b.cast(b.constant(DType::f32, 3), DType::u8), b.integer(DType::u8, 3));
  EXPECT_EQ(b.cast(b.integer(DType::i32, -1), DType::f16), b.constant(DType::f16, -1));
  EXPECT_EQ(b.cast(b.constant(DType::f32, 0.5), DType::boolean), b.integer(DType::boolean, 1));
  EXPECT_NE(b.type(b.cast(b.constant(DType::f32, 0.5), DType::i32)), DType::f32);
}

TEST(KernelBuilder, KeepsASumThatAddsNothing) {
  Builder b("nothing");
  const Param n = b.param("n");
  const Var zero = b.integer(DType::i32, 0);
  const std::vector<Var> sum = b.reduced(n, {{Op::add, zero}}, [&](Counter) { return std::vector{zero}; });
  b.store(b.buffer("y", DType::i32, Access::out), 0, sum[0]);
  EXPECT_TRUE(verify(std::move(b).finish()).ok());
}

TEST(KernelBuilder, GivesEachCounterAName) {
  Builder b("names");
  b.param("c");
  b.lanes(2, [&](Counter) { b.lanes(2, [](Counter) {}); });
  b.lanes(2, [](Counter) {}, 1, "row");
  EXPECT_EQ(text(std::move(b)), "kernel names(; c)\n  lanes c1 < 2\n    lanes c2 < 2\n  lanes row < 2\n");
}

TEST(KernelBuilder, RefusesMisuseAtOnce) {
  Values v;
  Builder& b = v.b;
  EXPECT_THROW(b.compute(Op::add, {v.x, v.i}), InternalError);
  EXPECT_THROW(b.compute(Op::exp, {v.i}), InternalError);
  EXPECT_THROW(b.compute(Op::add, {v.x}), InternalError);
  EXPECT_THROW(b.compute(Op::negate, {Var{}}), InternalError);
  EXPECT_THROW(b.param("x"), InternalError);
  EXPECT_THROW(b.buffer("s", DType::string, Access::in), InternalError);
  EXPECT_THROW(b.constant(DType::i32, 0.5), InternalError);
  const BufferId out = b.buffer("out", DType::f32, Access::out);
  EXPECT_THROW(b.load(out, 0), InternalError);
  EXPECT_THROW(b.store(out, 0, v.i), InternalError);
  EXPECT_THROW(b.store(BufferId{0}, 0, v.x), InternalError);
  EXPECT_THROW(b.steps(v.n, {v.x}, [&](Counter, std::span<const Var>) { return std::vector{v.i}; }), InternalError);
}

}  // namespace
}  // namespace pawl::kernel
