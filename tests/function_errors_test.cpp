#include "function_errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "expr/scalar.h"

namespace pawl::expr {
namespace {

constexpr std::uint64_t kStep = 19997;

class FunctionErrors : public testing::TestWithParam<Op> {};

TEST_P(FunctionErrors, AreBelowTwoUnitsInTheLastPlace) {
  const Op op = GetParam();
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Errors errors = errors_of(op, dtype, kStep);
    EXPECT_GT(errors.inputs, 100'000);
    EXPECT_LT(errors.largest, 2) << name(dtype) << " at " << errors.at[0] << ", " << errors.at[1];
  }
}

std::string name_of(const testing::TestParamInfo<Op>& info) { return std::string(facts_of(info.param).name); }
INSTANTIATE_TEST_SUITE_P(All, FunctionErrors, testing::ValuesIn(kFunctions), name_of);

TEST_P(FunctionErrors, OfSixteenBitsAreThoseOfOneRounding) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Errors errors = errors_of(GetParam(), dtype, kStep);
    EXPECT_GT(errors.inputs, 30'000);
    EXPECT_LT(errors.largest, 0.501) << name(dtype) << " at " << errors.at[0] << ", " << errors.at[1];
  }
}

TEST(FunctionErrors, WithoutF64AreBelowTwoUnitsToo) {
  for (const Op op : {Op::sin, Op::cos, Op::pow}) EXPECT_LT(errors_of(op, DType::f32, kStep, false).largest, 2);
}

TEST(FunctionErrors, AnglesTooLargeToReduceGiveZeroAndOne) {
  EXPECT_EQ(sin(0x1p48F), 0);
  EXPECT_EQ(cos(-0x1p48), 1);
  EXPECT_EQ(sin(std::numeric_limits<double>::max()), 0);
  EXPECT_TRUE(std::isnan(sin(std::numeric_limits<float>::infinity())));
  EXPECT_TRUE(std::isnan(cos(-std::numeric_limits<double>::infinity())));
}

// Known closed forms, so that no library is trusted alone.
TEST(FunctionErrors, ExactResultsAreExact) {
  EXPECT_EQ(exp(0.0), 1);
  EXPECT_EQ(log(1.0F), 0);
  EXPECT_EQ(pow(2.0, 10.0), 1024);
  EXPECT_EQ(pow(-3.0F, 3.0F), -27);
  EXPECT_EQ(sigmoid(0.0F), 0.5F);
  EXPECT_EQ(tanh(30.0), 1);
  EXPECT_EQ(erf(-7.0F), -1);
  EXPECT_TRUE(std::signbit(sin(-0.0)) && std::signbit(tanh(-0.0F)) && std::signbit(erf(-0.0)));
  EXPECT_TRUE(std::signbit(exp_minus_1(-0.0)) && std::signbit(log_1_plus(-0.0F)));
}

TEST(FunctionErrors, WholePowersOfWholeNumbersAreWhole) {
  for (double x = 1; x < 3000; ++x) {
    double power = 1;
    for (double y = 0; power < 0x1p53; ++y, power *= x) {
      ASSERT_EQ(pow(x, y), power) << x << " to " << y;
      if (power < 0x1p24) {
        ASSERT_EQ(pow(static_cast<float>(x), static_cast<float>(y)), static_cast<float>(power));
      }
      if (y > 60) break;
    }
    ASSERT_EQ(pow(x * x, 0.5), x);
  }
}

// A formula that grows is seen here, and in the table of docs/numerics.md.
TEST(FunctionErrors, FormulasHaveTheNumberOfOperationsThatIsWrittenDown) {
  EXPECT_LE(cost_of(Op::exp, DType::f32).total(), 20);
  EXPECT_LE(cost_of(Op::log, DType::f32).total(), 31);
  EXPECT_LE(cost_of(Op::tanh, DType::f32).total(), 30);
  EXPECT_LE(cost_of(Op::sigmoid, DType::f32).total(), 32);
  for (const Op op : kFunctions) EXPECT_EQ(cost_of(op, DType::f32, false).cast, 0);
}

}  // namespace
}  // namespace pawl::expr
