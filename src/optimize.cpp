// bytes → graph → (scan passes, standard forms) → onnx::Model → bytes.
#include "pawl/optimize.h"

#include <algorithm>

#include "base/guard.h"
#include "base/try.h"
#include "graph/export.h"
#include "graph/specialise.h"
#include "onnx/write.h"
#include "runtime/model.h"
#include "scan/standard/standard_form.h"

namespace pawl {
namespace {

std::int64_t opset_of(const onnx::Model& model) {
  for (const onnx::OpsetImport& import : model.opset_imports)
    if (import.domain.empty() || import.domain == "ai.onnx") return import.version;
  return 1;
}

/// A product's own operator is so young that a model is not raised to its opset for it.
std::int64_t newest_allowed(const onnx::Model& original, const OptimizeOptions& options) {
  constexpr std::int64_t kBeforeCumProd = 25;
  return options.opset != 0 ? options.opset : std::max(opset_of(original), kBeforeCumProd);
}

Result<onnx::Model> rewrite(const graph::Graph& graph, const onnx::Model& original, const OptimizeOptions& options,
                            std::vector<scan::Note>& notes) {
  const scan::StandardForms forms{newest_allowed(original, options), options.parallel_scan, options.exact};
  TRY_ASSIGN(const graph::Graph best, scan::run_standard_forms(graph, scan::Runner::interpreter, forms, &notes));
  const graph::ExportOptions as{options.opset, !options.dims.empty()};
  Result<onnx::Model> made = graph::to_model(best, original, as);
  if (made.ok() || made.error().code != Code::unsupported) return made;
  // An old opset may have words for the loops where it has none for what they become, and for those that were there.
  TRY_ASSIGN(const graph::Graph loops, scan::run_passes(graph, scan::Runner::interpreter));
  Result<onnx::Model> with_loops = graph::to_model(loops, original, as);
  if (with_loops.ok()) return with_loops;
  Result<onnx::Model> unchanged = graph::to_model(graph, original, as);
  return unchanged.ok() ? std::move(unchanged) : std::move(made);
}

/// What became of states. What several rounds say is said once.
void add_lines(const std::vector<scan::Note>& notes, std::vector<std::string>& lines) {
  for (const scan::Note& note : notes) {
    if (note.what != "replaced" && note.what != "kept") continue;
    std::string line = fmt::format("{}: state {}: {}", note.scan, note.node, note.why);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
}

}  // namespace

Result<std::string> optimize(const Model& model, const OptimizeOptions& options) {
  return guard([&]() -> Result<std::string> {
    if (options.exact && options.parallel_scan)
      return fail(Code::bad_argument, "a parallel scan adds floats up in another order: it is not exact");
    const Model::State& state = model.state();
    std::vector<scan::Note> notes;
    Result<onnx::Model> made = onnx::Model();
    if (options.dims.empty()) {
      made = rewrite(*state.imported.graph, state.onnx, options, notes);
    } else {
      TRY_ASSIGN(const graph::Graph graph, graph::specialise(*state.imported.graph, options.dims));
      made = rewrite(graph, state.onnx, options, notes);
    }
    if (!made.ok()) return made.error();
    if (options.notes != nullptr) add_lines(notes, *options.notes);
    return onnx::encode(*made);
  });
}

}  // namespace pawl
