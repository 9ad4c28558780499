// bytes → graph → (scan passes) → facts → plan → words.
#include "pawl/explain.h"

#include <algorithm>

#include "base/guard.h"
#include "base/try.h"
#include "graph/import.h"
#include "graph/specialise.h"
#include "plan/explain.h"
#include "plan/explain_svg.h"
#include "runtime/model.h"

namespace pawl {
namespace {

/// What became of a Scan that is no longer there.
std::string gone(const std::string& label, const std::vector<scan::Note>& notes) {
  std::string text = label + "  a map: no step needs another, and all of it runs for all steps at once\n";
  for (const scan::Note& note : notes)
    if (note.scan == label) text += fmt::format("  {:<22} {}: {}\n", note.what, note.node, note.why);
  return text;
}

/// Loops that no facts are told of.
void add_others(const graph::Graph& graph, std::string& text) {
  for (const graph::Node& node : graph.nodes) {
    const auto* scan = std::get_if<graph::ScanOp>(&node.operation);
    std::string_view words;
    if (scan != nullptr && scan->batched) words = "version 8: runs as it is, row by row of the batch";
    if (std::holds_alternative<graph::LoopOp>(node.operation)) words = "stays a Loop: runs as it is, step after step";
    if (!words.empty()) text += fmt::format("{}{}  {}\n", text.empty() ? "" : "\n", node.label, words);
    graph::for_each_body(node, [&](const graph::Body& body, std::string_view) { add_others(*body.graph, text); });
  }
}

Result<Explanation> explain_graph(const graph::Graph& graph, const ExplainOptions& options) {
  std::vector<scan::Note> notes;
  TRY_ASSIGN(const graph::Graph rewritten, scan::run_passes(graph, scan::Runner::kernel, &notes));
  TRY_ASSIGN(const std::vector<scan::ScanFacts> all, scan::analyse(rewritten));
  const plan::Target target{.device = "cpu", .threads = options.threads, .exact = options.exact};
  std::vector<plan::ScanPlan> plans;
  for (const scan::ScanFacts& facts : all) plans.push_back(plan::choose(facts, target));
  Explanation explanation;
  std::vector<plan::Explained> explained;
  for (std::size_t i = 0; i < all.size(); ++i) {
    plan::Explained each{all[i], plans[i], {}};
    for (const scan::Note& note : notes)
      if (note.scan == all[i].label) each.notes.push_back(note);
    explanation.text += (i == 0 ? "" : "\n") + plan::to_text(each, target);
    explained.push_back(std::move(each));
  }
  std::vector<std::string> told;
  for (const scan::Note& note : notes) {
    const auto is_this = [&](const scan::ScanFacts& facts) { return facts.label == note.scan; };
    if (std::any_of(all.begin(), all.end(), is_this) || std::find(told.begin(), told.end(), note.scan) != told.end())
      continue;
    told.push_back(note.scan);
    explanation.text += (explanation.text.empty() ? "" : "\n") + gone(note.scan, notes);
  }
  add_others(rewritten, explanation.text);
  if (explanation.text.empty()) explanation.text = "the model has no Scan and no Loop\n";
  explanation.svg = plan::to_svg(graph, notes);
  explanation.json = plan::to_json(explained);
  return explanation;
}

}  // namespace

Result<Explanation> explain(const Model& model, const ExplainOptions& options) {
  return guard([&]() -> Result<Explanation> {
    // Operators that the standard defines by a loop are explained as that loop.
    TRY_ASSIGN(const graph::Imported imported,
               graph::import(model.state().onnx, nullptr, {.expansion = Expansion::loops}));
    TRY_ASSIGN(const graph::Graph graph, graph::specialise(*imported.graph, options.dims));
    return explain_graph(graph, options);
  });
}

}  // namespace pawl
