#include "scan/raise/roles.h"

#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"

namespace pawl::scan {

using graph::Node;
using graph::OpCall;

Result<void> Roles::refine_types() {
  std::unordered_map<std::uint32_t, Type> types;
  for (const Node& node : site_.body.nodes) {
    if (call_of(&node, "Slice") == nullptr) continue;
    TRY_ASSIGN(const ValueId outside, site_.outside(node.inputs[0]));
    if (!outside.valid()) continue;
    TRY_ASSIGN(const auto read, reads_.find(node, outside));
    if (!read) continue;
    Type type = site_.integers.type(read->tensor);
    type.shape->erase(type.shape->begin() + static_cast<std::ptrdiff_t>(read->axis));
    for (const std::int64_t axis : read->kept) type.shape->insert(type.shape->begin() + axis, Dim(1));
    types.emplace(node.outputs[0].index, std::move(type));
  }
  if (types.empty()) return {};
  return site_.refine(types);
}

Result<void> Roles::find() {
  for (bool changed = true; changed;) {
    TRY(find_known());
    find_needed();
    changed = false;
    for (std::size_t i = 0; i < site_.loop.carried; ++i) {
      if (!writes_.is_written(i) || !needed_[site_.carried(i).index]) continue;
      writes_.make_state(i);
      changed = true;
    }
  }
  return {};
}

Result<void> Roles::find_known() {
  read_.clear();
  seen_.clear();
  lengths_.clear();
  known_.assign(site_.body.values.size(), false);
  for (const ValueId id : site_.body.inputs) known_[id.index] = site_.fact(id).tensor() != nullptr;
  for (const Node& node : site_.body.nodes) {
    for (const ValueId id : node.outputs)
      if (id.valid() && site_.fact(id).tensor() != nullptr) known_[id.index] = true;
    if (node.inputs.empty() || node.outputs.empty() || !node.outputs[0].valid()) continue;
    if (!known_[node.outputs[0].index]) TRY(find_known(node));
  }
  return {};
}

Result<void> Roles::find_known(const Node& node) {
  const std::uint32_t made = node.outputs[0].index;
  if (call_of(&node, "Shape") != nullptr || call_of(&node, "Size") != nullptr) {
    TRY_ASSIGN(const ValueId outside, site_.outside(node.outputs[0]));
    known_[made] = outside.valid();
    return {};
  }
  if (call_of(&node, "SequenceLength") != nullptr) return find_length(node);
  if (!Reads::may_read(node)) return {};
  TRY_ASSIGN(const ValueId outside, site_.outside(node.inputs[0]));
  WrittenReads::Found found;
  if (outside.valid()) {
    TRY_ASSIGN(found.unwritten, reads_.find(node, outside));
  } else {
    TRY_ASSIGN(found, WrittenReads(site_, forms_, reads_, writes_).find(node));
  }
  if (found.unwritten) read_.emplace(made, std::move(*found.unwritten));
  known_[made] = read_.contains(made) || (found.seen && !found.seen->now);
  if (found.seen) seen_.emplace(made, std::move(*found.seen));
  return {};
}

Result<void> Roles::find_length(const Node& node) {
  const ValueId from = site_.behind(node.inputs[0]);
  for (std::size_t i = 0; i < site_.loop.carried; ++i) {
    if (writes_.get<Pushed>(i) == nullptr || (from != site_.carried(i) && from != site_.behind(site_.next(i))))
      continue;
    TRY_ASSIGN(const auto form, forms_.of(node.outputs[0]));
    if (form && form->scale == 1 && form->rest.constant()) lengths_[node.outputs[0].index] = form->rest.offset;
  }
  return {};
}

void Roles::find_needed() {
  const std::size_t carried = site_.loop.carried;
  live_.assign(carried, false);
  keeps_last_.assign(carried, false);
  for (std::size_t i = 0; i < carried; ++i) live_[i] = site_.wants(i) && !site_.stays(i);
  for (bool changed = true; changed;) {
    mark_needed();
    changed = false;
    for (std::size_t i = 0; i < carried; ++i) {
      if (live_[i] || site_.stays(i) || writes_.is_written(i) || !needed_[site_.carried(i).index]) continue;
      live_[i] = changed = true;
    }
    for (const auto& [index, seen] : seen_) {
      if (seen.now || !used_[index] || keeps_last_[seen.carried]) continue;
      keeps_last_[seen.carried] = changed = true;
    }
  }
}

void Roles::mark_needed() {
  needed_.assign(site_.body.values.size(), false);
  used_.assign(site_.body.values.size(), false);
  const auto mark = [&](ValueId id) { (known_[id.index] ? used_ : needed_)[id.index] = true; };
  for (std::size_t i = 0; i < site_.loop.carried; ++i) {
    if (is_state(i)) mark(site_.next(i));
    if (live_[i])
      for (const ValueId id : writes_.sources(i)) mark(id);
    if (keeps_last_[i]) mark(writes_.entry(i)->value);
  }
  for (std::size_t k = 0; k < site_.loop.outputs; ++k)
    if (site_.wants(site_.loop.carried + k)) mark(site_.output(k));
  for (std::size_t n = site_.body.nodes.size(); n-- > 0;) {
    const Node& node = site_.body.nodes[n];
    if (!graph::any_of(node.outputs, needed_)) continue;
    const std::uint32_t made = node.outputs[0].index;
    if (lengths_.contains(made)) {
      mark(site_.number());
      continue;
    }
    // What this step has written is read where it comes from.
    if (const auto seen = seen_.find(made); seen != seen_.end() && seen->second.now)
      mark(writes_.entry(seen->second.carried)->value);
    else
      for_each_read(node, mark);
  }
}

bool Roles::is_steady(const Steps& steps, std::string& refusal) {
  for (std::size_t i = 0; i < site_.loop.carried; ++i) {
    if (!is_state(i)) continue;
    const Type before = site_.initial_type(i);
    const Type& after = site_.type(site_.next(i));
    if (graph::is_measured(before) && graph::same_type(after, before)) continue;
    const std::string& name = site_.body[site_.carried(i)].name;
    if (!before.is_tensor()) {
      refusal = fmt::format("\"{}\" is no tensor: what is put into it may differ in shape, or is read again", name);
      return false;
    }
    refusal =
        fmt::format("\"{}\" is {} before a step and may be {} after it", name,
                    to_string(site_.integers.without_names(before)), to_string(site_.integers.without_names(after)));
    return false;
  }
  // Of what no step has made, the shape has to be known. What the steps make is compared by a Scan, too.
  const bool surely_runs = graph::integer_in(site_.outer.fact(steps.count).tensor()).value_or(0) > 0;
  for (std::size_t k = 0; k < site_.loop.outputs && !surely_runs; ++k) {
    if (!site_.wants(site_.loop.carried + k) || graph::is_measured(site_.type(site_.output(k)))) continue;
    refusal = fmt::format("the shape of \"{}\" may differ from step to step", site_.body[site_.output(k)].name);
    return false;
  }
  return true;
}

}  // namespace pawl::scan
