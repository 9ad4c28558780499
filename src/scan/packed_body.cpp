#include "scan/packed_body.h"

#include <algorithm>

#include "ops/axis_rules.h"

namespace pawl::scan {

using graph::Node;
using graph::OpCall;
using graph::ValueId;

namespace {

const Type& type_of(const Site& site, ValueId id) { return site.body[id].fact.type; }

/// The types that are cut and joined; Scan has more.
bool is_cut_and_joined(const Type& type) {
  for (const char* op : {"Concat", "Slice", "Gather", "Squeeze", "Unsqueeze"})
    if (!ops::find_schema("", op, ops::kNewestOpset)->inputs[0].types.admits(type)) return false;
  return true;
}

}  // namespace

std::vector<Run> Packed::pieces() const {
  std::vector<Run> runs;
  std::optional<std::int64_t> before;
  for (const std::int64_t cut : cuts) {
    if (before) runs.push_back({*before, cut});
    before = cut;
  }
  return runs;
}

PackedBody::PackedBody(const Site& at, const Dependence& depends)
    : site(at),
      dependence(depends),
      producers_(at.body.values.size(), nullptr),
      selections_(at.body.values.size()),
      states_(at.body.values.size()),
      blocked_(at.scan.states, false),
      axes_(at.body.values.size(), 0) {
  for (std::size_t i = 0; i < site.scan.states; ++i) states_[site.state(i).index] = i;
  for (const Node& node : site.body.nodes)
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].valid()) continue;
      producers_[node.outputs[i].index] = &node;
      std::optional<Selection>& made = selections_[node.outputs[i].index];
      made = selection_of(site.body, node, i);
      // The only place of what was taken, without its axis.
      if (call_of(&node, "Squeeze") == nullptr) continue;
      const Selection* taken = selection(node.inputs[0]);
      if (taken == nullptr || taken->drops || only_axis(site.body, node) != taken->axis || taken->runs.size() != 1 ||
          taken->runs[0].width() != 1)
        continue;
      made = *taken;
      made->drops = true;
    }
  find_axes();
}

std::optional<std::vector<int>> PackedBody::tied_axes(const Node& node, std::size_t axis) const {
  const auto* call = std::get_if<OpCall>(&node.operation);
  if (call == nullptr || call->def->random || node.outputs.size() != 1 || !call->def->domain.empty())
    return std::nullopt;
  const auto& relate = call->def->axes.relate;
  // Until version 6 an attribute placed one input along the axes of the other.
  if ((relate != ops::relate_pointwise && relate != ops::relate_first) ||
      call->schema->attribute("broadcast") != nullptr)
    return std::nullopt;
  std::vector<const ops::Fact*> inputs;
  for (const ValueId id : node.inputs) inputs.push_back(id.valid() ? &site.body[id].fact : nullptr);
  const std::vector<Type> outputs{type_of(site, node.outputs[0])};
  const ops::Ties ties = ops::relate(*call->def, {*call->schema, call->attributes, inputs, outputs});
  const ops::Tie* tie = ties.find(0, axis);
  if (tie == nullptr || ties.by_elements) return std::nullopt;
  return tie->inputs;
}

void PackedBody::block(std::size_t state) {
  blocked_[state] = true;
  find_axes();
}

void PackedBody::unblock_all() {
  if (std::find(blocked_.begin(), blocked_.end(), true) == blocked_.end()) return;
  std::fill(blocked_.begin(), blocked_.end(), false);
  find_axes();
}

std::uint32_t PackedBody::axes_made_by(const Node& node, std::size_t output) const {
  const ValueId id = node.outputs[output];
  if (const Selection* taken = selection(id)) {
    const bool keeps = !taken->drops && packable(taken->source, taken->axis);
    return keeps ? std::uint32_t{1} << taken->axis : 0;
  }
  if (const auto axis = concat_axis(site.body, node)) {
    const auto has_extent = [&](ValueId input) { return extent_of(type_of(site, input), *axis).value_or(0) > 0; };
    const bool measured = std::all_of(node.inputs.begin(), node.inputs.end(), has_extent);
    return measured && *axis < kMaxRank ? std::uint32_t{1} << *axis : 0;
  }
  const Type& type = type_of(site, id);
  std::uint32_t found = 0;
  for (std::size_t axis = 0; type.shape && axis < type.shape->size() && axis < kMaxRank; ++axis) {
    const auto extent = extent_of(type, axis);
    const auto ties = extent && *extent > 0 ? tied_axes(node, axis) : std::nullopt;
    if (!ties) continue;
    bool any = false;
    bool all = true;
    for (std::size_t i = 0; i < ties->size(); ++i) {
      if (!node.inputs[i].valid() || (*ties)[i] < 0) continue;
      const auto along = static_cast<std::size_t>((*ties)[i]);
      const auto has = extent_of(type_of(site, node.inputs[i]), along);
      const bool packs = has == extent && packable(node.inputs[i], along);
      any = any || packs;
      all = all && has && (*has == 1 || *has == *extent) &&
            (packs || *has != *extent || !dependence.on_state(node.inputs[i]));
    }
    if (any && all) found |= std::uint32_t{1} << axis;
  }
  return found;
}

void PackedBody::find_axes() {
  std::fill(axes_.begin(), axes_.end(), 0);
  for (std::size_t i = 0; i < site.scan.states; ++i) {
    const Type& type = type_of(site, site.state(i));
    if (blocked_[i] || !is_cut_and_joined(type)) continue;
    for (std::size_t axis = 0; type.shape && axis < type.shape->size() && axis < kMaxRank; ++axis)
      if (extent_of(type, axis).value_or(0) > 0) axes_[site.state(i).index] |= std::uint32_t{1} << axis;
  }
  for (const Node& node : site.body.nodes)
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i].valid() && dependence.on_state(node.outputs[i]))
        axes_[node.outputs[i].index] = axes_made_by(node, i);
}

}  // namespace pawl::scan
