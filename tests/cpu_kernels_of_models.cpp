#include "cpu_kernels_of_models.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "backend/cpu/scan_kernels.h"
#include "backend/reference/evaluate.h"
#include "graph/import.h"
#include "onnx/text.h"
#include "scan/pass.h"

namespace pawl::cpu {
namespace {

/// What comments say of symbols.
std::map<std::string, std::int64_t> extents_in(const std::string& text) {
  std::map<std::string, std::int64_t> extents;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("# ")) continue;
    std::istringstream words(line.substr(2));
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos || word.find_first_not_of("0123456789", equals + 1) != std::string::npos) break;
      extents[word.substr(0, equals)] = std::stoll(word.substr(equals + 1));
    }
  }
  return extents;
}

Result<Value> zeros(const Type& type, const std::map<std::string, std::int64_t>& extents) {
  Dims shape;
  for (const Dim& dim : type.shape.value_or(SymbolicShape{})) {
    const auto known = extents.find(dim.symbol);
    if (dim.value < 0 && known == extents.end()) return fail(Code::bad_argument, "no extent for {}", dim.symbol);
    shape.push_back(dim.value >= 0 ? dim.value : known->second);
  }
  TRY_ASSIGN(Tensor tensor, Tensor::allocate(type.dtype, shape));
  std::memset(tensor.mutable_bytes(), 0, static_cast<std::size_t>(tensor.size()) * size_of(tensor.dtype()));
  return Value(std::move(tensor));
}

}  // namespace

Result<void> for_each_kernel(const std::filesystem::path& model, Guarantee guarantee, int threads,
                             const std::function<Result<void>(const kernel::Program&)>& see) {
  std::ostringstream text;
  text << std::ifstream(model).rdbuf();
  TRY_ASSIGN(const onnx::Model decoded, onnx::parse_text(text.str(), model.parent_path()));
  TRY_ASSIGN(const graph::Imported imported, graph::import(decoded, nullptr));
  TRY_ASSIGN(const graph::Graph graph, scan::run_passes(*imported.graph, scan::Runner::kernel));
  TRY_ASSIGN(const auto prepared, reference::prepare(graph, true));
  ScanKernelOptions options;
  options.threads = threads;
  options.policy.exact = guarantee == Guarantee::exact;
  Result<void> seen;
  options.compile = [&](const kernel::Program& program) -> Result<KernelCall> {
    if (seen.ok()) seen = see(program);
    return KernelCall(
        [](std::span<const KernelMemory>, std::span<const std::int64_t>, Meeting*) -> Result<void> { return {}; });
  };
  ScanKernels kernels(std::move(options));
  std::vector<Value> inputs;
  const auto extents = extents_in(text.str());
  for (const graph::ValueId input : graph.inputs) {
    TRY_ASSIGN(inputs.emplace_back(), zeros(graph[input].declared, extents));
  }
  reference::EvaluateOptions evaluating;
  evaluating.scans = &kernels;
  TRY(reference::evaluate(*prepared, std::move(inputs), evaluating));
  return seen;
}

std::vector<std::filesystem::path> models_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> models;
  for (const auto& each : std::filesystem::directory_iterator(folder))
    if (each.path().extension() == ".onnxtxt") models.push_back(each.path());
  std::sort(models.begin(), models.end());
  return models;
}

}  // namespace pawl::cpu
