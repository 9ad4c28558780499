// The pipeline, in order.
#include "backend/cpu/accelerate.h"
#include "backend/cpu/threads.h"
#include "backend/reference/kernel_interpreter.h"
#include "backend/wgsl/chunked_call.h"
#include "backend/wgsl/shader_call.h"
#include "base/guard.h"
#include "base/try.h"
#include "graph/import.h"
#include "graph/infer.h"
#include "onnx/read.h"
#include "onnx/text.h"
#include "runtime/model.h"
#include "runtime/program.h"
#include "scan/pass.h"

namespace pawl {
namespace {

/// bytes or text → onnx::Model → graph::Graph
Result<std::shared_ptr<const Model::State>> import_model(Result<onnx::Model> decoded, std::string name,
                                                         graph::Problems* problems) {
  const auto place = [&](Error error) { return name.empty() ? error : std::move(error).in_file(name); };
  if (!decoded.ok()) return place(std::move(decoded).error());
  auto state = std::make_shared<Model::State>();
  state->onnx = std::move(decoded).value();
  Result<graph::Imported> imported = graph::import(state->onnx, problems);
  if (!imported.ok()) return place(std::move(imported).error());
  state->imported = std::move(imported).value();
  state->name = std::move(name);
  const graph::Graph& graph = *state->imported.graph;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const graph::ValueInfo& value = graph[graph.inputs[i]];
    state->inputs.push_back({value.name, value.declared, state->imported.defaults[i].defined()});
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const onnx::ValueInfo& output = state->onnx.graph.outputs[i];
    // What was inferred holds; what the file declares fills the gaps, and says whether an optional is meant.
    const Type& inferred = graph[graph.outputs[i]].fact.type;
    const bool is_element = inferred.is_optional() && output.type.known() && !output.type.is_optional();
    state->outputs.push_back({output.name, is_element ? output.type : graph::meet(inferred, output.type), false});
  }
  return std::shared_ptr<const Model::State>(std::move(state));
}

/// A kernel that is not compiled, but run by its definition.
Result<cpu::KernelCall> interpreted(const kernel::Program& program) {
  return cpu::KernelCall([&program](std::span<const cpu::KernelMemory> memory, std::span<const std::int64_t> params,
                                    cpu::Meeting* meeting) {
    std::vector<reference::Memory> buffers;
    for (const cpu::KernelMemory& each : memory) buffers.push_back({each.data, each.size});
    const reference::Meet meet = [meeting] { meeting->wait(); };
    return reference::run_kernel(program, buffers, params, std::nullopt, reference::LaneOrder::forward,
                                 meeting == nullptr ? reference::Meet() : meet);
  });
}

}  // namespace

Result<Model> Model::load(const std::filesystem::path& path) {
  return guard([&]() -> Result<Model> {
    TRY_ASSIGN(auto state, import_model(onnx::read_model(path), path.string(), nullptr));
    return Model(std::move(state));
  });
}

Result<Model> Model::from_bytes(std::span<const std::byte> bytes, const std::filesystem::path& folder) {
  return guard([&]() -> Result<Model> {
    auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
    const onnx::Bytes owned{{copy->data(), copy->size()}, copy};
    TRY_ASSIGN(auto state, import_model(onnx::decode(owned, folder), "", nullptr));
    return Model(std::move(state));
  });
}

Result<Model> Model::from_text(std::string_view text, const std::filesystem::path& folder) {
  return guard([&]() -> Result<Model> {
    TRY_ASSIGN(auto state, import_model(onnx::parse_text(text, folder), "", nullptr));
    return Model(std::move(state));
  });
}

std::vector<Error> Model::check(const std::filesystem::path& path) {
  graph::Problems problems;
  const Result<Model> loaded = guard([&]() -> Result<Model> {
    TRY_ASSIGN(auto state, import_model(onnx::read_model(path), "", &problems));
    return Model(std::move(state));
  });
  if (!loaded.ok() && problems.empty()) problems.push_back(loaded.error());
  for (Error& problem : problems) static_cast<void>(std::move(problem).in_file(path.string()));
  return problems;
}

Result<Program> Program::compile(const Model& model, const CompileOptions& options) {
  return guard([&]() -> Result<Program> {
    auto state = std::make_shared<State>();
    state->model = model.state_;
    state->guarantee = options.guarantee;
    state->expansions = state->model->imported.expanded;
    auto graph = std::shared_ptr<const graph::Graph>(state->model, state->model->imported.graph.get());
    if (options.expansion != Expansion::needed) {
      TRY_ASSIGN(graph::Imported expanded,
                 graph::import(state->model->onnx, nullptr, {.expansion = options.expansion}));
      state->expansions = expanded.expanded;
      graph = std::move(expanded.graph);
    }
    TRY(graph::verify(*graph));
    if (options.rewrite) {
      const auto runner = options.kernels == Kernels::off ? scan::Runner::interpreter : scan::Runner::kernel;
      Result<graph::Graph> rewritten = scan::run_passes(*graph, runner);
      if (rewritten.ok()) graph = std::make_shared<const graph::Graph>(std::move(rewritten).value());
      // What is sure to fail once it runs is left to fail there, if it ever does.
      else if (rewritten.error().code == Code::internal)
        return rewritten.error();
    }
    if (options.parts > 0) {
      TRY_ASSIGN(state->facts, scan::analyse(*graph));
      TRY_ASSIGN(state->reference,
                 reference::prepare_in_parts(*graph, state->facts, static_cast<std::size_t>(options.parts),
                                             cpu::is_accelerated));
    } else {
      TRY_ASSIGN(state->reference, reference::prepare(*graph, options.kernels != Kernels::off, cpu::is_accelerated));
    }
    state->threads = options.threads > 0 ? options.threads : cpu::usable_cores();
    if (options.kernels != Kernels::off) {
      cpu::ScanKernelOptions kernels;
      kernels.threads = state->threads;
      kernels.policy.exact = options.guarantee == Guarantee::exact;
      kernels.chunks.rows = options.parts;
      if (options.parts > 0) {
        kernels.policy.vector = 2;
        kernels.policy.near = 0;
        kernels.policy.shared_work = 1;
      }
      kernels.compile = options.kernels == Kernels::compiled ? cpu::machine_code() : interpreted;
      if (options.kernels == Kernels::webgpu) {
        TRY_ASSIGN(std::shared_ptr<wgsl::Device> device, wgsl::Device::open());
        const bool exact = kernels.policy.exact;
        kernels.policy = wgsl::shader_policy();
        kernels.policy.exact = exact;
        kernels.threads = 1;
        kernels.chunks.most_lanes = 0;
        kernels.turns = false;
        kernels.first = wgsl::chunked_scans(device, exact && options.parts == 0, options.parts);
        kernels.compile = wgsl::shaders(std::move(device));
      }
      state->kernels = std::make_unique<cpu::ScanKernels>(std::move(kernels));
    }
    state->graph = std::move(graph);
    return Program(std::move(state));
  });
}

}  // namespace pawl
