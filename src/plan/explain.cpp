#include "plan/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/words.h"
#include "scan/recurrences/types.h"

namespace pawl::plan {
namespace {

using scan::ComponentFacts;
using scan::ScanFacts;

std::string shape_of(const Type& type) { return type.shape ? to_string(*type.shape) : "[?]"; }

/// A line with its subject in a column of its own.
std::string line(const std::string& subject, const std::string& text) {
  return fmt::format("  {:<22} {}\n", subject, text);
}

std::string component_lines(const ScanFacts& facts, const ComponentFacts& component) {
  const scan::StateFacts& first = facts.states[component.states[0]];
  std::string subject = fmt::format("state{} {}", component.states.size() == 1 ? "" : "s", names_of(facts, component));
  if (component.states.size() == 1) subject += " " + shape_of(first.type);
  const ClassWords words = class_words(component);
  std::string text = words.before + words.after;
  if (component.match) text += fmt::format(": {}", component.match->recurrence->law);
  std::string lines = line(subject, text);
  if (!component.match && !component.refusal.empty()) lines += line("", component.refusal);
  const std::string channels = first.type.shape ? extents(*first.type.shape, first.independent) : std::string();
  if (!channels.empty())
    lines += line("", fmt::format("{} channels side by side: {} {}", channels,
                                  first.independent.size() == 1 ? "axis" : "axes", fmt::join(first.independent, ", ")));
  return lines;
}

std::string note_lines(const std::vector<scan::Note>& notes, std::string_view what) {
  std::string lines;
  for (const scan::Note& note : notes)
    if (note.what == what)
      lines += line(lines.empty() ? std::string(what) : "", fmt::format("{}: {}", note.node, note.why));
  return lines;
}

std::string output_line(const ScanFacts& facts, const scan::OutputFacts& output) {
  std::string reads;
  for (const std::size_t c : output.reads)
    reads += (reads.empty() ? "reads " : ", ") + names_of(facts, facts.components[c]);
  return line(fmt::format("output {} {}", output.name, shape_of(output.type)),
              reads.empty() ? "reads no state" : reads + ": stays in the loop");
}

bool has_symbols(const ScanFacts& facts) {
  const auto any = [](const Type& type) {
    return type.shape &&
           std::any_of(type.shape->begin(), type.shape->end(), [](const Dim& dim) { return !dim.known(); });
  };
  return std::any_of(facts.elements.begin(), facts.elements.end(), any) ||
         std::any_of(facts.states.begin(), facts.states.end(), [&](const auto& state) { return any(state.type); }) ||
         std::any_of(facts.outputs.begin(), facts.outputs.end(), [&](const auto& output) { return any(output.type); });
}

std::string cost_lines(const ScanFacts& facts) {
  const scan::StepCost& cost = facts.cost;
  if (!cost.known) return {};
  std::string text =
      fmt::format("{}, {}, {} in, {} out, {} of state", counted(static_cast<double>(facts.nodes), "node"),
                  amount_text(cost.operations, "flop"), amount_text(cost.bytes_in, "B"),
                  amount_text(cost.bytes_out, "B"), amount_text(cost.bytes_state, "B"));
  if (cost.bytes_fixed > 0) text += fmt::format(", {} of weights", amount_text(cost.bytes_fixed, "B"));
  if (has_symbols(facts)) text += ", every symbol counted as 1";
  std::string lines = line("a step", text);
  if (facts.trips.known() && facts.trips.value > 0) {
    const auto steps = static_cast<double>(facts.trips.value);
    lines += line("all steps", fmt::format("{}, {} in and out", amount_text(steps * cost.operations, "flop"),
                                           amount_text(steps * (cost.bytes_in + cost.bytes_out), "B")));
  }
  return lines;
}

/// What is promised of the results.
std::string guarantee_line(const Explained& scan, const Target& target) {
  if (target.exact) return line("guarantee", "exact: the bits of the reference");
  const bool in_parts = scan.plan.strategy == "chunked_scan" || scan.plan.strategy == "lookback_scan";
  std::string reordered;
  for (const ComponentFacts& component : scan.facts.components) {
    const bool floats = scan::is_real(scan.facts.states[component.states[0]].type.dtype);
    if (!in_parts || !component.match || !floats || component.match->recurrence->float_exact) continue;
    reordered += (reordered.empty() ? "" : ", ") + names_of(scan.facts, component);
  }
  std::string text = "deterministic: the same bits on every run";
  if (!reordered.empty())
    text += fmt::format("; floats of {} are added up in another order than step by step", reordered);
  return line("guarantee", text);
}

}  // namespace

std::string facts_text(const Explained& scan) {
  const ScanFacts& facts = scan.facts;
  std::string text = fmt::format("{}  T = {}  states {}  elements {}  outputs {}\n", facts.label, dim_text(facts.trips),
                                 facts.states.size(), facts.elements.size(), facts.outputs.size());
  text += "  " + summary(scan) + "\n";
  for (const ComponentFacts& component : facts.components) text += component_lines(facts, component);
  for (const std::string_view what : {"raised", "unified", "flattened", "unpacked", "absorbed", "hoisted", "sunk"})
    text += note_lines(scan.notes, what);
  for (const scan::OutputFacts& output : facts.outputs) text += output_line(facts, output);
  return text + cost_lines(facts);
}

std::string plan_text(const Explained& scan, const Target& target) {
  std::string text = line(fmt::format("plan ({}, {})", target.device, counted(target.threads, "thread")),
                          fmt::format("{}: {}", scan.plan.strategy, scan.plan.how));
  text += guarantee_line(scan, target);
  for (const Refusal& refusal : scan.plan.passed_over)
    text += line(fmt::format("not {}", refusal.strategy), refusal.why);
  return text;
}

}  // namespace pawl::plan
