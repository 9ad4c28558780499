// Sequences that are the slices of a tensor, or a list of tensors, need not be made: what is read of them is known.
#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/pass.h"
#include "scan/sequences.h"

namespace pawl::scan {
namespace {

using graph::Builder;
using graph::Node;
using graph::OpCall;
using graph::ValueId;
using graph::ValueInfo;

/// The tensor that a sequence is the slices of, one for each place along an axis.
struct Sliced {
  ValueId tensor;
  std::size_t axis = 0;
  std::size_t rank = 0;
  bool keeps_axis = false;  ///< the slices have it, with an extent of 1
};

Result<std::optional<Sliced>> slices_in(const Builder& builder, ValueId sequence) {
  const Node* split = producer_of(builder.graph(), sequence);
  const OpCall* call = call_of(split, "SplitToSequence");
  if (call == nullptr || split->inputs.size() != 1) return std::optional<Sliced>();
  const auto shape = builder.fact(split->inputs[0]).type.shape;
  if (!shape) return std::optional<Sliced>();
  TRY_ASSIGN(const std::size_t axis, graph::resolve_axis(call->attributes.integer("axis", 0), shape->size(), "axis"));
  const bool keeps = call->attributes.integer("keepdims", 1) != 0;
  return std::optional<Sliced>(Sliced{split->inputs[0], axis, shape->size(), keeps});
}

/// ConcatFromSequence(SplitToSequence(x)) is x with its axes in another order.
Rewritten concat_of_slices(Builder& builder, const OpCall& concat, const Sliced& sliced, const std::string& name) {
  const bool stacks = concat.attributes.integer("new_axis", 0) != 0;
  const std::size_t item_rank = sliced.rank - (sliced.keeps_axis ? 0 : 1);
  const auto axis = graph::resolve_axis(concat.attributes.integer("axis", 0), item_rank + (stacks ? 1 : 0), "axis");
  if (!axis.ok()) return {std::nullopt};
  if (sliced.keeps_axis)
    return stacks || *axis != sliced.axis ? Rewritten(std::nullopt) : Rewritten(std::vector{sliced.tensor});
  std::vector<std::int64_t> perm;
  for (std::size_t i = 0; i < sliced.rank; ++i)
    if (i != sliced.axis) perm.push_back(static_cast<std::int64_t>(i));
  perm.insert(perm.begin() + static_cast<std::ptrdiff_t>(*axis), static_cast<std::int64_t>(sliced.axis));
  ValueId moved = sliced.tensor;
  if (!std::is_sorted(perm.begin(), perm.end())) {
    TRY_ASSIGN(const auto transposed, builder.call("Transpose", {{"perm", perm}}, {moved}, name));
    moved = transposed[0];
  }
  if (!stacks) {
    TRY_ASSIGN(moved, merge_axes(builder, moved, sliced.rank, *axis, name));
  }
  return {std::vector{moved}};
}

/// ConcatFromSequence of tensors that are known is their Concat.
Rewritten concat_of_items(Builder& builder, const OpCall& concat, std::vector<ValueId> items, const std::string& name) {
  const std::int64_t axis = concat.attributes.integer("axis", 0);
  if (concat.attributes.integer("new_axis", 0) != 0) {
    const ValueId axes = builder.add_integers({axis}, "axes");
    for (ValueId& item : items) {
      TRY_ASSIGN(const auto wide, builder.call("Unsqueeze", {}, {item, axes}, name));
      item = wide[0];
    }
  }
  if (items.size() == 1) return {std::move(items)};
  TRY_ASSIGN(auto made, builder.call("Concat", {{"axis", axis}}, std::move(items), name));
  return {std::move(made)};
}

Rewritten concat(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  const OpCall* call = call_of(&node, "ConcatFromSequence");
  if (call == nullptr) return {std::nullopt};
  TRY_ASSIGN(const std::optional<Sliced> sliced, slices_in(builder, node.inputs[0]));
  if (sliced) return concat_of_slices(builder, *call, *sliced, outputs[0].name);
  auto items = known_items(builder.graph(), node.inputs[0]);
  // Nothing is no tensor: that fails, as it has to.
  if (!items || items->empty()) return {std::nullopt};
  return concat_of_items(builder, *call, std::move(*items), outputs[0].name);
}

/// SequenceAt(SplitToSequence(x), i) is Gather(x, i); of a list, the tensor at that place.
Rewritten item(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  if (call_of(&node, "SequenceAt") == nullptr) return {std::nullopt};
  const auto position = builder.fact(node.inputs[1]).type.shape;
  TRY_ASSIGN(const std::optional<Sliced> sliced, slices_in(builder, node.inputs[0]));
  if (sliced && position && position->empty()) {
    const std::vector<ops::Attribute> along{{"axis", static_cast<std::int64_t>(sliced->axis)}};
    TRY_ASSIGN(auto made, builder.call("Gather", along, {sliced->tensor, node.inputs[1]}, outputs[0].name));
    if (!sliced->keeps_axis) return {std::move(made)};
    const auto axis = static_cast<std::int64_t>(sliced->axis);
    const ValueId axes = builder.add_integers({axis}, "axes");
    TRY_ASSIGN(made, builder.call("Unsqueeze", {}, {made[0], axes}, outputs[0].name));
    return {std::move(made)};
  }
  const auto place = graph::integer_in(builder.fact(node.inputs[1]).tensor());
  const auto items = known_items(builder.graph(), node.inputs[0]);
  if (!place || !items) return {std::nullopt};
  const auto count = static_cast<std::int64_t>(items->size());
  if (*place < -count || *place >= count) return {std::nullopt};
  return {std::vector{(*items)[static_cast<std::size_t>(*place < 0 ? *place + count : *place)]}};
}

Rewritten length(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  if (call_of(&node, "SequenceLength") == nullptr) return {std::nullopt};
  const auto integer = [&](std::int64_t value) {
    return builder.add_constant(Tensor::scalar<std::int64_t>(value), outputs[0].name);
  };
  if (const auto items = known_items(builder.graph(), node.inputs[0]))
    return {std::vector{integer(static_cast<std::int64_t>(items->size()))}};
  TRY_ASSIGN(const std::optional<Sliced> sliced, slices_in(builder, node.inputs[0]));
  if (!sliced) return {std::nullopt};
  TRY_ASSIGN(const auto shape, builder.call("Shape", {}, {sliced->tensor}, outputs[0].name));
  const ValueId axis = integer(static_cast<std::int64_t>(sliced->axis));
  TRY_ASSIGN(auto made, builder.call("Gather", {{"axis", std::int64_t{0}}}, {shape[0], axis}, outputs[0].name));
  return {std::move(made)};
}

}  // namespace

Rewritten simplify_sequence(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  for (const auto rule : {concat, item, length}) {
    TRY_ASSIGN(auto made, rule(builder, node, outputs));
    if (made) return {std::move(made)};
  }
  return {std::nullopt};
}

}  // namespace pawl::scan
