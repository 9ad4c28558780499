#include "plan/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace pawl::plan {
namespace {

using scan::ComponentFacts;
using scan::ScanFacts;

/// "an affine recurrence", "3 delay recurrences": what and over what channels.
std::string recurrence_words(const ClassWords& words, const std::string& channels, std::size_t count) {
  const std::string_view article = words.before.find_first_of("aeiou") == 0 ? "an" : "a";
  std::string text = count == 1 ? fmt::format("{} {} recurrence", article, words.before)
                                : fmt::format("{} {} recurrences", count, words.before);
  text += words.after;
  if (!channels.empty()) text += fmt::format(" over {} channels", channels);
  return text;
}

/// All components; equal ones that follow each other are told once.
std::string recurrences_words(const ScanFacts& facts) {
  struct Told {
    ClassWords words;
    std::string channels;
    std::size_t count = 1;
  };
  std::vector<Told> told;
  for (const ComponentFacts& component : facts.components) {
    const scan::StateFacts& first = facts.states[component.states[0]];
    Told next{class_words(component), {}};
    if (first.type.shape) next.channels = extents(*first.type.shape, first.independent);
    const bool same = !told.empty() && told.back().words.before == next.words.before &&
                      told.back().words.after == next.words.after && told.back().channels == next.channels;
    if (same)
      ++told.back().count;
    else
      told.push_back(std::move(next));
  }
  std::string text;
  for (const Told& each : told)
    text += (text.empty() ? "" : ", ") + recurrence_words(each.words, each.channels, each.count);
  return text;
}

/// ", y reads the state": what each output is made of, while there are few.
std::string outputs_words(const ScanFacts& facts) {
  constexpr std::size_t kMostTold = 3;
  if (facts.outputs.size() > kMostTold) return {};
  std::string text;
  for (const scan::OutputFacts& output : facts.outputs) {
    std::string names;
    for (const std::size_t c : output.reads)
      names += (names.empty() ? "" : ", ") + names_of(facts, facts.components[c]);
    if (output.reads.empty()) names = "no state";
    if (facts.states.size() == 1 && !output.reads.empty()) names = "the state";
    text += fmt::format(", {} reads {}", output.name, names);
  }
  return text;
}

/// "; 3 nodes hoisted into one GEMM of 512x160x640"
std::string moved_words(const std::vector<scan::Note>& notes) {
  double hoisted = 0;
  double sunk = 0;
  std::map<std::string, int> products;
  for (const scan::Note& note : notes) {
    hoisted += note.what == "hoisted" ? 1 : 0;
    sunk += note.what == "sunk" ? 1 : 0;
    if (!note.product.empty()) ++products[note.product];
  }
  std::string text;
  if (hoisted > 0) text += fmt::format("; {} hoisted", counted(hoisted, "node"));
  std::string_view joint = " into ";
  for (const auto& [product, count] : products) {
    text += fmt::format("{}{} of {}", joint, count == 1 ? "one GEMM" : fmt::format("{} GEMMs", count), product);
    joint = " and ";
  }
  if (sunk > 0) text += fmt::format("; {} sunk", counted(sunk, "node"));
  return text;
}

}  // namespace

ClassWords class_words(const ComponentFacts& component) {
  ClassWords words{component.word, {}};
  if (!component.match) return words;
  const bool multiplies = component.match->recurrence->multiplies_matrices;
  if (words.before == "affine")
    words.before = "diagonal affine";
  else if (words.before == "matrix" && !multiplies)
    words.before = fmt::format("{0}x{0} matrix", component.states.size());
  else if (words.before != "matrix" && words.before != "delta" && multiplies)
    words.before += " matrix";
  if (component.rank_one) words.after = " with rank-1 updates";
  if (words.before.starts_with("arg-") || words.before == "reset") return words;
  if (component.match->masked) words.before = "masked " + words.before;
  if (component.match->reset) words.after += words.after.empty() ? " with reset" : " and reset";
  return words;
}

std::string dim_text(const Dim& dim) {
  return dim.known() ? std::to_string(dim.value) : dim.symbol.empty() ? "?" : dim.symbol;
}

std::string extents(const SymbolicShape& shape, const std::vector<std::size_t>& axes) {
  std::string text;
  for (const std::size_t axis : axes)
    if (shape[axis].value != 1) text += (text.empty() ? "" : "x") + dim_text(shape[axis]);
  return text;
}

std::string amount_text(double amount, std::string_view unit) {
  std::string_view prefix;
  for (const std::string_view next : {"k", "M", "G", "T"}) {
    if (amount < 1000) break;
    amount /= 1000;
    prefix = next;
  }
  const int digits = prefix.empty() || amount >= 100 ? 0 : amount >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}{}", amount, digits, prefix, unit);
}

std::string summary(const Explained& scan) {
  const ScanFacts& facts = scan.facts;
  if (facts.states.empty()) return "a map: no step needs another" + moved_words(scan.notes);
  const bool all = std::all_of(facts.components.begin(), facts.components.end(),
                               [](const ComponentFacts& each) { return each.match.has_value(); });
  return recurrences_words(facts) + outputs_words(facts) + moved_words(scan.notes) +
         (all ? "; sequential in time is not needed" : "; sequential in time");
}

}  // namespace pawl::plan
