// Drafts of packages, run by what kernels mean, against the evaluator: forms and copies, strides and directions, states
// in other orders, buffers that were put together. And the same kernels for extents that no draft was made for.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "backend/reference/kernel_interpreter.h"
#include "graph/specialise.h"
#include "package/lower_graph.h"
#include "package/unify.h"
#include "pawl/program.h"
#include "runtime/model.h"
#include "scan/pass.h"

namespace pawl::package {
namespace {

using BufferKind = wgsl::PassBuffer::Kind;
using Extents = std::vector<std::pair<std::string, std::int64_t>>;

std::int64_t size_of_shape(const Dims& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return size;
}

/// Kernels one after the other, and the memory that they run in; floats alone.
struct KernelRun {
  struct Step {
    const kernel::Program* program = nullptr;
    std::vector<std::size_t> buffers;
    std::vector<std::int64_t> params;
  };
  std::vector<DraftBuffer> buffers;
  std::vector<Step> steps;
  std::vector<std::vector<float>> memory;

  void begin(const std::vector<std::uint32_t>& constants) {
    for (const DraftBuffer& buffer : buffers)
      memory.emplace_back(static_cast<std::size_t>(size_of_shape(buffer.shape)), std::nanf(""));
    std::memcpy(memory[0].data(), constants.data(), 4 * constants.size());
  }
  std::size_t at(const std::string& name) const {
    std::size_t found = 0;
    while (buffers[found].name != name) ++found;
    return found;
  }
  void run() {
    for (const Step& step : steps) {
      std::vector<reference::Memory> bound;
      for (const std::size_t each : step.buffers)
        bound.push_back({memory[each].data(), static_cast<std::int64_t>(memory[each].size())});
      const Result<void> run = reference::run_kernel(*step.program, bound, step.params);
      ASSERT_TRUE(run.ok()) << run.error().to_string();
    }
  }
};

float number(std::size_t input, std::int64_t i) {
  return static_cast<float>(std::sin(static_cast<double>(7 * i + 3 + static_cast<std::int64_t>(input)))) / 2;
}

class PackageRun : public ::testing::Test {
 protected:
  void load(const std::string& text) {
    Result<Model> loaded = Model::from_text(text);
    ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
    model_ = std::move(*loaded);
    for (const Port& port : model_->inputs()) keys_.inputs.push_back(port.name);
    for (const Port& port : model_->outputs()) keys_.outputs.push_back(port.name);
  }

  Draft draft_at(const Extents& extents) {
    Result<graph::Graph> rewritten = scan::run_passes(*model_->state().imported.graph, scan::Runner::kernel);
    EXPECT_TRUE(rewritten.ok());
    Result<graph::Graph> graph = graph::specialise(*rewritten, extents);
    EXPECT_TRUE(graph.ok());
    Result<Draft> draft = lower(*graph, keys_, Chunks::none);
    EXPECT_TRUE(draft.ok()) << draft.error().to_string();
    return std::move(*draft);
  }

  /// Runs the kernels and compares what they give.
  void check(KernelRun run, const std::vector<std::uint32_t>& constants) {
    run.begin(constants);
    std::vector<Value> inputs;
    for (std::size_t i = 0; i < keys_.inputs.size(); ++i) {
      const std::size_t at = run.at(keys_.inputs[i]);
      std::vector<float>& data = run.memory[at];
      for (std::size_t k = 0; k < data.size(); ++k) data[k] = number(i, static_cast<std::int64_t>(k));
      inputs.emplace_back(Tensor::of<float>(run.buffers[at].shape, data));
    }
    run.run();
    CompileOptions options;
    options.kernels = Kernels::off;
    options.guarantee = Guarantee::exact;
    const Result<Program> program = Program::compile(*model_, options);
    ASSERT_TRUE(program.ok());
    const Result<std::vector<Value>> expected = program->run(inputs);
    ASSERT_TRUE(expected.ok()) << expected.error().to_string();
    for (std::size_t k = 0; k < keys_.outputs.size(); ++k) {
      const std::vector<float>& got = run.memory[run.at(keys_.outputs[k])];
      const std::span<const float> want = (*expected)[k].tensor().values<float>();
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], want[i], 1e-5 + 1e-4 * std::abs(want[i])) << keys_.outputs[k] << " " << i;
    }
  }

  /// As drafts, and as kernels of one form at extents that are none of the points'.
  void check_all(const std::vector<std::string>& symbols, const std::vector<std::vector<std::int64_t>>& places) {
    const Points points(symbols.size());
    const auto named = [&](const std::vector<std::int64_t>& place) {
      Extents extents;
      for (std::size_t i = 0; i < symbols.size(); ++i) extents.emplace_back(symbols[i], place[i]);
      return extents;
    };
    std::vector<Draft> drafts;
    for (const auto& point : points.all()) drafts.push_back(draft_at(named(point)));
    std::vector<Unified> unified;
    for (std::size_t i = 0; i < drafts[0].passes.size(); ++i) {
      std::vector<Variant> variants;
      for (const Draft& draft : drafts) variants.push_back({&*draft.passes[i].program, draft.passes[i].program_params});
      std::vector<bool> same;
      std::optional<Unified> made = unify(points, variants, same);
      ASSERT_TRUE(made) << drafts[0].passes[i].id;
      EXPECT_TRUE(kernel::verify(made->program).ok());
      unified.push_back(std::move(*made));
    }
    for (const auto& place : places) {
      const Draft draft = draft_at(named(place));
      KernelRun run{draft.buffers, {}, {}};
      for (const DraftPass& pass : draft.passes)
        run.steps.push_back({&*pass.program, pass.buffers, pass.program_params});
      check(std::move(run), draft.constants);
      KernelRun one{drafts[0].buffers, {}, {}};
      for (std::size_t i = 0; i < one.buffers.size(); ++i)
        for (std::size_t axis = 0; axis < one.buffers[i].shape.size(); ++axis) {
          std::vector<std::int64_t> numbers;
          for (const Draft& each : drafts) numbers.push_back(each.buffers[i].shape[axis]);
          const std::optional<Polynomial> extent = points.fit(numbers);
          ASSERT_TRUE(extent);
          one.buffers[i].shape[axis] = extent->at(place);
        }
      for (std::size_t i = 0; i < unified.size(); ++i) {
        std::vector<std::int64_t> params;
        for (const Polynomial& each : unified[i].params) params.push_back(each.at(place));
        one.steps.push_back({&unified[i].program, drafts[0].passes[i].buffers, std::move(params)});
      }
      check(std::move(one), drafts[0].constants);
    }
  }

  std::optional<Model> model_;
  Keys keys_;
};

constexpr const char* kHead = "<ir_version: 8, opset_import: [\"\" : 17]>\n";

TEST_F(PackageRun, ScansOfBothDirections) {
  load(std::string(kHead) + R"(m (float[B,C] s0, float[B,T,C] x) => (float[B,C] s, float[B,C,T] y, float[T,B,C] z) {
  s, y, z = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1], scan_output_axes = [-1, 0],
      scan_output_directions = [0, 1], body = step (float[B,C] p, float[B,C] e) => (float[B,C] n, float[B,C] o, float[B,C] q) {
    h = Mul(p, e)  n = Add(h, e)  o = Neg(n)  q = Mul(n, p) }> (s0, x) })");
  check_all({"B", "C", "T"}, {{3, 5, 7}, {1, 1, 1}, {2, 9, 0}});
}

TEST_F(PackageRun, GroupsOfNodesInStages) {
  load(std::string(kHead) + R"(m (float[N,K] x, float[K] g) => (float[N,K] y, float[K,N] t)
      <int64[1] last = {1}, float small = {0.001}, float[3] odd = {1, 2, 4}> {
    mean = ReduceMean <axes = [1]> (x)  centred = Sub(x, mean)  squares = Mul(centred, centred)
    variance = ReduceMean <axes = [1]> (squares)  safe = Add(variance, small)  root = Sqrt(safe)
    normal = Div(centred, root)  scaled = Mul(normal, g)  y = Softmax <axis = 1> (scaled)
    t = Transpose <perm = [1, 0]> (y) })");
  check_all({"N", "K"}, {{3, 11}, {1, 1}, {20, 2}});
}

TEST_F(PackageRun, MoreBuffersThanADeviceBinds) {
  std::string inputs, given, body, sum = "p";
  for (int i = 0; i < 10; ++i) {
    inputs += ", float[T,C] x" + std::to_string(i);
    given += ", x" + std::to_string(i);
    body += ", float[C] e" + std::to_string(i);
  }
  std::string adds;
  for (int i = 0; i < 10; ++i) {
    const std::string next = i == 9 ? "n" : "a" + std::to_string(i);
    adds += next + " = Add(" + sum + ", e" + std::to_string(i) + ")  ";
    sum = next;
  }
  load(std::string(kHead) + "m (float[C] s0" + inputs +
       ") => (float[C] s, float[T,C] y) { s, y = Scan <num_scan_inputs = 10, body"
       " = step (float[C] p" +
       body + ") => (float[C] n, float[C] o) { " + adds + " o = Identity(n) }> (s0" + given + ") }");
  const Draft draft = draft_at({{"T", 5}, {"C", 3}});
  for (const DraftPass& pass : draft.passes) EXPECT_LE(pass.buffers.size(), 8U) << pass.id;
  check_all({"T", "C"}, {{5, 3}, {1, 1}, {0, 4}});
}

TEST_F(PackageRun, ConstantsAndGivenOutputs) {
  load(std::string(kHead) + R"(m (float[T,3] x) => (float[3] s, float[T,3] y, float[T,3] same)
      <float[3] weights = {0.5, -1.25, 2}> {
    zeros = Constant <value_floats = [0.0, 0.0, 0.0]> ()
    s, y = Scan <num_scan_inputs = 1, body = step (float[3] p, float[3] e) => (float[3] n, float[3] o) {
      k = Mul(p, weights)  n = Add(k, e)  o = Sub(n, weights) }> (zeros, x)
    same = Identity(x) })");
  check_all({"T"}, {{4}, {1}, {0}});
}

}  // namespace
}  // namespace pawl::package
