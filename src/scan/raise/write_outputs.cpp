#include "scan/raise/write_outputs.h"

#include <algorithm>

#include "base/try.h"
#include "scan/sequences.h"

namespace pawl::scan {

using graph::Mapping;
using graph::Node;
using graph::OpCall;

Result<void> WriteOutputs::add(std::size_t i, Mapping& mapping, ScanBuilder& made) {
  places_.push_back({i, made.outputs()});
  if (const auto* pushed = writes_.get<Pushed>(i); pushed != nullptr && !pushed->copied.valid())
    add_output(i, made, mapping(pushed->item), {0, pushed->in_front});
  if (const auto* grown = writes_.get<Grown>(i)) TRY(add(i, *grown, mapping, made));
  if (const auto* scattered = writes_.get<Scattered>(i)) TRY(add(i, *scattered, mapping, made));
  if (const auto* spliced = writes_.get<Spliced>(i)) TRY(add(i, *spliced, mapping, made));
  places_.back().count = made.outputs() - places_.back().first;
  return {};
}

Result<ValueId> WriteOutputs::finish(std::size_t i, std::span<const ValueId> results) {
  const auto place = std::find_if(places_.begin(), places_.end(), [&](const Place& each) { return each.carried == i; });
  CHECK(place != places_.end());
  if (const auto* pushed = writes_.get<Pushed>(i); pushed != nullptr && pushed->copied.valid()) return pushed->copied;
  const auto stacked = results.subspan(place->first, place->count);
  if (const auto* pushed = writes_.get<Pushed>(i)) return finish(i, *pushed, stacked[0]);
  if (const auto* grown = writes_.get<Grown>(i)) return finish(i, *grown, stacked[0]);
  if (const auto* spliced = writes_.get<Spliced>(i)) return finish(i, *spliced, stacked[0]);
  return finish(i, *writes_.get<Scattered>(i), stacked);
}

void WriteOutputs::add_output(std::size_t i, ScanBuilder& made, ValueId value, Cut cut) {
  graph::ValueInfo info;
  info.name = site_.outputs[i].name + "_steps";
  made.add_output(value, info, cut);
}

Result<ValueId> WriteOutputs::call(std::size_t i, std::string_view op, std::vector<ops::Attribute> attributes,
                                   std::vector<ValueId> inputs) {
  TRY_ASSIGN(const auto made, site_.outer.call(op, std::move(attributes), std::move(inputs), site_.outputs[i].name));
  return made[0];
}

Result<ValueId> WriteOutputs::squeezed(ScanBuilder& made, ValueId value, const std::vector<std::int64_t>& axes) {
  if (axes.empty()) return value;
  const ValueId list = made.body().add_integers(axes, "axes");
  TRY_ASSIGN(const auto entry, made.body().call("Squeeze", {}, {value, list}, "entry"));
  return entry[0];
}

Result<ValueId> WriteOutputs::entry(std::size_t i, const Mapping& mapping, ScanBuilder& made) {
  return squeezed(made, mapping(writes_.entry(i)->value), writes_.entry(i)->ones);
}

// --- sequences

Result<ValueId> WriteOutputs::finish(std::size_t i, const Pushed& write, ValueId stacked) {
  if (!write.before.empty()) {
    TRY_ASSIGN(const ValueId before, rows_of(site_.outer, write.before));
    std::vector<ValueId> parts{before, stacked};
    if (write.in_front) std::swap(parts[0], parts[1]);
    TRY_ASSIGN(stacked, call(i, "Concat", {{"axis", std::int64_t{0}}}, std::move(parts)));
  }
  return call(i, "SplitToSequence", {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{0}}}, {stacked});
}

// --- what grows

Result<void> WriteOutputs::add(std::size_t i, const Grown& write, Mapping& mapping, ScanBuilder& made) {
  const auto axis = static_cast<std::int64_t>(write.axis);
  ValueId added = mapping(write.parts[0]);
  if (write.parts.size() > 1) {
    TRY_ASSIGN(const auto joined,
               made.body().call("Concat", {{"axis", axis}}, mapping(std::span(write.parts)), "added"));
    added = joined[0];
  }
  if (writes_.entry(i)) {
    TRY_ASSIGN(added, entry(i, mapping, made));
  }
  add_output(i, made, added, {axis, write.in_front});
  return {};
}

Result<ValueId> WriteOutputs::finish(std::size_t i, const Grown& write, ValueId stacked) {
  if (!writes_.entry(i)) {
    const std::size_t rank = site_.type(write.parts[0]).shape->size() + 1;
    TRY_ASSIGN(stacked, merge_axes(site_.outer, stacked, rank, write.axis, site_.outputs[i].name + "_all"));
  }
  const ValueId initial = site_.initial(i);
  if ((*site_.outer.fact(initial).type.shape)[write.axis].value == 0) return stacked;
  std::vector<ValueId> parts{initial, stacked};
  if (write.in_front) std::swap(parts[0], parts[1]);
  return call(i, "Concat", {{"axis", static_cast<std::int64_t>(write.axis)}}, std::move(parts));
}

// --- what is scattered into

Result<void> WriteOutputs::add(std::size_t i, const Scattered& write, Mapping& mapping, ScanBuilder& made) {
  if (covers(i)) {
    TRY_ASSIGN(const ValueId whole, entry(i, mapping, made));
    add_output(i, made, whole, {static_cast<std::int64_t>(write.axis), write.at.scale < 0});
    return {};
  }
  for (const Node* node : write.nodes) {
    for (const std::size_t input : {std::size_t{1}, std::size_t{2}}) {
      ValueId value = mapping(node->inputs[input]);
      const std::int64_t axis = is_along_axis(*node) ? static_cast<std::int64_t>(write.axis) : 0;
      if (is_along_axis(*node)) {
        TRY_ASSIGN(value, squeezed(made, value, {axis}));
      }
      add_output(i, made, value, {axis, false});
    }
  }
  return {};
}

Result<ValueId> WriteOutputs::finish(std::size_t i, const Scattered& write, std::span<const ValueId> stacked) {
  if (covers(i)) return stacked[0];
  ValueId written = site_.initial(i);
  for (std::size_t k = 0; k < write.nodes.size(); ++k) {
    Node node;
    node.name = write.nodes[k]->name;
    node.label = write.nodes[k]->label;
    node.operation = std::get<OpCall>(write.nodes[k]->operation);
    node.inputs = {written, stacked[2 * k], stacked[2 * k + 1]};
    graph::ValueInfo value;
    value.name = site_.outputs[i].name;
    TRY_ASSIGN(const auto made, site_.outer.add(std::move(node), std::span(&value, 1)));
    written = made[0];
  }
  return written;
}

Result<void> WriteOutputs::add(std::size_t i, const Spliced& write, Mapping& mapping, ScanBuilder& made) {
  TRY_ASSIGN(const ValueId whole, entry(i, mapping, made));
  add_output(i, made, whole, {static_cast<std::int64_t>(write.axis), covers(i) && write.at.scale < 0});
  return {};
}

/// ScatterElements of the entries, with the place of its step for each of their elements.
Result<ValueId> WriteOutputs::finish(std::size_t i, const Spliced& write, ValueId stacked) {
  if (covers(i)) return stacked;
  const auto integer = [&](std::int64_t value) {
    return site_.outer.add_constant(Tensor::scalar<std::int64_t>(value), "place");
  };
  TRY_ASSIGN(ValueId places, call(i, "Range", {}, {integer(0), steps_.count, integer(1)}));
  TRY_ASSIGN(places, call(i, "Mul", {}, {places, integer(write.at.scale)}));
  TRY_ASSIGN(const ValueId first, site_.integers.emit(write.at.rest, "place"));
  TRY_ASSIGN(places, call(i, "Add", {}, {places, first}));
  const std::size_t rank = site_.type(write.concat->inputs[1]).shape->size();
  std::vector<std::int64_t> others;
  for (std::size_t k = 0; k < rank; ++k)
    if (k != write.axis) others.push_back(static_cast<std::int64_t>(k));
  if (!others.empty()) {
    const ValueId axes = site_.outer.add_integers(others, "axes");
    TRY_ASSIGN(places, call(i, "Unsqueeze", {}, {places, axes}));
  }
  TRY_ASSIGN(const ValueId shape, call(i, "Shape", {}, {stacked}));
  TRY_ASSIGN(places, call(i, "Expand", {}, {places, shape}));
  return call(i, "ScatterElements", {{"axis", static_cast<std::int64_t>(write.axis)}},
              {site_.initial(i), places, stacked});
}

/// As many steps as entries, from the first to the last or back.
bool WriteOutputs::covers(std::size_t i) {
  const auto write = writes_.places(i);
  if (!writes_.entry(i) || !write) return false;
  const auto extent = site_.integers.extent(site_.initial(i), write->axis);
  const auto count = site_.integers.of(steps_.count);
  if (!extent || !count || !same(*extent, *count)) return false;
  const auto last = minus(*count, Linear(1));
  const bool forward = write->at.scale == 1 && same(write->at.rest, Linear());
  return forward || (write->at.scale == -1 && last && same(write->at.rest, *last));
}

}  // namespace pawl::scan
