// Pointwise operators in lanes of a kernel give the bits of their evaluation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "expr/types.h"
#include "ops/convert.h"
#include "pawl/model.h"
#include "pawl/program.h"
#include "tensor/compare.h"

namespace pawl {
namespace {

constexpr std::int64_t kSteps = 3;
constexpr std::int64_t kLanes = 13;

/// Numbers that tie, wrap, overflow or are none, in an order of their own for each operand.
Tensor numbers(DType dtype, int operand) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> reals{0.5, -1.5, 2.5, 0.0,  -0.0, kInf, -kInf, std::numeric_limits<double>::quiet_NaN(),
                                  3,   -3,   100, -0.3, 1e-3};
  const std::vector<double> integers{0, 1, -1, 2, 3, 127, -128, 5, 7, -6, 100, 64, 31};
  const std::vector<double>& from = expr::is_float(expr::computed_type(dtype)) ? reals : integers;
  std::vector<double> values;
  for (std::int64_t i = 0; i < kSteps * kLanes; ++i)
    values.push_back(from[static_cast<std::size_t>((i * (1 + 2 * operand) + operand) % kLanes)]);
  if (dtype == DType::boolean)
    for (double& each : values) each = each > 0 ? 1 : 0;
  return *ops::convert(Tensor::of<double>({kSteps, kLanes}, std::span<const double>(values)), dtype);
}

struct Subject {
  std::string call;  ///< with operands a, b, c
  std::vector<DType> operands;
  DType result;
};

/// Runs `y = call` as the body of a Scan, node by node and as a kernel.
void check(const Subject& subject) {
  std::string inputs;
  std::string formal;
  std::string actual;
  std::vector<Value> values;
  for (std::size_t i = 0; i < subject.operands.size(); ++i) {
    const char letter = static_cast<char>('a' + i);
    const std::string_view type = name(subject.operands[i]);
    inputs += fmt::format("{}{}[{},{}] {}s", i > 0 ? ", " : "", type, kSteps, kLanes, letter);
    formal += fmt::format("{}{}[{}] {}", i > 0 ? ", " : "", type, kLanes, letter);
    actual += fmt::format("{}{}s", i > 0 ? ", " : "", letter);
    values.emplace_back(numbers(subject.operands[i], static_cast<int>(i)));
  }
  const std::string text = fmt::format(
      "<ir_version: 11, opset_import: [\"\" : 24]>\ng ({}) => ({}[{},{}] ys) {{\n  ys = Scan <num_scan_inputs = {}, "
      "body = "
      "body ({}) => ({}[{}] y) {{ y = {} }}> ({})\n}}",
      inputs, name(subject.result), kSteps, kLanes, subject.operands.size(), formal, name(subject.result), kLanes,
      subject.call, actual);
  SCOPED_TRACE(text);
  const Result<Model> model = Model::from_text(text);
  ASSERT_TRUE(model.ok()) << model.error().to_string();
  const Result<Program> evaluated =
      Program::compile(*model, {.guarantee = Guarantee::exact, .rewrite = false, .kernels = Kernels::off});
  const Result<Program> kernel = Program::compile(
      *model, {.guarantee = Guarantee::exact, .rewrite = false, .kernels = Kernels::interpreted, .threads = 1});
  ASSERT_TRUE(evaluated.ok() && kernel.ok());
  const auto want = evaluated->run(values);
  const auto got = kernel->run(values);
  ASSERT_TRUE(want.ok()) << want.error().to_string();
  ASSERT_TRUE(got.ok()) << got.error().to_string();
  ASSERT_EQ(kernel->kernel_report(), std::vector<std::string>{"body: one kernel"});
  const auto difference = first_difference((*got)[0], (*want)[0], {0, 0});
  EXPECT_FALSE(difference) << difference.value_or("");
}

const std::vector<DType> kReals{DType::f32, DType::f64, DType::f16, DType::bf16};
const std::vector<DType> kIntegers{DType::i8, DType::i16, DType::i32, DType::i64,
                                   DType::u8, DType::u16, DType::u32, DType::u64};

TEST(Lower, NumbersOfEveryType) {
  std::vector<DType> all = kReals;
  all.insert(all.end(), kIntegers.begin(), kIntegers.end());
  for (const DType t : all) {
    for (const char* call : {"Add(a, b)", "Sub(a, b)", "Mul(a, b)", "Max(a, b, a)", "Min(a, b)"})
      check({call, {t, t}, t});
    for (const char* call : {"Abs(a)", "Identity(a)", "Sign(a)"}) check({call, {t}, t});
    for (const char* call : {"Greater(a, b)", "GreaterOrEqual(a, b)", "Less(a, b)", "LessOrEqual(a, b)", "Equal(a, b)"})
      check({call, {t, t}, DType::boolean});
    check({"Where(a, b, c)", {DType::boolean, t, t}, t});
  }
}

TEST(Lower, RealNumbers) {
  for (const DType t : kReals) {
    for (const char* call : {"Ceil(a)",
                             "Cos(a)",
                             "Elu <alpha = 1.5> (a)",
                             "Erf(a)",
                             "Exp(a)",
                             "Floor(a)",
                             "HardSigmoid(a)",
                             "HardSwish(a)",
                             "LeakyRelu <alpha = 0.3> (a)",
                             "Log(a)",
                             "Mish(a)",
                             "Neg(a)",
                             "Reciprocal(a)",
                             "Relu(a)",
                             "Round(a)",
                             "Sigmoid(a)",
                             "Sin(a)",
                             "Softplus(a)",
                             "Softsign(a)",
                             "Sqrt(a)",
                             "Swish(a)",
                             "Tanh(a)",
                             "ThresholdedRelu <alpha = 0.4> (a)"})
      check({call, {t}, t});
    for (const char* call : {"Div(a, b)", "Pow(a, b)", "Sum(a, b, a)", "Mean(a, b, b)"}) check({call, {t, t}, t});
    for (const char* call : {"IsNaN(a)", "IsInf(a)", "IsInf <detect_negative = 0> (a)"})
      check({call, {t}, DType::boolean});
  }
}

TEST(Lower, IntegersAndBooleans) {
  for (const DType t : kIntegers) {
    for (const char* call : {"BitwiseAnd(a, b)", "BitwiseOr(a, b)", "BitwiseXor(a, b)"}) check({call, {t, t}, t});
    check({"BitwiseNot(a)", {t}, t});
  }
  for (const char* call : {"And(a, b)", "Or(a, b)", "Xor(a, b)", "Equal(a, b)"})
    check({call, {DType::boolean, DType::boolean}, DType::boolean});
  check({"Not(a)", {DType::boolean}, DType::boolean});
}

TEST(Lower, CastsFromEveryTypeToEveryType) {
  std::vector<DType> all = kReals;
  all.insert(all.end(), kIntegers.begin(), kIntegers.end());
  all.push_back(DType::boolean);
  for (const DType from : all)
    for (const DType to : all) {
      // Rounded once: from f32 only.
      const bool narrow = to == DType::f16 || to == DType::bf16;
      if (narrow && from != DType::f32 && from != DType::f16 && from != DType::bf16 && from != DType::boolean) continue;
      check({fmt::format("Cast <to = {}> (a)", static_cast<int>(to)), {from}, to});
    }
}

}  // namespace
}  // namespace pawl
