// States that are matrices, larger than the first-level cache: kernels go through them in tiles.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "cpu_kernel_run.h"
#include "cpu_program_run.h"
#include "graph/import.h"
#include "graph/infer.h"
#include "kernel/fused_loop.h"
#include "onnx/text.h"

namespace pawl {
namespace {

using Extents = std::map<std::string, std::int64_t, std::less<>>;

std::string example(const std::string& name) {
  std::ifstream file(PAWL_SOURCE "/examples/recurrences/" + name + ".onnxtxt");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The columns of a state are the first axis of its matrix; elements are read from the last to the first; what a step
/// gives stands along the last axis.
constexpr const char* kTransposed = R"(<ir_version: 8, opset_import: ["" : 17]>
g (double[B,V,K] S0, double[B,T,K] q, double[T,B,K] k, double[T,B,V] v, double[T,B] a) => (double[B,V,K] S, double[B,V,T] y)
    <int64[1] middle = {1}, int64[1] last = {2}, int64[2] sides = {1, 2}> {
  S, y = Scan <num_scan_inputs = 4, scan_input_axes = [1, 0, 0, 0], scan_input_directions = [1, 1, 1, 1],
      scan_output_axes = [2],
    body = step (double[B,V,K] p, double[B,K] qe, double[B,K] ke, double[B,V] ve, double[B] ae) => (double[B,V,K] n, double[B,V] o) {
      gate = Unsqueeze(ae, sides)
      kept = Mul(gate, p)
      row = Unsqueeze(ke, middle)
      column = Unsqueeze(ve, last)
      added = Mul(column, row)
      n = Add(kept, added)
      query = Unsqueeze(qe, last)
      read = MatMul(n, query)
      o = Squeeze(read, last)
    }> (S0, q, k, v, a)
}
)";

/// A matrix, and a vector of which a lane has one number.
constexpr const char* kTwoStates = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[K,V] S0, float[V] m0, float[T,K] k, float[T,V] v) => (float[K,V] S, float[V] m, float[T,V] y)
    <int64[1] first = {0}, int64[1] last = {1}, float decay = {0.875}> {
  S, m, y = Scan <num_scan_inputs = 2,
    body = step (float[K,V] p, float[V] l, float[K] ke, float[V] ve) => (float[K,V] n, float[V] r, float[V] o) {
      column = Unsqueeze(ke, last)
      row = Unsqueeze(ve, first)
      added = Mul(column, row)
      kept = Mul(p, decay)
      n = Add(kept, added)
      r = Max(l, ve)
      read = MatMul(ke, n)
      o = Add(read, r)
    }> (S0, m0, k, v)
}
)";

Tensor random_tensor(const Type& type, const Extents& extents, std::mt19937& random) {
  Dims shape;
  for (const Dim& dim : *type.shape) shape.push_back(dim.known() ? dim.value : extents.find(dim.symbol)->second);
  Tensor made = *Tensor::allocate(type.dtype, shape);
  // Keys of about length 1, decays and rates below it.
  const auto number = [&] { return static_cast<double>(random() % 2001) / 8000.0 - (shape.size() < 3 ? 0 : 0.125); };
  if (type.dtype == DType::f64)
    for (double& each : made.mutable_values<double>()) each = number();
  else
    for (float& each : made.mutable_values<float>()) each = static_cast<float>(number());
  return made;
}

Values inputs_of(const Program& program, const Extents& extents) {
  std::mt19937 random(5);
  Values values;
  for (const Port& port : program.inputs()) values.emplace_back(random_tensor(port.type, extents, random));
  return values;
}

/// Operators that are functions are their bodies.
Result<Program> expanded(const std::string& text, CompileOptions options) {
  options.expansion = Expansion::loops;
  return compiled(text, options);
}

Values results(const std::string& text, CompileOptions options, const Extents& extents) {
  const Result<Program> program = expanded(text, options);
  if (!program.ok()) throw std::runtime_error(program.error().to_string());
  Result<Values> got = program->run(inputs_of(*program, extents));
  if (!got.ok()) throw std::runtime_error(got.error().to_string());
  for (const std::string& line : program->kernel_report())
    EXPECT_EQ(line.find("one kernel") == std::string::npos, options.kernels == Kernels::off) << line;
  return std::move(got).value();
}

/// Against the evaluator, with one thread and two.
void check(const std::string& text, const Extents& extents) {
  const Values want = results(text, {.kernels = Kernels::off}, extents);
  const Values one = results(text, {.threads = 1}, extents);
  expect_same(one, want, {1e-4, 1e-5}, "one thread");
  expect_same(results(text, {.threads = 2}, extents), one, {0, 0}, "two threads");
  expect_same(results(text, {.guarantee = Guarantee::exact, .threads = 2}, extents), want, {0, 0}, "exact");
}

class CompiledStateTiles : public cpu::CompilingTest {};

TEST_F(CompiledStateTiles, GiveWhatTheEvaluatorGives) {
  for (const char* name : {"linear_attention", "mamba2", "gated_linear_attention", "delta_rule", "gated_delta_rule"}) {
    SCOPED_TRACE(name);
    check(example(name), {{"T", 41}, {"H", 2}, {"K", 128}, {"V", 128}});
    check(example(name), {{"T", 13}, {"H", 1}, {"K", 256}, {"V", 192}});
  }
}

TEST_F(CompiledStateTiles, HaveAnyWidth) {
  const std::string text = example("gated_delta_rule");
  for (const std::int64_t columns : {16, 80, 96, 100, 144, 160, 320})
    check(text, {{"T", 15}, {"H", 1}, {"K", 144}, {"V", columns}});
  check(text, {{"T", 14}, {"H", 1}, {"K", 1024}, {"V", 48}});
}

TEST_F(CompiledStateTiles, GiveTheBitsOfTheInterpreter) {
  const Extents extents{{"T", 13}, {"H", 1}, {"K", 128}, {"V", 128}};
  const std::string text = example("gated_delta_rule");
  const Values want = results(text, {.kernels = Kernels::interpreted, .threads = 1}, extents);
  expect_same(results(text, {.threads = 2}, extents), want, {0, 0}, "compiled");
}

TEST_F(CompiledStateTiles, OfTheStandardsOperator) {
  const std::string text = example("linear_attention_operator");
  check(text, {{"T", 33}, {"B", 2}, {"H", 2}, {"K", 128}, {"V", 128}, {"D", 256}});
}

TEST_F(CompiledStateTiles, OfOtherLayouts) {
  check(kTransposed, {{"T", 37}, {"B", 2}, {"K", 96}, {"V", 128}});
  check(kTransposed, {{"T", 37}, {"B", 1}, {"K", 128}, {"V", 256}});
  check(kTwoStates, {{"T", 37}, {"K", 128}, {"V", 128}});
}

/// Few steps at a time are done without tiles: where states lie changes no bit.
TEST_F(CompiledStateTiles, GiveTheBitsOfFewSteps) {
  const Extents extents{{"T", 42}, {"H", 2}, {"K", 128}, {"V", 128}};
  const Result<Program> program = expanded(example("gated_delta_rule"), {.threads = 2});
  ASSERT_TRUE(program.ok());
  const Values inputs = inputs_of(*program, extents);
  const Result<Values> whole = program->run(inputs);
  ASSERT_TRUE(whole.ok());
  Value state = inputs[0];
  for (std::int64_t t = 0; t < 42; t += 7) {
    Values part{state};
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      const Tensor& all = inputs[i].tensor();
      Dims shape = all.shape();
      shape[0] = 7;
      part.emplace_back(all.view(shape, all.strides(), t * all.strides()[0]));
    }
    Result<Values> got = program->run(part);
    ASSERT_TRUE(got.ok()) << got.error().to_string();
    state = std::move((*got)[0]);
  }
  EXPECT_FALSE(first_difference(state, (*whole)[0], {0, 0}));
}

/// The width of the state's tiles in the kernel of linear attention.
std::int64_t tile(std::int64_t rows, std::int64_t columns, bool many_steps) {
  const Result<onnx::Model> model = onnx::parse_text(example("mamba2"));
  const Result<graph::Imported> imported = graph::import(*model);
  const graph::Graph& graph = *imported->graph;
  const graph::ScanOp& scan = std::get<graph::ScanOp>(graph.nodes.back().operation);
  const auto fact = [](const Dims& shape) { return ops::Fact{Type::tensor(DType::f32, shape), std::nullopt}; };
  std::vector<ops::Fact> captured;
  captured.reserve(scan.body.captures.size());
  for (const graph::Capture& capture : scan.body.captures) captured.push_back(graph[capture.outer].fact);
  const Result<std::vector<ops::Fact>> facts = graph::infer_graph(
      *scan.body.graph, {fact({2, rows, columns}), fact({2, rows}), fact({2, rows}), fact({2, columns}), fact({2})},
      std::move(captured));
  kernel::FusedLoopPolicy policy;
  policy.many_steps = many_steps;
  const Result<kernel::Lowering> made = kernel::lower_fused_loop(scan, *facts, {true, true}, policy);
  for (const kernel::Binding& binding : made->loop->bindings)
    if (binding.kind == kernel::Binding::Kind::state) return binding.tile;
  return -1;
}

TEST(StateTiles, StayInTheFirstLevelCache) {
  EXPECT_EQ(tile(64, 64, true), 0);
  EXPECT_EQ(tile(128, 128, true), 64);
  EXPECT_EQ(tile(128, 128, false), 0);
  EXPECT_EQ(tile(256, 256, true), 32);
  EXPECT_EQ(tile(512, 512, true), 16);
  EXPECT_EQ(tile(144, 160, true), 32);
  EXPECT_EQ(tile(144, 144, true), 0);
}

}  // namespace
}  // namespace pawl
