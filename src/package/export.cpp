#include "pawl/export.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/guard.h"
#include "base/try.h"
#include "package/cases.h"
#include "package/readme.h"
#include "package/sha256.h"
#include "runtime/model.h"

namespace pawl {
namespace {

/// Shaders and manifest by one number: equal packages have the same.
std::string sha_of(const package::Files& files) {
  std::string all;
  for (const auto& [name, bytes] : files) all += fmt::format("{} {}\n", package::hex(package::sha256(bytes)), name);
  return package::hex(package::sha256(all)).substr(0, 40);
}

std::vector<std::string> scans_of(const graph::Graph& graph) {
  std::vector<std::string> lines;
  for (const graph::Node& node : graph.nodes)
    if (const auto* scan = std::get_if<graph::ScanOp>(&node.operation))
      lines.push_back(fmt::format("{}: {} states, {} elements, {} outputs, {} operators a step", node.label,
                                  scan->states, scan->elements, scan->outputs, scan->body.graph->nodes.size()));
  return lines;
}

}  // namespace

Result<std::map<std::string, std::string>> export_webgpu(const Model& model, const ExportOptions& options) {
  return guard([&]() -> Result<std::map<std::string, std::string>> {
    const package::CompileRequest request{options.name, options.dims};
    TRY_ASSIGN(const package::Compiled compiled, package::compile(model, request));
    TRY_ASSIGN(package::Manifest manifest, package::make_manifest(compiled.contents));
    package::Metadata metadata{"pawl." + options.name, options.version, options.license, sha_of(manifest.files),
                               options.tool};
    TRY_ASSIGN(std::string tests, package::test_text(compiled, model));
    manifest.files.emplace("test.json", std::move(tests));
    manifest.files.emplace("bench.json", package::bench_text(compiled));
    const bool has_weights = std::any_of(compiled.inputs.begin(), compiled.inputs.end(),
                                         [](const auto& port) { return port.weight.defined(); });
    if (has_weights) manifest.files.emplace(package::kWeightsFile, package::weights_file(compiled));
    manifest.files.emplace("metadata.json", package::metadata_text(metadata, manifest));
    std::map<std::string, std::string> files;
    for (auto& [name, bytes] : manifest.files) files.emplace("build/webgpu/" + name, std::move(bytes));
    const package::CardFacts facts{options.model, options.tool, options.dims, scans_of(*model.state().imported.graph)};
    files.emplace("README.md", package::readme_text(compiled, facts));
    return files;
  });
}

}  // namespace pawl
