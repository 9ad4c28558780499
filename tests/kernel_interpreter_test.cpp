#include "backend/reference/kernel_interpreter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "kernel/builder.h"
#include "tensor/scalar.h"

namespace pawl::reference {
namespace {

using expr::Op;
using kernel::Access;
using kernel::BufferId;
using kernel::Builder;
using kernel::Counter;
using kernel::Form;
using kernel::Param;
using kernel::Program;
using kernel::Var;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
Memory memory(std::vector<T>& values) {
  return {values.data(), static_cast<std::int64_t>(values.size())};
}

void expect_runs(const Program& program, std::vector<Memory> buffers, std::vector<std::int64_t> params,
                 std::optional<LaneRange> range = std::nullopt, LaneOrder order = LaneOrder::forward) {
  const Result<void> ran = run_kernel(program, buffers, params, range, order);
  EXPECT_TRUE(ran.ok()) << (ran.ok() ? "" : ran.error().to_string());
}

std::string error_of(const Program& program, std::vector<Memory> buffers, std::vector<std::int64_t> params,
                     std::optional<LaneRange> range = std::nullopt) {
  const Result<void> ran = run_kernel(program, buffers, params, range);
  return ran.ok() ? "" : ran.error().to_string();
}

/// s[c] and then y[t, c] = op(s, x[t, c]) of one step after the other, with s kept.
Program running(DType dtype, Op op) {
  Builder b("running");
  const BufferId x = b.buffer("x", dtype, Access::in);
  const BufferId s = b.buffer("s", dtype, Access::inout);
  const BufferId y = b.buffer("y", dtype, Access::out);
  const Param T = b.param("T");
  const Param C = b.param("C");
  b.lanes(C, [&](Counter c) {
    const std::vector<Var> after = b.steps(T, {b.load(s, c)}, [&](Counter t, std::span<const Var> carried) {
      const Var next = b.compute(op, {carried[0], b.load(x, t * C + c)});
      b.store(y, t * C + c, next);
      return std::vector{next};
    });
    b.store(s, c, after[0]);
  });
  return std::move(b).finish(true);
}

TEST(KernelInterpreter, SumsUp) {
  std::vector<float> x = {1, 2, 3, 4, 5, 6};
  std::vector<float> s = {10, 20};
  std::vector<float> y(6);
  expect_runs(running(DType::f32, Op::add), {memory(x), memory(s), memory(y)}, {3, 2});
  EXPECT_EQ(y, (std::vector<float>{11, 22, 14, 26, 19, 32}));
  EXPECT_EQ(s, (std::vector<float>{19, 32}));
}

TEST(KernelInterpreter, IntegersWrap) {
  std::vector<std::int8_t> x = {100, -100};
  std::vector<std::int8_t> s = {100, -100};
  std::vector<std::int8_t> y(2);
  expect_runs(running(DType::i8, Op::add), {memory(x), memory(s), memory(y)}, {1, 2});
  EXPECT_EQ(y, (std::vector<std::int8_t>{-56, 56}));
}

TEST(KernelInterpreter, TheMaximumOfNanIsNan) {
  std::vector<float> x = {1, kNan, 5, 2};
  std::vector<float> s = {0};
  std::vector<float> y(4);
  expect_runs(running(DType::f32, Op::maximum), {memory(x), memory(s), memory(y)}, {4, 1});
  EXPECT_EQ(y[0], 1);
  for (const float after : {y[1], y[2], y[3], s[0]}) EXPECT_TRUE(std::isnan(after));
}

TEST(KernelInterpreter, OfEqualNumbersTheFirstIsTheMinimum) {
  for (const Op op : {Op::minimum, Op::maximum}) {
    std::vector<float> x = {0.0F, -0.0F};
    std::vector<float> s = {-0.0F, 0.0F};
    std::vector<float> y(2);
    expect_runs(running(DType::f32, op), {memory(x), memory(s), memory(y)}, {1, 2});
    EXPECT_TRUE(std::signbit(y[0]));
    EXPECT_FALSE(std::signbit(y[1]));
  }
}

TEST(KernelInterpreter, NoIterationsLeaveWhatWasThere) {
  for (const std::int64_t T : {0, -3}) {
    std::vector<float> x;
    std::vector<float> s = {10, 20};
    std::vector<float> y;
    expect_runs(running(DType::f32, Op::add), {memory(x), memory(s), memory(y)}, {T, 2});
    EXPECT_EQ(s, (std::vector<float>{10, 20}));
    expect_runs(running(DType::f32, Op::add), {memory(x), memory(s), memory(y)}, {T, -1});
  }
}

TEST(KernelInterpreter, MultipliesAMatrix) {
  Builder b("matvec");
  const BufferId w = b.buffer("w", DType::f32, Access::in);
  const BufferId x = b.buffer("x", DType::f32, Access::in);
  const BufferId y = b.buffer("y", DType::f32, Access::out);
  const Param rows = b.param("rows");
  const Param columns = b.param("columns");
  b.lanes(rows, [&](Counter r) {
    const std::vector<Var> sum = b.reduced(columns, {{Op::add, b.constant(DType::f32, 0)}}, [&](Counter k) {
      return std::vector{b.compute(Op::multiply, {b.load(w, r * columns + k), b.load(x, k)})};
    });
    b.store(y, r, sum[0]);
  });
  const Program program = std::move(b).finish();
  std::vector<float> matrix = {1, 2, 3, 4, 5, 6};
  std::vector<float> vector = {1, 10, 100};
  std::vector<float> product(2);
  expect_runs(program, {memory(matrix), memory(vector), memory(product)}, {2, 3});
  EXPECT_EQ(product, (std::vector<float>{321, 654}));
  expect_runs(program, {memory(matrix), memory(vector), memory(product)}, {2, 0});
  EXPECT_EQ(product, (std::vector<float>{0, 0}));
}

TEST(KernelInterpreter, CarriedValuesChangePlaces) {
  Builder b("fibonacci");
  const BufferId y = b.buffer("y", DType::i64, Access::out);
  const Param n = b.param("n");
  const std::vector<Var> pair =
      b.steps(n, {b.integer(DType::i64, 0), b.integer(DType::i64, 1)},
              [&](Counter, std::span<const Var> s) { return std::vector{s[1], b.compute(Op::add, {s[0], s[1]})}; });
  b.store(y, 0, pair[0]);
  b.store(y, 1, pair[1]);
  const Program program = std::move(b).finish();
  std::vector<std::int64_t> values(2);
  expect_runs(program, {memory(values)}, {10});
  EXPECT_EQ(values, (std::vector<std::int64_t>{55, 89}));
  expect_runs(program, {memory(values)}, {0});
  EXPECT_EQ(values, (std::vector<std::int64_t>{0, 1}));
}

TEST(KernelInterpreter, ExtentsMayDependOnOuterCounters) {
  Builder b("triangle");
  const BufferId y = b.buffer("y", DType::i64, Access::out);
  b.lanes(4, [&](Counter r) {
    const std::vector<Var> sum = b.reduced(Form(r) - 1, {{Op::add, b.integer(DType::i64, 0)}},
                                           [&](Counter k) { return std::vector{b.number(10 * r + k)}; });
    b.store(y, 3 - Form(r), sum[0]);
  });
  std::vector<std::int64_t> values(4);
  expect_runs(std::move(b).finish(), {memory(values)}, {});
  EXPECT_EQ(values, (std::vector<std::int64_t>{30 + 31, 20, 0, 0}));
}

TEST(KernelInterpreter, RunsAPartOfTheLanes) {
  for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
    std::vector<float> x = {1, 2, 3, 4};
    std::vector<float> s = {0, 0, 0, 0};
    std::vector<float> y(4);
    const std::vector<Memory> buffers = {memory(x), memory(s), memory(y)};
    expect_runs(running(DType::f32, Op::add), buffers, {1, 4}, LaneRange{1, 3}, order);
    EXPECT_EQ(y, (std::vector<float>{0, 2, 3, 0}));
    expect_runs(running(DType::f32, Op::add), buffers, {1, 4}, LaneRange{2, 2}, order);
    EXPECT_EQ(s, (std::vector<float>{0, 2, 3, 0}));
  }
}

TEST(KernelInterpreter, RefusesCallsThatDoNotFit) {
  const Program program = running(DType::f32, Op::add);
  std::vector<float> x(4);
  const std::vector<Memory> buffers(3, memory(x));
  EXPECT_NE(error_of(program, {memory(x)}, {1, 4}).find("1 buffers are given, 3 wanted"), std::string::npos);
  EXPECT_NE(error_of(program, buffers, {1}).find("1 params are given, 2 wanted"), std::string::npos);
  EXPECT_NE(error_of(program, buffers, {1, 4}, LaneRange{0, 5}).find("lanes 0 to 5 of 4"), std::string::npos);
  EXPECT_NE(error_of(program, buffers, {1, 4}, LaneRange{-1, 2}).find("lanes -1 to 2"), std::string::npos);
  EXPECT_NE(error_of(program, buffers, {1, 4}, LaneRange{3, 2}).find("lanes 3 to 2"), std::string::npos);
  EXPECT_NE(error_of(std::move(Builder("none")).finish(), {}, {}, LaneRange{}).find("does not split"),
            std::string::npos);
}

TEST(KernelInterpreter, TellsWhereAnAccessIsOutOfBounds) {
  std::vector<float> x(5);
  std::vector<float> s(2);
  std::vector<float> y(6);
  const std::string error = error_of(running(DType::f32, Op::add), {memory(x), memory(s), memory(y)}, {3, 2});
  EXPECT_EQ(error, "kernel running / c = 1 / t = 2: x[5] is out of its 5 elements");
  for (const std::int64_t at : {-1, 2}) {
    Builder b("store");
    b.store(b.buffer("y", DType::f32, Access::out), at, b.constant(DType::f32, 0));
    EXPECT_NE(error_of(std::move(b).finish(), {memory(s)}, {}).find("is out of its 2 elements"), std::string::npos);
  }
}

/// y[i] = op(x[i], z[i]) for all i.
template <class T>
std::vector<T> each(Op op, std::vector<T> x, std::vector<T> z = {}) {
  Builder b("each");
  const BufferId from = b.buffer("x", dtype_of<T>, Access::in);
  const BufferId second = b.buffer("z", dtype_of<T>, Access::in);
  const BufferId to = b.buffer("y", dtype_of<T>, Access::out);
  const Param n = b.param("n");
  b.lanes(n, [&](Counter c) {
    std::vector<Var> operands = {b.load(from, c)};
    if (!z.empty()) operands.push_back(b.load(second, c));
    b.store(to, c, b.compute(op, operands));
  });
  std::vector<T> y(x.size());
  expect_runs(std::move(b).finish(), {memory(x), memory(z), memory(y)}, {static_cast<std::int64_t>(x.size())});
  return y;
}

TEST(KernelInterpreter, RoundsHalvesToEven) {
  EXPECT_EQ(each<float>(Op::round_even, {0.5F, 1.5F, 2.5F, -0.5F, -1.2F}), (std::vector<float>{0, 2, 2, -0.0F, -1}));
  EXPECT_EQ(each<float>(Op::truncate, {1.7F, -1.7F}), (std::vector<float>{1, -1}));
  EXPECT_EQ(each<double>(Op::floor, {1.7, -1.2}), (std::vector<double>{1, -2}));
  EXPECT_EQ(each<double>(Op::ceil, {1.2, -1.7}), (std::vector<double>{2, -1}));
}

TEST(KernelInterpreter, IntegersHaveCorners) {
  constexpr std::int8_t kLowest = -128;
  EXPECT_EQ(each<std::int8_t>(Op::negate, {kLowest, 5}), (std::vector<std::int8_t>{kLowest, -5}));
  EXPECT_EQ(each<std::int8_t>(Op::absolute, {kLowest, -5}), (std::vector<std::int8_t>{kLowest, 5}));
  EXPECT_EQ(each<std::uint8_t>(Op::negate, {1}), (std::vector<std::uint8_t>{255}));
  EXPECT_EQ(each<std::int16_t>(Op::multiply, {300, -300}, {300, 300}), (std::vector<std::int16_t>{24464, -24464}));
  EXPECT_EQ(each<std::int8_t>(Op::shift_right, {-128, 64}, {7, 6}), (std::vector<std::int8_t>{-1, 1}));
  EXPECT_EQ(each<std::uint8_t>(Op::shift_left, {255}, {7}), (std::vector<std::uint8_t>{128}));
  EXPECT_EQ(each<std::uint8_t>(Op::bit_not, {1}), (std::vector<std::uint8_t>{254}));
  EXPECT_EQ(each<std::int32_t>(Op::minimum, {-1}, {1}), (std::vector<std::int32_t>{-1}));
  EXPECT_EQ(each<std::uint64_t>(Op::maximum, {~std::uint64_t{0}}, {1}),
            (std::vector<std::uint64_t>{~std::uint64_t{0}}));
}

TEST(KernelInterpreter, IntegersAreDividedTowardZero) {
  Builder b("divide");
  const BufferId x = b.buffer("x", DType::i32, Access::in);
  const BufferId y = b.buffer("y", DType::i32, Access::out);
  for (const int divisor : {2, -2, -1}) {
    const Form at = divisor == 2 ? 0 : divisor == -2 ? 1 : 2;
    b.store(y, at, b.compute(Op::divide, {b.load(x, at), b.integer(DType::i32, divisor)}));
  }
  std::vector<std::int32_t> values = {-7, -7, std::numeric_limits<std::int32_t>::min()};
  std::vector<std::int32_t> quotients(3);
  expect_runs(std::move(b).finish(), {memory(values), memory(quotients)}, {});
  EXPECT_EQ(quotients, (std::vector<std::int32_t>{-3, 3, std::numeric_limits<std::int32_t>::min()}));
}

TEST(KernelInterpreter, RefusesShiftsByTheWidth) {
  for (const int by : {8, -1}) {
    Builder b("shift");
    b.compute(Op::shift_left, {b.integer(DType::i8, 1), b.integer(DType::i8, by)});
    EXPECT_NE(error_of(std::move(b).finish(), {}, {}).find("shift_left by"), std::string::npos);
  }
}

TEST(KernelInterpreter, RoundsAFusedMultiplicationOnce) {
  Builder b("fma");
  const Var a = b.constant(DType::f32, 1 + 0x1p-12);
  b.store(b.buffer("y", DType::f32, Access::out), 0, b.compute(Op::fma, {a, a, b.constant(DType::f32, -1)}));
  std::vector<float> y(1);
  expect_runs(std::move(b).finish(), {memory(y)}, {});
  EXPECT_EQ(y[0], 0x1p-11F + 0x1p-24F);
}

TEST(KernelInterpreter, TurnsBitsIntoOtherTypes) {
  Builder b("bits");
  b.store(b.buffer("i", DType::i32, Access::out), 0, b.compute(Op::bits, {b.constant(DType::f32, -0.0)}, DType::i32));
  b.store(b.buffer("b", DType::boolean, Access::out), 0,
          b.compute(Op::bits, {b.integer(DType::u8, 4)}, DType::boolean));
  std::vector<std::int32_t> i(1);
  std::vector<std::uint8_t> yes(1);
  expect_runs(std::move(b).finish(), {memory(i), memory(yes)}, {});
  EXPECT_EQ(i[0], std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(yes[0], 1);
}

TEST(KernelInterpreter, NothingIsLessThanNan) {
  for (const Op op : {Op::less, Op::less_equal, Op::equal}) {
    Builder b("compare");
    const Var nan = b.constant(DType::f64, kNan);
    b.store(b.buffer("y", DType::boolean, Access::out), 0, b.compute(op, {nan, nan}));
    std::vector<std::uint8_t> y = {1};
    expect_runs(std::move(b).finish(), {memory(y)}, {});
    EXPECT_EQ(y[0], 0);
  }
}

TEST(KernelInterpreter, FunctionsAreNear) {
  const std::vector<double> x = {0.25};
  EXPECT_DOUBLE_EQ(each<double>(Op::exp, x)[0], std::exp(0.25));
  EXPECT_DOUBLE_EQ(each<double>(Op::exp_minus_1, x)[0], std::expm1(0.25));
  EXPECT_DOUBLE_EQ(each<double>(Op::log, x)[0], std::log(0.25));
  EXPECT_DOUBLE_EQ(each<double>(Op::log_1_plus, x)[0], std::log1p(0.25));
  EXPECT_DOUBLE_EQ(each<double>(Op::tanh, x)[0], std::tanh(0.25));
  EXPECT_DOUBLE_EQ(each<double>(Op::sigmoid, x)[0], 1 / (1 + std::exp(-0.25)));
  EXPECT_DOUBLE_EQ(each<double>(Op::erf, x)[0], std::erf(0.25));
  EXPECT_DOUBLE_EQ(each<double>(Op::sin, x)[0], std::sin(0.25));
  EXPECT_DOUBLE_EQ(each<double>(Op::cos, x)[0], std::cos(0.25));
  EXPECT_DOUBLE_EQ(each<double>(Op::pow, x, {3})[0], 0.015625);
  EXPECT_EQ(each<double>(Op::sqrt, x)[0], 0.5);
}

}  // namespace
}  // namespace pawl::reference
