// Random bodies: the model as it is, rewritten, written out by `optimize`, and in parts give the same.
//   body_fuzz [SECONDS] [FIRST_SEED] [STEP]   a failing model is cut down and printed; exit 1
// A step of 4 stays with one kind: 0 Scans, 1 loops around loops, 2 Loops that are counted, 3 linear steps.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/try.h"
#include "counted_body.h"
#include "linear_body.h"
#include "loop_body.h"
#include "onnx/text.h"
#include "onnx/write.h"
#include "pawl/explain.h"
#include "pawl/model.h"
#include "pawl/optimize.h"
#include "pawl/program.h"
#include "tensor/compare.h"

namespace pawl::tests {
namespace {

using Outputs = Result<std::vector<Value>>;

/// The evaluator, and the graph as the file has it.
constexpr CompileOptions kPlain{.guarantee = Guarantee::exact, .rewrite = false, .kernels = Kernels::off};

Outputs run(const Model& model, const CompileOptions& options, const std::vector<Value>& inputs) {
  TRY_ASSIGN(const Program program, Program::compile(model, options));
  Outputs outputs = program.run(inputs);
  for (const std::string& line : program.kernel_report())
    if (line.find("internal error") != std::string::npos) return fail(Code::internal, "{}", line);
  return outputs;
}

/// In words, where `got` is not `want`.
std::optional<std::string> differs(const Outputs& want, const Outputs& got, Tolerance tolerance) {
  if (!want.ok() && !got.ok()) return std::nullopt;
  if (want.ok() != got.ok()) return "one fails: " + (want.ok() ? got.error() : want.error()).to_string();
  for (std::size_t i = 0; i < want->size(); ++i)
    if (const auto difference = first_difference((*got)[i], (*want)[i], tolerance))
      return fmt::format("output {}: {}", i, *difference);
  return std::nullopt;
}

/// Where what `optimize` writes goes wrong.
std::optional<std::string> optimized_problem(const Model& model, const Outputs& want, const std::vector<Value>& inputs,
                                             bool parallel_scan) {
  OptimizeOptions options;
  options.parallel_scan = parallel_scan;
  options.exact = !parallel_scan;
  const Result<std::string> bytes = optimize(model, options);
  if (!bytes.ok()) return "not written: " + bytes.error().to_string();
  const Result<Model> again = Model::from_bytes(std::as_bytes(std::span(*bytes)));
  if (!again.ok()) return "not read: " + again.error().to_string();
  return differs(want, run(*again, kPlain, inputs), {0, 0});
}

/// Where a way of running a model goes wrong, or nothing.
std::optional<std::string> problem(const RandomModel& random, bool with_floats) {
  const Result<std::string> bytes = onnx::encode(random.model);
  if (!bytes.ok()) return std::nullopt;
  const Result<Model> model = Model::from_bytes(std::as_bytes(std::span(*bytes)));
  if (!model.ok()) return std::nullopt;
  const Outputs want = run(*model, kPlain, random.inputs);
  if (const auto wrong =
          differs(want, run(*model, {.guarantee = Guarantee::exact, .kernels = Kernels::off}, random.inputs), {0, 0}))
    return "rewritten: " + *wrong;
  for (const Kernels kernels : {Kernels::interpreted, Kernels::compiled})
    if (const auto wrong =
            differs(want, run(*model, {.guarantee = Guarantee::exact, .kernels = kernels, .threads = 2}, random.inputs),
                    {0, 0}))
      return (kernels == Kernels::compiled ? "as compiled kernels: " : "as kernels: ") + *wrong;
  if (!want.ok()) return std::nullopt;
  if (const auto wrong = optimized_problem(*model, want, random.inputs, false)) return "optimized: " + *wrong;
  if (with_floats) return std::nullopt;
  if (const auto wrong = optimized_problem(*model, want, random.inputs, true)) return "with chains: " + *wrong;
  for (const int parts : {1, 2, 3}) {
    for (const Kernels kernels : {Kernels::off, Kernels::interpreted}) {
      const CompileOptions options{.guarantee = Guarantee::exact, .kernels = kernels, .threads = 2, .parts = parts};
      if (const auto wrong = differs(want, run(*model, options, random.inputs), {0, 0}))
        return fmt::format("in {} {}: {}", parts, kernels == Kernels::off ? "parts" : "chunks", *wrong);
    }
  }
  return std::nullopt;
}

/// Whether the body was understood, so that parts of it were put together by its class.
bool has_class(const RandomModel& random) {
  const Result<std::string> bytes = onnx::encode(random.model);
  const Result<Model> model = Model::from_bytes(std::as_bytes(std::span(*bytes)));
  if (!model.ok()) return false;
  const Result<Explanation> explanation = explain(*model);
  return explanation.ok() && explanation->text.find("sequential  ") == std::string::npos;
}

/// Every way to take one node out: the value it makes becomes a constant, or goes.
std::vector<std::shared_ptr<const onnx::Graph>> smaller(const onnx::Graph& graph) {
  std::vector<std::shared_ptr<const onnx::Graph>> made;
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    auto without = std::make_shared<onnx::Graph>(graph);
    const onnx::Node& node = graph.nodes[n];
    for (std::size_t i = 0; i < node.attributes.size(); ++i) {
      const auto* body = std::get_if<std::shared_ptr<const onnx::Graph>>(&node.attributes[i].payload);
      if (body == nullptr) continue;
      for (auto& inner : smaller(**body)) {
        auto with = std::make_shared<onnx::Graph>(graph);
        with->nodes[n].attributes[i].payload = std::move(inner);
        made.push_back(std::move(with));
      }
    }
    without->nodes.erase(without->nodes.begin() + static_cast<std::ptrdiff_t>(n));
    made.push_back(std::move(without));
    // Its readers read what it read.
    if (node.outputs.size() != 1) continue;
    for (const std::string& input : node.inputs) {
      auto bypassed = std::make_shared<onnx::Graph>(graph);
      bypassed->nodes[n] = onnx::Node();
      bypassed->nodes[n].op_type = "Identity";
      bypassed->nodes[n].inputs = {input};
      bypassed->nodes[n].outputs = node.outputs;
      if (node.op_type != "Identity") made.push_back(std::move(bypassed));
    }
  }
  return made;
}

void shrink(RandomModel& random, bool with_floats) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& graph : smaller(random.model.graph)) {
      RandomModel candidate = random;
      candidate.model.graph = *graph;
      if (!problem(candidate, with_floats)) continue;
      random = std::move(candidate);
      changed = true;
      break;
    }
  }
}

/// The inputs, flat, one a line.
std::string words(const std::vector<Value>& inputs) {
  std::string text;
  for (const Value& input : inputs) {
    const Tensor& tensor = input.tensor();
    text += to_string(type_of(input)) + " {";
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      text += i == 0 ? "" : ", ";
      if (tensor.dtype() == DType::i64) text += std::to_string(tensor.data<std::int64_t>()[i]);
      if (tensor.dtype() == DType::f32) text += std::to_string(tensor.data<float>()[i]);
      if (tensor.dtype() == DType::boolean) text += tensor.data<bool>()[i] ? "1" : "0";
    }
    text += "}\n";
  }
  return text;
}

/// Whether no Loop is left of a model.
bool is_raised(const RandomModel& random) {
  const Result<std::string> bytes = onnx::encode(random.model);
  const Result<Model> model = Model::from_bytes(std::as_bytes(std::span(*bytes)));
  const Result<Explanation> explanation = explain(*model, {});
  return explanation.ok() && explanation->text.find("stays a Loop") == std::string::npos;
}

int fuzz(double seconds, std::uint32_t seed, std::uint32_t step) {
  const auto start = std::chrono::steady_clock::now();
  std::uint32_t count = 0;
  std::uint32_t looked_at = 0;
  std::uint32_t classes = 0;
  std::uint32_t counted = 0;
  std::uint32_t raised = 0;
  for (;; seed += step, ++count) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (passed.count() > seconds) break;
    const bool is_linear = seed % 4 == 3;
    const bool is_loop = seed % 4 == 1;
    const bool with_floats = !is_linear && !is_loop && seed % 4 != 2 && seed % 3 != 0;
    const bool is_counted = seed % 4 == 2;
    RandomModel random = is_linear    ? linear_model(seed)
                         : is_loop    ? loop_model(seed)
                         : is_counted ? counted_model(seed)
                                      : random_model(seed, with_floats);
    if (!problem(random, with_floats)) {
      if (is_counted && seed % 64 == 2) {
        ++counted;
        raised += is_raised(random) ? 1 : 0;
      }
      if (seed % 64 != 3) continue;
      ++looked_at;
      classes += has_class(random) ? 1 : 0;
      continue;
    }
    shrink(random, with_floats);
    const std::string text = fmt::format("seed {}: {}\n{}\n{}", seed, *problem(random, with_floats),
                                         onnx::print_text(random.model), words(random.inputs));
    static_cast<void>(std::fputs(text.c_str(), stdout));
    return 1;
  }
  static_cast<void>(
      std::fputs(fmt::format("{} bodies agree; of {} linear ones {} have a class, of {} Loops {} are Scans\n", count,
                             looked_at, classes, counted, raised)
                     .c_str(),
                 stdout));
  return 0;
}

}  // namespace
}  // namespace pawl::tests

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 10;
  const auto seed = static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  const auto step = static_cast<std::uint32_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1);
  return pawl::tests::fuzz(seconds, seed, step);
}
