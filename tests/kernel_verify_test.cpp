#include <gtest/gtest.h>

#include "kernel/builder.h"

namespace pawl::kernel {
namespace {

using expr::Op;

/// lanes c < n: y[c] = sum over k < n of x[k * n + c], times 2; %0 … are 0, 2, then as printed.
Program sums() {
  Builder b("sums");
  const BufferId x = b.buffer("x", DType::f32, Access::in);
  const BufferId y = b.buffer("y", DType::f32, Access::out);
  const Param n = b.param("n");
  b.lanes(n, [&](Counter c) {
    const Var zero = b.constant(DType::f32, 0);
    const std::vector<Var> sum =
        b.reduced(n, {{Op::add, zero}}, [&](Counter k) { return std::vector{b.load(x, k * n + c)}; });
    b.store(y, c, b.compute(Op::multiply, {sum[0], b.constant(DType::f32, 2)}));
  });
  return std::move(b).finish(true);
}

Loop& lanes(Program& p) { return *std::get<std::unique_ptr<Loop>>(p.block.back()); }
Loop& inner(Program& p) { return *std::get<std::unique_ptr<Loop>>(lanes(p).block.front()); }
template <class T>
T& in(Block& block, std::size_t index) {
  return std::get<T>(block[index]);
}

struct Wrong {
  const char* words;
  void (*make)(Program&);
};

const Wrong kWrong[] = {
    {"splits has a barrier", [](Program& p) { p.block.emplace_back(Barrier{}); }},
    {"inside of lanes or of a sum",
     [](Program& p) {
       p.splits = false;
       inner(p).block.emplace_back(Barrier{});
     }},
    {"inside of lanes or of a sum",
     [](Program& p) {
       p.splits = false;
       lanes(p).block.emplace_back(Barrier{});
     }},
    {"\"a b\" is no name", [](Program& p) { p.name = "a b"; }},
    {"\"1x\" is no name", [](Program& p) { p.buffers[0].name = "1x"; }},
    {"the name n is taken twice", [](Program& p) { p.counters[0] = "n"; }},
    {"buffer x has type string", [](Program& p) { p.buffers[0].dtype = DType::string; }},
    {"stores outside of its lanes", [](Program& p) { p.block.emplace_back(Store{{0}, 1, {}}); }},
    {"not one loop of lanes", [](Program& p) { p.block.pop_back(); }},
    {"not one loop of lanes", [](Program& p) { lanes(p).kind = Loop::Kind::steps; }},
    {"a loop that is none", [](Program& p) { p.block.back() = std::unique_ptr<Loop>(); }},
    {"%0 is assigned twice", [](Program& p) { p.block.insert(p.block.begin(), Constant{{0}, DType::f32, 0.0}); }},
    {"a result that is no value", [](Program& p) { in<Constant>(p.block, 0).result = {}; }},
    {"%0 is declared i32 and computed as f32", [](Program& p) { p.vars[0] = DType::i32; }},
    {"an operand that is no value", [](Program& p) { in<Compute>(lanes(p).block, 1).operands[0] = {}; }},
    {"%3 is used outside of its loop", [](Program& p) { in<Compute>(lanes(p).block, 1).operands[0] = {3}; }},
    {"is used before it is there",
     [](Program& p) { in<Compute>(lanes(p).block, 1).operands[0] = in<Compute>(lanes(p).block, 1).result; }},
    {"a param that is none", [](Program& p) { lanes(p).extent = {{1, {7}, {}}}; }},
    {"a counter that is none", [](Program& p) { lanes(p).extent = {{1, {}, {7}}}; }},
    {"k is used outside of its loop",
     [](Program& p) { in<Store>(lanes(p).block, 2).at = {{1, {}, inner(p).counter}}; }},
    {"c is used outside of its loop", [](Program& p) { lanes(p).extent = {{1, {}, lanes(p).counter}}; }},
    {"c counts two loops", [](Program& p) { inner(p).counter = lanes(p).counter; }},
    {"a loop without a counter", [](Program& p) { inner(p).counter = {}; }},
    {"a constant that is none of its type", [](Program& p) { in<Constant>(p.block, 0).value = 0.1; }},
    {"a constant that is none of its type", [](Program& p) { in<Constant>(p.block, 0).value = std::int64_t{1}; }},
    {"a constant that is none of its type", [](Program& p) { p.block.emplace_back(Constant{{0}, DType::i8, 200.0}); }},
    {"multiply has 1 operands", [](Program& p) { in<Compute>(lanes(p).block, 1).operands.pop_back(); }},
    {"there is no bit_and of f32 f32", [](Program& p) { in<Compute>(lanes(p).block, 1).op = Op::bit_and; }},
    {"multiply has a target type", [](Program& p) { in<Compute>(lanes(p).block, 1).to = DType::f32; }},
    {"x is in, and is stored to", [](Program& p) { in<Store>(lanes(p).block, 2).buffer = 0; }},
    {"y is out, and is loaded from", [](Program& p) { in<Load>(inner(p).block, 0).buffer = 1; }},
    {"a buffer that is none", [](Program& p) { in<Store>(lanes(p).block, 2).buffer = 2; }},
    {"f32, is stored to y, which has f64", [](Program& p) { p.buffers[1].dtype = DType::f64; }},
    {"lanes carry a value", [](Program& p) { lanes(p).carried.push_back({{0}, {2}, {0}, {3}}); }},
    {"1 carried values, 0 reductions", [](Program& p) { inner(p).reduction.clear(); }},
    {"1 carried values, 1 reductions", [](Program& p) { inner(p).kind = Loop::Kind::steps; }},
    {"unroll is 0", [](Program& p) { lanes(p).unroll = 0; }},
    {"unroll is 17", [](Program& p) { lanes(p).unroll = 17; }},
    {"only lanes are unrolled", [](Program& p) { inner(p).unroll = 2; }},
    {"subtract is no reduction", [](Program& p) { inner(p).reduction[0] = Op::subtract; }},
    {"is not multiply of", [](Program& p) { inner(p).reduction[0] = Op::multiply; }},
    {"is not add of", [](Program& p) { inner(p).carried[0].next = in<Load>(inner(p).block, 0).result; }},
    {"is not add of",
     [](Program& p) {
       auto& sum = in<Compute>(inner(p).block, 1);
       sum.operands[1] = sum.operands[0];
     }},
    {"is used by more than its sum",
     [](Program& p) {
       p.vars.push_back(DType::f32);
       inner(p).block.emplace_back(
           Compute{{static_cast<std::uint32_t>(p.vars.size() - 1)}, Op::negate, {inner(p).carried[0].inside}});
     }},
    {"is used by more than its sum",
     [](Program& p) {
       p.buffers[1].access = Access::inout;
       inner(p).block.emplace_back(Store{inner(p).carried[0].next, 1, {}});
     }},
};

TEST(KernelVerify, TakesWhatIsRight) {
  const Result<void> verified = verify(sums());
  EXPECT_TRUE(verified.ok()) << verified.error().to_string();
}

TEST(KernelVerify, RefusesWithWords) {
  for (const Wrong& wrong : kWrong) {
    Program program = sums();
    wrong.make(program);
    const Result<void> verified = verify(program);
    ASSERT_FALSE(verified.ok()) << wrong.words;
    EXPECT_EQ(verified.error().code, Code::internal);
    EXPECT_NE(verified.error().to_string().find(wrong.words), std::string::npos) << wrong.words << "\n"
                                                                                 << verified.error().to_string();
  }
}

/// A loop of steps around what `write` writes.
Result<void> steps_verified(void (*change)(Loop&)) {
  Builder b("steps");
  const Var zero = b.integer(DType::i32, 0);
  b.steps(4, {zero}, [&](Counter t, std::span<const Var> s) {
    return std::vector{b.compute(Op::add, {s[0], b.cast(b.number(t), DType::i32)})};
  });
  Program program = std::move(b).finish();
  change(*std::get<std::unique_ptr<Loop>>(program.block.back()));
  return verify(program);
}

TEST(KernelVerify, RefusesACarriedValueThatChangesItsType) {
  const Result<void> verified =
      steps_verified([](Loop& loop) { loop.carried[0].next = std::get<Number>(loop.block[0]).result; });
  ASSERT_FALSE(verified.ok());
  EXPECT_NE(verified.error().to_string().find("i32, becomes i64"), std::string::npos) << verified.error().to_string();
}

TEST(KernelVerify, RefusesAnInitialValueFromInside) {
  EXPECT_TRUE(steps_verified([](Loop&) {}).ok());
  const Result<void> verified = steps_verified([](Loop& loop) { loop.carried[0].initial = loop.carried[0].inside; });
  ASSERT_FALSE(verified.ok());
  EXPECT_NE(verified.error().to_string().find("before it is there"), std::string::npos);
}

TEST(KernelVerify, WantsConstantsAsDivisorsOfIntegers) {
  for (const int divisor : {0, 3}) {
    Builder b("quotient");
    const Var n = b.number(b.param("n"));
    b.compute(Op::divide, {n, b.integer(DType::i64, divisor)});
    if (divisor == 0)
      EXPECT_THROW(std::move(b).finish(), InternalError);
    else
      EXPECT_TRUE(verify(std::move(b).finish()).ok());
  }
  Builder b("quotient");
  const Var n = b.number(b.param("n"));
  b.compute(Op::divide, {n, n});
  EXPECT_THROW(std::move(b).finish(), InternalError);
}

}  // namespace
}  // namespace pawl::kernel
