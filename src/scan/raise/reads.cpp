#include "scan/raise/reads.h"

#include <algorithm>
#include <array>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/sequences.h"

namespace pawl::scan {
namespace {

using graph::Node;
using graph::OpCall;

/// Whether every extent is 1 for sure.
bool is_one(const Type& type) {
  return type.is_tensor() && type.shape &&
         std::all_of(type.shape->begin(), type.shape->end(), [](const Dim& dim) { return dim.value == 1; });
}

std::vector<std::int64_t> axes_from(std::size_t first, std::size_t count) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < count; ++i) axes.push_back(static_cast<std::int64_t>(first + i));
  return axes;
}

}  // namespace

bool Reads::may_read(const Node& node) {
  constexpr std::array<std::string_view, 5> kOps = {"Gather", "GatherND", "GatherElements", "Slice", "SequenceAt"};
  return std::any_of(kOps.begin(), kOps.end(), [&](std::string_view op) { return call_of(&node, op) != nullptr; });
}

Reads::Found Reads::find(const Node& node, ValueId tensor) {
  const auto* call = std::get_if<OpCall>(&node.operation);
  if (call == nullptr || !call->def->domain.empty() || node.outputs.size() != 1) return {std::nullopt};
  const std::string_view op = call->def->name;
  if (op == "SequenceAt") return sequence_at(node, tensor);
  if (!site_.outer.fact(tensor).type.shape) return {std::nullopt};
  if (op == "Gather") return gather(node, *call, tensor);
  if (op == "GatherND") return gather_row(node, *call, tensor);
  if (op == "GatherElements") return gather_elements(node, *call, tensor);
  if (op == "Slice") return slice(node, *call, tensor);
  return {std::nullopt};
}

Reads::Found Reads::gather(const Node& node, const OpCall& call, ValueId tensor) {
  if (!is_one(site_.type(node.inputs[1]))) return {std::nullopt};
  TRY_ASSIGN(auto at, forms_.of(node.inputs[1]));
  if (!at || at->scale == 0) return {std::nullopt};
  TRY_ASSIGN(const std::size_t axis, graph::resolve_axis(call.attributes.integer("axis", 0),
                                                         site_.outer.fact(tensor).type.shape->size(), "axis"));
  return {Read{tensor, axis, std::move(*at), axes_from(axis, site_.type(node.inputs[1]).shape->size())}};
}

/// GatherND of one entry of the first axis.
Reads::Found Reads::gather_row(const Node& node, const OpCall& call, ValueId tensor) {
  const Type& indices = site_.type(node.inputs[1]);
  if (call.attributes.integer("batch_dims", 0) != 0 || !is_one(indices) || indices.shape->empty())
    return {std::nullopt};
  TRY_ASSIGN(auto at, forms_.of(node.inputs[1]));
  if (!at || at->scale == 0 || site_.outer.fact(tensor).type.shape->empty()) return {std::nullopt};
  return {Read{tensor, 0, std::move(*at), axes_from(0, indices.shape->size() - 1)}};
}

/// GatherElements with one index everywhere, over all of the other axes.
Reads::Found Reads::gather_elements(const Node& node, const OpCall& call, ValueId tensor) {
  const SymbolicShape shape = *site_.integers.type(tensor).shape;
  const auto& indices = site_.type(node.inputs[1]).shape;
  const auto axis = graph::resolve_axis(call.attributes.integer("axis", 0), shape.size(), "axis");
  if (!axis.ok() || !indices || indices->size() != shape.size() || (*indices)[*axis].value != 1) return {std::nullopt};
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (i != *axis && !(*indices)[i].same(shape[i])) return {std::nullopt};
  // Where nothing is read, no index fails.
  for (const Dim& dim : *indices)
    if (dim.value < 1) return {std::nullopt};
  TRY_ASSIGN(auto at, forms_.of(node.inputs[1]));
  if (!at || at->scale == 0) return {std::nullopt};
  return {Read{tensor, *axis, std::move(*at), axes_from(*axis, 1)}};
}

Result<std::optional<std::size_t>> Reads::sliced_axis(const Node& node, std::size_t rank) const {
  const auto input = [&](std::size_t i) { return i < node.inputs.size() ? node.inputs[i] : ValueId(); };
  if (!input(2).valid() || !is_one(site_.type(input(1))) || !is_one(site_.type(input(2))))
    return std::optional<std::size_t>();
  if (input(4).valid() && graph::integer_in(site_.fact(input(4)).tensor()) != 1) return std::optional<std::size_t>();
  if (!input(3).valid()) return rank > 0 ? std::optional<std::size_t>(0) : std::nullopt;
  const auto axis = graph::integer_in(site_.fact(input(3)).tensor());
  if (!axis) return std::optional<std::size_t>();
  TRY_ASSIGN(const std::size_t resolved, graph::resolve_axis(*axis, rank, "axis"));
  return std::optional(resolved);
}

/// Slice(x, i, i + 1) takes nothing where x has no entry i: it is a read where that cannot be, or where what follows
/// would fail of it.
Reads::Found Reads::slice(const Node& node, const OpCall& call, ValueId tensor) {
  if (call.schema->since < 10) return {std::nullopt};
  TRY_ASSIGN(const auto axis, sliced_axis(node, site_.outer.fact(tensor).type.shape->size()));
  if (!axis) return {std::nullopt};
  TRY_ASSIGN(auto start, forms_.of(node.inputs[1]));
  TRY_ASSIGN(const auto end, forms_.of(node.inputs[2]));
  if (!start || !end || start->scale == 0 || start->scale != end->scale || difference(end->rest, start->rest) != 1)
    return {std::nullopt};
  if (!forms_.never_negative(*start)) return {std::nullopt};
  const auto extent = site_.integers.extent(tensor, *axis);
  const bool is_there = extent && forms_.always_below(*start, *extent);
  if (!is_there && !is_only_squeezed(node.outputs[0], *axis)) return {std::nullopt};
  return {Read{tensor, *axis, std::move(*start), axes_from(*axis, 1)}};
}

bool Reads::is_only_squeezed(ValueId inner, std::size_t axis) const {
  const auto& outputs = site_.body.outputs;
  if (std::find(outputs.begin(), outputs.end(), inner) != outputs.end()) return false;
  bool any = false;
  for (const Node& node : site_.body.nodes) {
    bool reads = false;
    for_each_read(node, [&](ValueId id) { reads = reads || id == inner; });
    if (!reads) continue;
    any = true;
    const OpCall* squeeze = call_of(&node, "Squeeze");
    if (squeeze == nullptr || !site_.type(inner).shape) return false;
    std::vector<std::int64_t> axes;
    for (const std::int64_t each : squeeze->attributes.integers("axes")) axes.push_back(each);
    if (node.inputs.size() > 1)
      if (const auto one = graph::integer_in(site_.fact(node.inputs[1]).tensor())) axes.push_back(*one);
    if (axes.size() != 1) return false;
    const auto squeezed = graph::resolve_axis(axes[0], site_.type(inner).shape->size(), "axis");
    if (!squeezed.ok() || *squeezed != axis) return false;
  }
  return any;
}

// --- sequences

Reads::Found Reads::sequence_at(const Node& node, ValueId sequence) {
  if (!is_one(site_.type(node.inputs[1]))) return {std::nullopt};
  TRY_ASSIGN(auto at, forms_.of(node.inputs[1]));
  if (!at || at->scale == 0) return {std::nullopt};
  TRY_ASSIGN(auto read, joined(sequence));
  if (read) read->at = std::move(*at);
  return {std::move(read)};
}

Reads::Found Reads::joined(ValueId sequence) {
  const Node* node = producer_of(site_.outer.graph(), sequence);
  const OpCall* split = call_of(node, "SplitToSequence");
  if (split != nullptr) return split_parts(*node, *split);
  const auto items = known_items(site_.outer.graph(), sequence);
  if (!items || items->empty()) return {std::nullopt};
  return constructed(*items);
}

Reads::Found Reads::split_parts(const Node& split, const OpCall& call) {
  const ValueId tensor = split.inputs[0];
  const auto shape = site_.outer.fact(tensor).type.shape;
  if (!shape) return {std::nullopt};
  TRY_ASSIGN(const std::size_t axis, graph::resolve_axis(call.attributes.integer("axis", 0), shape->size(), "axis"));
  const bool has_sizes = split.inputs.size() > 1 && split.inputs[1].valid();
  if (!has_sizes) {
    const bool drops = call.attributes.integer("keepdims", 1) == 0;
    return {Read{tensor, axis, {}, axes_from(axis, drops ? 0 : 1)}};
  }
  const ops::Fact sizes = site_.outer.fact(split.inputs[1]);
  const auto each = graph::integer_in(sizes.tensor());
  if (!each || *each < 1 || !sizes.type.shape || !sizes.type.shape->empty()) return {std::nullopt};
  if (*each == 1) return {Read{tensor, axis, {}, axes_from(axis, 1)}};
  // Parts of equal size are entries of what has one more axis.
  const auto extents = site_.outer.fact(tensor).type.static_shape();
  if (!extents || (*extents)[axis] % *each != 0) return {std::nullopt};
  std::vector<std::int64_t> target(extents->begin(), extents->end());
  target[axis] /= *each;
  target.insert(target.begin() + static_cast<std::ptrdiff_t>(axis) + 1, *each);
  if (std::find(target.begin(), target.end(), 0) != target.end()) return {std::nullopt};
  const ValueId wanted = site_.outer.add_integers(target, "parts");
  TRY_ASSIGN(const auto parts, site_.outer.call("Reshape", {}, {tensor, wanted}, "parts"));
  return {Read{parts[0], axis, {}}};
}

/// Items of one shape.
Reads::Found Reads::constructed(const std::vector<ValueId>& items) {
  for (const ValueId item : items) {
    const Type type = site_.outer.fact(item).type;
    if (!graph::is_measured(type) || !graph::same_type(site_.outer.fact(items[0]).type, type)) return {std::nullopt};
  }
  TRY_ASSIGN(const ValueId rows, rows_of(site_.outer, items));
  return {Read{rows, 0, {}}};
}

// --- the entries of all steps

Result<Entries> Reads::entries(const Read& read, const Steps& steps) {
  const auto axis = static_cast<std::int64_t>(read.axis);
  const auto extent = site_.integers.extent(read.tensor, read.axis);
  const auto count = site_.integers.of(steps.count);
  const bool all = extent && count && same(*extent, *count);
  const IndexForm& at = read.at;
  if (!forms_.never_negative(at) || at.scale < -1) return picked(read, steps);
  if (at.scale > 0) {
    if (all && at.scale == 1 && at.rest.constant() && at.rest.offset == 0)
      return Entries{read.tensor, {axis, false}, true};
    TRY_ASSIGN(const ValueId forward, part(read, at.rest, steps.count, at.scale));
    return Entries{forward, {axis, false}};
  }
  // The last step reads the first place.
  auto first = steps.inside ? minus(at.rest, *steps.inside) : std::nullopt;
  if (!first) return picked(read, steps);
  ++first->offset;
  if (all && first->constant() && first->offset == 0) return Entries{read.tensor, {axis, true}, true};
  TRY_ASSIGN(const ValueId backward, part(read, *first, steps.count, 1));
  return Entries{backward, {axis, true}};
}

/// Slice(tensor, start, start + stride * count, stride): `count` entries, or fewer where there are not as many.
Result<ValueId> Reads::part(const Read& read, const Linear& start, ValueId count, std::int64_t stride) {
  graph::Builder& outer = site_.outer;
  const auto list = [&](std::int64_t value) { return outer.add_integers({value}, "bound"); };
  TRY_ASSIGN(const ValueId first, site_.integers.emit(start, "first"));
  TRY_ASSIGN(const auto starts, outer.call("Reshape", {}, {first, list(1)}, "first"));
  ValueId length = count;
  if (stride != 1) {
    TRY_ASSIGN(const auto product, outer.call("Mul", {}, {count, list(stride)}, "length"));
    length = product[0];
  }
  TRY_ASSIGN(const auto ends, outer.call("Add", {}, {starts[0], length}, "end"));
  std::vector<ValueId> inputs{read.tensor, starts[0], ends[0], list(static_cast<std::int64_t>(read.axis))};
  if (stride != 1) inputs.push_back(list(stride));
  TRY_ASSIGN(const auto made, outer.call("Slice", {}, std::move(inputs), outer.graph()[read.tensor].name + "_steps"));
  return made[0];
}

/// Gather(tensor, rest + scale * [0, 1, 2, …]).
Result<Entries> Reads::picked(const Read& read, const Steps& steps) {
  graph::Builder& outer = site_.outer;
  const auto integer = [&](std::int64_t value) {
    return outer.add_constant(Tensor::scalar<std::int64_t>(value), "index");
  };
  TRY_ASSIGN(auto index, outer.call("Range", {}, {integer(0), steps.count, integer(1)}, "index"));
  if (read.at.scale != 1) {
    TRY_ASSIGN(index, outer.call("Mul", {}, {index[0], integer(read.at.scale)}, "index"));
  }
  TRY_ASSIGN(const ValueId first, site_.integers.emit(read.at.rest, "first"));
  TRY_ASSIGN(index, outer.call("Add", {}, {index[0], first}, "index"));
  const auto axis = static_cast<std::int64_t>(read.axis);
  TRY_ASSIGN(const auto made, outer.call("Gather", {{"axis", axis}}, {read.tensor, index[0]},
                                         outer.graph()[read.tensor].name + "_steps"));
  // The numbers of the steps are as many as there are steps.
  return Entries{made[0], {axis, false}, true};
}

}  // namespace pawl::scan
