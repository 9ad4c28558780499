// States that hold one value for ever, and states that always equal another one, by numbering the values of a step: at
// first every state is taken for its initial value, and what a step contradicts is taken back.
#include <map>
#include <string>

#include "base/try.h"
#include "scan/dependence.h"
#include "scan/pass.h"
#include "scan/remake.h"

namespace pawl::scan {
namespace {

using graph::OpCall;

/// Numbers of values: equal numbers, equal values in every step.
class Numbering {
 public:
  explicit Numbering(const Site& site)
      : site_(site), outer_(site.outer.graph().values.size(), 0), inner_(site.body.values.size(), 0) {}

  std::size_t outer(ValueId id) {
    if (outer_[id.index] == 0) outer_[id.index] = fresh();
    return outer_[id.index];
  }
  std::size_t fresh() { return ++last_; }
  [[nodiscard]] std::size_t operator()(ValueId id) const { return id.valid() ? inner_[id.index] : 0; }

  /// Numbers the body's values when the states have the given numbers.
  void number(const std::vector<std::size_t>& states) {
    std::fill(inner_.begin(), inner_.end(), 0);
    for (std::size_t i = 0; i < states.size(); ++i) inner_[site_.state(i).index] = states[i];
    for (const graph::Capture& capture : site_.scan.body.captures) inner_[capture.inner.index] = outer(capture.outer);
    for (std::size_t i = 0; i < inner_.size(); ++i)
      if (inner_[i] == 0) inner_[i] = constant(ValueId{static_cast<std::uint32_t>(i)});
    std::map<std::string, std::size_t> known;
    for (const graph::Node& node : site_.body.nodes) number(node, known);
  }

 private:
  /// Values of their own: elements, and what a node will be given below. Known values by their contents.
  std::size_t constant(ValueId id) {
    const Tensor* tensor = site_.body[id].fact.tensor();
    if (tensor == nullptr) return fresh();
    const std::string key = graph::key_of({nullptr, nullptr, ops::Attributes({{"value", *tensor}})});
    const auto [entry, is_new] = constants_.try_emplace(key, 0);
    if (is_new) entry->second = fresh();
    return entry->second;
  }

  void number(const graph::Node& node, std::map<std::string, std::size_t>& known) {
    const auto* call = std::get_if<OpCall>(&node.operation);
    if (call == nullptr || call->def->random) return;  // each has the fresh numbers from before
    if (call->schema->name == "Identity") {
      inner_[node.outputs[0].index] = (*this)(node.inputs[0]);
      return;
    }
    std::string key = graph::key_of(*call);
    for (const ValueId input : node.inputs) key += "," + std::to_string((*this)(input));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].valid()) continue;
      const auto [entry, is_new] = known.try_emplace(key + "#" + std::to_string(i), inner_[node.outputs[i].index]);
      inner_[node.outputs[i].index] = entry->second;
    }
  }

  const Site& site_;
  std::size_t last_ = 0;
  std::vector<std::size_t> outer_;
  std::vector<std::size_t> inner_;
  std::map<std::string, std::size_t> constants_;
};

struct Unified {
  std::vector<bool> invariant;        ///< by state
  std::vector<std::size_t> equal_to;  ///< by state: the first state that always has its value
};

/// Takes back what a step contradicts, until nothing is left to take back.
Unified unify(const Site& site) {
  const std::size_t count = site.scan.states;
  Numbering numbering(site);
  std::vector<std::size_t> numbers;
  std::vector<bool> invariant(count, true);
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(numbering.outer(site.initial(i)));
  for (bool changed = true; changed;) {
    changed = false;
    numbering.number(numbers);
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> groups;
    std::map<std::size_t, std::size_t> first_next;
    std::vector<std::size_t> refined = numbers;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t next = numbering(site.next(i));
      const bool stays = next == numbers[i] && invariant[i];
      if (stays) continue;
      // States of one group stay together while their next values are equal.
      const auto [group, is_new] = groups.try_emplace({numbers[i], next}, 0);
      if (is_new) {
        const auto [first, alone] = first_next.try_emplace(numbers[i], next);
        const bool keeps = !invariant[i] && first->second == next;
        static_cast<void>(alone);
        group->second = keeps ? numbers[i] : numbering.fresh();
      }
      refined[i] = group->second;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const bool stays = numbering(site.next(i)) == numbers[i] && invariant[i];
      if (refined[i] != numbers[i] || stays != invariant[i]) changed = true;
      invariant[i] = stays;
    }
    numbers = refined;
  }
  Unified unified{invariant, {}};
  std::map<std::size_t, std::size_t> first;
  for (std::size_t i = 0; i < count; ++i) unified.equal_to.push_back(first.try_emplace(numbers[i], i).first->second);
  return unified;
}

}  // namespace

Rewritten unify_states(const Site& site) {
  const graph::ScanOp& scan = site.scan;
  const Unified unified = unify(site);
  bool any = false;
  for (std::size_t i = 0; i < scan.states; ++i) any = any || unified.invariant[i] || unified.equal_to[i] != i;
  if (!any) return {std::nullopt};
  std::vector<bool> keeps;
  for (std::size_t i = 0; i < scan.states; ++i) keeps.push_back(!unified.invariant[i] && unified.equal_to[i] == i);
  Remake made(site, keeps, std::vector<bool>(scan.outputs, true));
  for (std::size_t i = 0; i < scan.states; ++i) {
    if (keeps[i]) continue;
    const std::string why = unified.invariant[i]
                                ? "never changes"
                                : "always equals \"" + site.body[site.state(unified.equal_to[i])].name + "\"";
    site.note("unified", "state \"" + site.body[site.state(i)].name + "\"", why);
    const ValueId state = site.state(i);
    made.mapping()[state] =
        unified.invariant[i] ? made.scan().capture(site.initial(i)) : made.mapping()(site.state(unified.equal_to[i]));
    if (!unified.invariant[i] && !site.outputs[i].name.empty()) made.want_final(unified.equal_to[i]);
  }
  TRY_ASSIGN(std::vector<ValueId> results, made.finish());
  for (std::size_t i = 0; i < scan.states; ++i)
    if (!keeps[i] && !site.outputs[i].name.empty())
      results[i] = unified.invariant[i] ? site.initial(i) : made.final_of(unified.equal_to[i]);
  return {std::move(results)};
}

}  // namespace pawl::scan
