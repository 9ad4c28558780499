// bytes → graph → (scan passes) → facts → plan → words.
#include "pawl/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/guard.h"
#include "base/try.h"
#include "graph/export.h"
#include "graph/import.h"
#include "graph/specialise.h"
#include "onnx/text.h"
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

/// Whether a note says why a Loop is no Scan.
bool tells_why(const scan::Note& note) { return note.what == "stays"; }

std::string loop_words(const std::string& label, const std::vector<scan::Note>& notes) {
  for (const scan::Note& note : notes)
    if (tells_why(note) && note.scan == label) return "stays a Loop: " + note.why;
  return "stays a Loop: runs as it is, step after step";
}

/// Loops that no facts are told of.
void add_others(const graph::Graph& graph, const std::vector<scan::Note>& notes, std::string& text) {
  for (const graph::Node& node : graph.nodes) {
    const auto* scan = std::get_if<graph::ScanOp>(&node.operation);
    std::string words;
    if (scan != nullptr && scan->batched) words = "version 8: runs as it is, row by row of the batch";
    if (std::holds_alternative<graph::LoopOp>(node.operation)) words = loop_words(node.label, notes);
    if (!words.empty()) text += fmt::format("{}{}  {}\n", text.empty() ? "" : "\n", node.label, words);
    graph::for_each_body(node,
                         [&](const graph::Body& body, std::string_view) { add_others(*body.graph, notes, text); });
  }
}

/// A model on its way: all that is known of its Scans once the passes are done.
struct Known {
  graph::Graph graph;
  graph::Graph rewritten;
  std::vector<scan::Note> notes;
  std::vector<scan::ScanFacts> facts;
  std::vector<plan::ScanPlan> plans;

  [[nodiscard]] std::vector<plan::Explained> explained() const {
    std::vector<plan::Explained> all;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      all.push_back({facts[i], plans[i], {}});
      for (const scan::Note& note : notes)
        if (note.scan == facts[i].label) all.back().notes.push_back(note);
    }
    return all;
  }
};

plan::Target target_of(const ExplainOptions& options) {
  return {.device = "cpu", .threads = options.threads, .exact = options.exact};
}

/// The graph with its extents. Operators that the standard defines by a loop are that loop.
Result<graph::Graph> import_graph(const Model& model, const ExplainOptions& options) {
  TRY_ASSIGN(const graph::Imported imported,
             graph::import(model.state().onnx, nullptr, {.expansion = Expansion::loops}));
  return graph::specialise(*imported.graph, options.dims);
}

Result<Known> find_out(const Model& model, const ExplainOptions& options) {
  Known known;
  TRY_ASSIGN(known.graph, import_graph(model, options));
  TRY_ASSIGN(known.rewritten, scan::run_passes(known.graph, scan::Runner::kernel, &known.notes));
  TRY_ASSIGN(known.facts, scan::analyse(known.rewritten));
  for (const scan::ScanFacts& facts : known.facts) known.plans.push_back(plan::choose(facts, target_of(options)));
  return known;
}

std::string text_of(const Known& known, const ExplainOptions& options) {
  std::string text;
  const auto add = [&](const std::string& paragraph) { text += (text.empty() ? "" : "\n") + paragraph; };
  for (const plan::Explained& each : known.explained())
    add(plan::facts_text(each) + plan::plan_text(each, target_of(options)));
  std::vector<std::string> told;
  for (const scan::Note& note : known.notes) {
    const auto is_this = [&](const scan::ScanFacts& facts) { return facts.label == note.scan; };
    if (tells_why(note) || std::any_of(known.facts.begin(), known.facts.end(), is_this) ||
        std::find(told.begin(), told.end(), note.scan) != told.end())
      continue;
    told.push_back(note.scan);
    add(gone(note.scan, known.notes));
  }
  add_others(known.rewritten, known.notes, text);
  return text.empty() ? "the model has no Scan and no Loop\n" : text;
}

/// Pictures of the loops before anything was moved out of them.
Result<std::string> svg_of(const Known& known) {
  TRY_ASSIGN(const graph::Graph whole, scan::run_passes(known.graph, scan::Runner::kernel, nullptr, "unpack"));
  plan::Summaries summaries;
  for (const plan::Explained& each : known.explained()) summaries[each.facts.label] = plan::summary(each);
  for (const scan::Note& note : known.notes)
    if (!tells_why(note)) summaries.try_emplace(note.scan, "a map: no step needs another");
  return plan::to_svg(whole, known.notes, summaries);
}

/// A graph in ONNX's text syntax.
Result<std::string> text_of(const graph::Graph& graph, const Model& model, const ExplainOptions& options) {
  TRY_ASSIGN(const onnx::Model made, graph::to_model(graph, model.state().onnx, {.known_types = true}));
  return onnx::print_text(made, options.max_elements);
}

}  // namespace

Result<Explanation> explain(const Model& model, const ExplainOptions& options) {
  return guard([&]() -> Result<Explanation> {
    TRY_ASSIGN(const Known known, find_out(model, options));
    TRY_ASSIGN(std::string svg, svg_of(known));
    return Explanation{text_of(known, options), std::move(svg), plan::to_json(known.explained())};
  });
}

std::vector<std::string_view> stages() {
  std::vector<std::string_view> names{"import"};
  for (const std::string_view pass : scan::pass_names()) names.push_back(pass);
  names.insert(names.end(), {"facts", "plan"});
  return names;
}

Result<std::string> print_after(const Model& model, std::string_view stage, const ExplainOptions& options) {
  return guard([&]() -> Result<std::string> {
    const std::vector<std::string_view> names = stages();
    if (std::find(names.begin(), names.end(), stage) == names.end())
      return fail(Code::bad_argument, "there is no stage \"{}\"; there are {}", stage, fmt::join(names, ", "));
    if (stage == "facts" || stage == "plan") {
      TRY_ASSIGN(const Known known, find_out(model, options));
      std::string text;
      for (const plan::Explained& each : known.explained()) {
        if (!text.empty()) text += "\n";
        text += stage == "facts" ? plan::facts_text(each)
                                 : each.facts.label + "\n" + plan::plan_text(each, target_of(options));
      }
      return text;
    }
    TRY_ASSIGN(const graph::Graph graph, import_graph(model, options));
    if (stage == "import") return text_of(graph, model, options);
    TRY_ASSIGN(const graph::Graph made, scan::run_passes(graph, scan::Runner::kernel, nullptr, stage));
    return text_of(made, model, options);
  });
}

}  // namespace pawl
