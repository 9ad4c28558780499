// Operators that have both an evaluation and a function body: on random inputs of every version and type, both agree.
#include "ops/functions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ops/schema.h"
#include "pawl/program.h"
#include "tensor/compare.h"

namespace pawl {
namespace {

/// A call of one operator. In `inputs`, "x" is of the element type that is tried; others name theirs.
struct Example {
  const char* name;
  const char* node;  ///< gives "y" (and "z")
  std::vector<std::pair<const char*, Dims>> inputs;
  const char* outputs = "y";
  double rtol = 0;  ///< more than the type's own, where a body computes in float
};

const std::vector<Example>& examples() {
  static const std::vector<Example> all = {
      {"Celu", "y = Celu <alpha = 0.7> (x)", {{"x", {2, 3, 4}}}},
      {"Celu", "y = Celu (x)", {{"x", {}}}},
      {"Elu", "y = Elu <alpha = 1.3> (x)", {{"x", {2, 3, 4}}}},
      {"Gelu", "y = Gelu (x)", {{"x", {2, 3, 4}}}},
      {"Gelu", "y = Gelu <approximate = \"tanh\"> (x)", {{"x", {2, 3, 4}}}, "y", 1e-7},
      {"GreaterOrEqual", "y = GreaterOrEqual (x, x2)", {{"x", {2, 3, 4}}, {"x2", {3, 1}}}},
      {"LessOrEqual", "y = LessOrEqual (x, x2)", {{"x", {2, 3, 4}}, {"x2", {3, 1}}}},
      {"HardSigmoid", "y = HardSigmoid <alpha = 0.3, beta = 0.4> (x)", {{"x", {2, 3, 4}}}},
      {"HardSwish", "y = HardSwish (x)", {{"x", {2, 3, 4}}}},
      {"LeakyRelu", "y = LeakyRelu <alpha = 0.2> (x)", {{"x", {0, 4}}}},
      {"LeakyRelu", "y = LeakyRelu <alpha = 0.2> (x)", {{"x", {2, 3, 4}}}},
      {"Mish", "y = Mish (x)", {{"x", {2, 3, 4}}}},
      {"PRelu", "y = PRelu (x, x2)", {{"x", {2, 3, 4}}, {"x2", {3, 1}}}},
      {"Relu", "y = Relu (x)", {{"x", {2, 3, 4}}}},
      {"Selu", "y = Selu (x)", {{"x", {2, 3, 4}}}},
      {"Selu", "y = Selu <alpha = 1.1, gamma = 0.9> (x)", {{"x", {2, 3, 4}}}},
      {"Softplus", "y = Softplus (x)", {{"x", {2, 3, 4}}}},
      {"Softsign", "y = Softsign (x)", {{"x", {2, 3, 4}}}},
      {"SwiGLU", "y = SwiGLU <alpha = 0.5> (x, x2)", {{"x", {2, 4}}, {"x2", {2, 4}}}},
      {"Swish", "y = Swish <alpha = 0.5> (x)", {{"x", {2, 3, 4}}}},
      {"ThresholdedRelu", "y = ThresholdedRelu <alpha = 0.5> (x)", {{"x", {2, 3, 4}}}},
      {"LayerNormalization",
       "y, m, d = LayerNormalization <axis = 1> (x, x2, x3)",
       {{"x", {2, 3, 4}}, {"x2", {3, 4}}, {"x3", {4}}},
       "y, m, d",
       1e-5},
      {"LayerNormalization",
       "y = LayerNormalization <epsilon = 0.01> (x, x2)",
       {{"x", {2, 3, 4}}, {"x2", {4}}},
       "y",
       1e-5},
      {"RMSNormalization", "y = RMSNormalization <axis = -2> (x, x2)", {{"x", {2, 3, 4}}, {"x2", {3, 4}}}, "y", 1e-5},
      {"MeanVarianceNormalization", "y = MeanVarianceNormalization (x)", {{"x", {2, 3, 4, 5}}}, "y", 1e-5},
      {"MeanVarianceNormalization",
       "y = MeanVarianceNormalization <axes = [0, -1]> (x)",
       {{"x", {2, 3, 4}}},
       "y",
       1e-5},
      {"Softmax", "y = Softmax <axis = 1> (x)", {{"x", {2, 3, 4}}}},
      {"LogSoftmax", "y = LogSoftmax (x)", {{"x", {2, 3, 4}}}},
      {"ReduceL1", "y = ReduceL1 <keepdims = 0> (x, axes)", {{"x", {2, 3, 4}}}},
      {"ReduceL2", "y = ReduceL2 (x, axes)", {{"x", {2, 3, 4}}}},
      {"ReduceL2", "y = ReduceL2 <noop_with_empty_axes = 1> (x)", {{"x", {2, 3}}}},
      {"ReduceLogSum", "a = Abs(x)  y = ReduceLogSum (a)", {{"x", {2, 3, 4}}}},
      {"ReduceSumSquare", "y = ReduceSumSquare (x, axes)", {{"x", {2, 3, 4}}}},
      {"CumSum", "y = CumSum <reverse = 1> (x, one)", {{"x", {2, 3, 4}}}},
      {"CumSum", "y = CumSum <exclusive = 1> (x, minus)", {{"x", {2, 0}}}},
      {"CumProd", "y = CumProd (x, minus)", {{"x", {2, 3, 4}}}},
      {"CumProd", "y = CumProd <exclusive = 1, reverse = 1> (x, one)", {{"x", {2, 3, 4}}}},
      {"CausalConvWithState",
       "y, z = CausalConvWithState <activation = \"silu\"> (x, x2, x3, x4)",
       {{"x", {2, 3, 5}}, {"x2", {3, 1, 4}}, {"x3", {3}}, {"x4", {2, 3, 3}}},
       "y, z"},
      {"CausalConvWithState", "y, z = CausalConvWithState (x, x2)", {{"x", {2, 3, 2}}, {"x2", {3, 1, 4}}}, "y, z"},
      {"LinearAttention",
       "y, z = LinearAttention <q_num_heads = 4, kv_num_heads = 2, update_rule = \"linear\"> (x, x2, x3)",
       {{"x", {2, 3, 8}}, {"x2", {2, 3, 4}}, {"x3", {2, 3, 6}}},
       "y, z"},
      {"LinearAttention",
       "y, z = LinearAttention <q_num_heads = 2, kv_num_heads = 2, update_rule = \"gated\", scale = 0.7> (x, x2, x3, "
       "x4, x5)",
       {{"x", {2, 3, 8}}, {"x2", {2, 3, 8}}, {"x3", {2, 3, 6}}, {"x4", {2, 2, 4, 3}}, {"x5", {2, 3, 2}}},
       "y, z"},
      {"LinearAttention",
       "y, z = LinearAttention <q_num_heads = 2, kv_num_heads = 1, update_rule = \"delta\"> (x, x2, x3, , , x4)",
       {{"x", {2, 3, 8}}, {"x2", {2, 3, 4}}, {"x3", {2, 3, 3}}, {"x4", {2, 3, 1}}},
       "y, z"},
      {"LinearAttention",
       "y, z = LinearAttention <q_num_heads = 4, kv_num_heads = 2> (x, x2, x3, , x4, x5)",
       {{"x", {2, 3, 8}}, {"x2", {2, 3, 4}}, {"x3", {2, 3, 6}}, {"x4", {2, 3, 4}}, {"x5", {2, 3, 2}}},
       "y, z"},
      {"LinearAttention",
       "y, z = LinearAttention <q_num_heads = 1, kv_num_heads = 1, update_rule = \"linear\"> (x, x2, x3)",
       {{"x", {2, 0, 4}}, {"x2", {2, 0, 4}}, {"x3", {2, 0, 3}}},
       "y, z"},
  };
  return all;
}

/// Every input is a double that the model casts to the type.
std::string model_text(const Example& example, int opset, DType dtype) {
  std::string inputs, casts;
  for (const auto& [name, shape] : example.inputs) {
    std::string extents = to_string(std::span<const std::int64_t>(shape.begin(), shape.size()));
    if (shape.empty()) extents.clear();
    inputs += fmt::format("{}double{} {}_double", inputs.empty() ? "" : ", ", extents, name);
    casts += fmt::format("{0} = Cast <to = {1}> ({0}_double)\n", name, static_cast<int>(dtype));
  }
  return fmt::format(
      "<ir_version: 10, opset_import: [\"\" : {}]> g ({}) => ({}) <int64[2] axes = {{0, -1}}, int64 one = {{1}}, int64 "
      "minus = {{-1}}> {{\n{}{}\n}}",
      opset, inputs, example.outputs, casts, example.node);
}

std::vector<Value> random_inputs(const Example& example, DType dtype, std::mt19937& random) {
  const bool is_unsigned = dtype == DType::u8 || dtype == DType::u16 || dtype == DType::u32 || dtype == DType::u64;
  std::vector<Value> values;
  for (const auto& [name, shape] : example.inputs) {
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    std::vector<double> elements(static_cast<std::size_t>(size));
    for (double& element : elements) element = std::uniform_real_distribution<double>(is_unsigned ? 0 : -2, 2)(random);
    values.emplace_back(Tensor::of<double>(shape, std::span<const double>(elements)));
  }
  return values;
}

void PrintTo(const Example& example, std::ostream* out) { *out << example.node; }

class Functions : public testing::TestWithParam<Example> {};

/// A body rounds after each of its operators.
constexpr int kRoundings = 16;

void compare(const Example& example, const std::string& text, DType dtype, std::mt19937& random) {
  SCOPED_TRACE(text);
  const Result<Model> model = Model::from_text(text);
  ASSERT_TRUE(model.ok()) << model.error().to_string();
  const Result<Program> evaluated = Program::compile(*model, {.guarantee = Guarantee::exact, .kernels = Kernels::off});
  const Result<Program> expanded =
      Program::compile(*model, {.guarantee = Guarantee::exact, .expansion = Expansion::all, .kernels = Kernels::off});
  ASSERT_TRUE(evaluated.ok() && expanded.ok()) << (expanded.ok() ? "" : expanded.error().to_string());
  ASSERT_EQ(evaluated->expansions(), 0U);
  ASSERT_GE(expanded->expansions(), 1U);
  const std::vector<Value> inputs = random_inputs(example, dtype, random);
  const Result<std::vector<Value>> want = evaluated->run(inputs), got = expanded->run(inputs);
  ASSERT_TRUE(want.ok()) << want.error().to_string();
  ASSERT_TRUE(got.ok()) << got.error().to_string();
  for (std::size_t i = 0; i < want->size(); ++i)
    if (const auto difference = first_difference((*got)[i], (*want)[i],
                                                 allow_roundings({example.rtol, example.rtol}, (*want)[i], kRoundings)))
      ADD_FAILURE() << "output " << i << ": " << *difference;
}

TEST_P(Functions, AgreeWithTheirEvaluation) {
  const Example& example = GetParam();
  const ops::FunctionDef* row = ops::find_function("", example.name);
  ASSERT_NE(row, nullptr);
  std::mt19937 random(1);
  for (const int since : row->since) {
    if (since == 0) break;
    // Cast-6 is the first that takes the type by number.
    const int opset = std::max(since, 6);
    const ops::Schema* schema = ops::find_schema("", example.name, opset);
    ASSERT_TRUE(schema != nullptr && schema->since == since);
    for (int number = 1; number < kDTypeCount; ++number)
      if ((schema->inputs[0].types.tensor >> number & 1) != 0)
        compare(example, model_text(example, opset, static_cast<DType>(number)), static_cast<DType>(number), random);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Functions, testing::ValuesIn(examples()),
                         [](const auto& each) { return fmt::format("{}_{}", each.param.name, each.index); });

TEST(FunctionTable, EveryRowWithAnEvaluationHasAnExample) {
  for (const std::span<const ops::FunctionDef> rows : ops::function_table())
    for (const ops::FunctionDef& row : rows) {
      const bool has_example =
          std::any_of(examples().begin(), examples().end(), [&](const Example& each) { return each.name == row.name; });
      EXPECT_EQ(ops::find_op(row.domain, row.name) != nullptr, has_example) << row.name;
    }
}

TEST(FunctionTable, VersionsAreThoseOfTheSchemas) {
  for (const std::span<const ops::FunctionDef> rows : ops::function_table())
    for (const ops::FunctionDef& row : rows)
      for (const int since : row.since) {
        if (since == 0) break;
        const ops::Schema* schema = ops::find_schema(row.domain, row.name, since);
        EXPECT_TRUE(schema != nullptr && schema->since == since) << row.name << "-" << since;
      }
}

TEST(FunctionTable, LoopsAreExpandedOnTheirOwn) {
  const Result<Model> model = Model::from_text(
      "<ir_version: 10, opset_import: [\"\" : 22]> g (float[3] x) => (y, z) <int64 axis = {0}> { y = CumSum(x, axis)  "
      "z = Softplus(x) }");
  ASSERT_TRUE(model.ok()) << model.error().to_string();
  EXPECT_EQ(Program::compile(*model)->expansions(), 0U);
  EXPECT_EQ(Program::compile(*model, {.expansion = Expansion::loops})->expansions(), 1U);
  EXPECT_GE(Program::compile(*model, {.expansion = Expansion::all})->expansions(), 2U);
}

}  // namespace
}  // namespace pawl
