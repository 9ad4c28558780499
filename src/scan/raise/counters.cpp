#include "scan/raise/counters.h"

#include "base/try.h"
#include "scan/sequences.h"

namespace pawl::scan {
namespace {

using graph::Node;

Result<void> find_integer(LoopSite& site, IndexForms& forms, std::size_t i) {
  const DType dtype = site.type(site.carried(i)).dtype;
  if (site.stays(i) || (dtype != DType::i64 && dtype != DType::i32)) return {};
  TRY_ASSIGN(const auto known, forms.of(site.carried(i)));
  const auto start = site.integers.of(site.initial(i));
  if (known || !start) return {};
  // What a step makes of its number alone, as it would have been before the first step.
  TRY_ASSIGN(const auto next, forms.of(site.next(i)));
  if (next) {
    const auto before = plus(next->rest, Linear(next->scale), -1);
    if (before && same(*before, *start)) forms.add_counter(site.carried(i), *start, next->scale);
    return {};
  }
  const Node* node = site.producer(site.behind(site.next(i)));
  const bool adds = call_of(node, "Add") != nullptr;
  if (!adds && call_of(node, "Sub") == nullptr) return {};
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    if (site.behind(node->inputs[side]) != site.carried(i) || (!adds && side == 1)) continue;
    TRY_ASSIGN(const auto step, forms.of(node->inputs[1 - side]));
    if (!step || step->scale != 0 || !step->rest.constant()) continue;
    forms.add_counter(site.carried(i), *start, adds ? step->rest.offset : -step->rest.offset);
    return {};
  }
  return {};
}

/// SequenceLength of a sequence before and after one tensor is inserted into it.
void find_length(LoopSite& site, IndexForms& forms, const Node& length) {
  const ValueId sequence = site.behind(length.inputs[0]);
  for (std::size_t i = 0; i < site.loop.carried; ++i) {
    const ValueId next = site.behind(site.next(i));
    const Node* insert = site.producer(next);
    if (call_of(insert, "SequenceInsert") == nullptr || site.behind(insert->inputs[0]) != site.carried(i)) continue;
    if (sequence != site.carried(i) && sequence != next) continue;
    const auto before = known_items(site.outer.graph(), site.initial(i));
    if (!before) continue;
    const std::int64_t count = static_cast<std::int64_t>(before->size()) + (sequence == next ? 1 : 0);
    forms.add_counter(length.outputs[0], Linear(count), 1);
  }
}

}  // namespace

Result<void> find_counters(LoopSite& site, IndexForms& forms) {
  for (const Node& node : site.body.nodes)
    if (call_of(&node, "SequenceLength") != nullptr) find_length(site, forms, node);
  // One may be made of another one.
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < site.loop.carried; ++i) TRY(find_integer(site, forms, i));
  return {};
}

}  // namespace pawl::scan
