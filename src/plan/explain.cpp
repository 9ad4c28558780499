#include "plan/explain.h"

#include <fmt/format.h>

#include <algorithm>

namespace pawl::plan {
namespace {

using scan::ComponentFacts;
using scan::ScanFacts;

std::string shape_of(const Type& type) { return type.shape ? to_string(*type.shape) : "[?]"; }

std::string dim_text(const Dim& dim) {
  return dim.known() ? std::to_string(dim.value) : dim.symbol.empty() ? "?" : dim.symbol;
}

std::string extents(const SymbolicShape& shape, const std::vector<std::size_t>& axes) {
  std::string text;
  for (const std::size_t axis : axes) text += (text.empty() ? "" : "x") + dim_text(shape[axis]);
  return text;
}

/// "diagonal affine", "sum", "3x3 matrix", "masked max", …
std::string class_words(const ComponentFacts& component) {
  std::string words = component.word;
  if (!component.match) return words;
  if (words == "affine")
    words = component.rank_one ? "diagonal affine, rank-1" : "diagonal affine";
  else if (words == "sum" && component.rank_one)
    words = "sum of rank-1 updates";
  else if (words == "matrix" && !component.match->recurrence->multiplies_matrices)
    words = fmt::format("{0}x{0} matrix", component.states.size());
  else if (words != "matrix" && words != "delta" && component.match->recurrence->multiplies_matrices)
    words += " matrix";
  if (words.starts_with("arg-") || words == "reset") return words;
  if (component.match->masked) words = "masked " + words;
  if (component.match->reset) words += " with reset";
  return words;
}

/// A line with its subject in a column of its own.
std::string line(const std::string& subject, const std::string& text) {
  return fmt::format("  {:<22} {}\n", subject, text);
}

std::string component_lines(const ScanFacts& facts, const ComponentFacts& component) {
  const scan::StateFacts& first = facts.states[component.states[0]];
  std::string subject = fmt::format("state{} {}", component.states.size() == 1 ? "" : "s", names_of(facts, component));
  if (component.states.size() == 1) subject += " " + shape_of(first.type);
  std::string text = class_words(component);
  if (component.match) text += fmt::format(": {}", component.match->recurrence->law);
  if (first.type.shape && !first.independent.empty())
    text += fmt::format("      {} channels side by side", extents(*first.type.shape, first.independent));
  std::string lines = line(subject, text);
  if (!component.match && !component.refusal.empty()) lines += line("", component.refusal);
  return lines;
}

std::string note_lines(const std::vector<scan::Note>& notes, std::string_view what) {
  std::string lines;
  bool first = true;
  for (const scan::Note& note : notes) {
    if (note.what != what) continue;
    lines += line(first ? std::string(what) : "", fmt::format("{}: {}", note.node, note.why));
    first = false;
  }
  return lines;
}

std::string bytes_text(double bytes) {
  if (bytes < 1e4) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1e7) return fmt::format("{:.1f} kB", bytes / 1e3);
  return fmt::format("{:.1f} MB", bytes / 1e6);
}

}  // namespace

std::string summary(const Explained& scan) {
  const ScanFacts& facts = scan.facts;
  if (facts.states.empty()) return "a map: no step needs another";
  std::string text;
  for (const ComponentFacts& component : facts.components) {
    const scan::StateFacts& first = facts.states[component.states[0]];
    if (!text.empty()) text += "; ";
    const std::string words = class_words(component);
    text += (words.find_first_of("aeiou") == 0 ? "an " : "a ") + words + " recurrence";
    if (first.type.shape && !first.independent.empty())
      text += fmt::format(" over {} channels", extents(*first.type.shape, first.independent));
  }
  const auto hoisted = std::count_if(scan.notes.begin(), scan.notes.end(),
                                     [](const scan::Note& note) { return note.what == "hoisted"; });
  if (hoisted > 0) text += fmt::format("; {} hoisted", counted(static_cast<double>(hoisted), "node"));
  const bool all = std::all_of(facts.components.begin(), facts.components.end(),
                               [](const ComponentFacts& each) { return each.match.has_value(); });
  text += all ? "; sequential in time is not needed" : "; sequential in time";
  return text;
}

std::string to_text(const Explained& scan, const Target& target) {
  const ScanFacts& facts = scan.facts;
  std::string text = fmt::format("{}  T = {}  states {}  elements {}  outputs {}\n", facts.label, dim_text(facts.trips),
                                 facts.states.size(), facts.elements.size(), facts.outputs.size());
  text += "  " + summary(scan) + "\n";
  for (const ComponentFacts& component : facts.components) text += component_lines(facts, component);
  for (const std::string_view what : {"raised", "unified", "unpacked", "hoisted", "sunk"}) text += note_lines(scan.notes, what);
  for (const scan::OutputFacts& output : facts.outputs) {
    std::string reads;
    for (const std::size_t c : output.reads)
      reads += (reads.empty() ? "reads " : ", ") + names_of(facts, facts.components[c]);
    text += line(fmt::format("output {} {}", output.name, shape_of(output.type)),
                 reads.empty() ? "reads no state" : reads + ": stays in the loop");
  }
  if (facts.cost.known) {
    text += line("a step", fmt::format("{}, {:.0f} operations, {} in, {} out, {} of state",
                                       counted(static_cast<double>(facts.nodes), "node"), facts.cost.operations,
                                       bytes_text(facts.cost.bytes_in), bytes_text(facts.cost.bytes_out),
                                       bytes_text(facts.cost.bytes_state)));
  }
  text += line(fmt::format("plan ({}, {})", target.device, counted(target.threads, "thread")),
               fmt::format("{}: {}", scan.plan.strategy, scan.plan.how));
  for (const Refusal& refusal : scan.plan.passed_over)
    text += line(fmt::format("not {}", refusal.strategy), refusal.why);
  return text;
}

}  // namespace pawl::plan
