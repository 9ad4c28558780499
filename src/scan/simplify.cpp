// Shorter spellings of single operators: what later passes then need not know.
#include <algorithm>
#include <array>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/pass.h"

namespace pawl::scan {
namespace {

using graph::Builder;
using graph::Node;
using graph::OpCall;
using graph::ValueId;
using graph::ValueInfo;

/// What a rule makes of a node: one value for its only output, or nothing.
using Shorter = Result<std::optional<std::vector<ValueId>>>;

/// Identity of a tensor is the tensor, unless a declaration has to be checked on the way.
Shorter identity(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  if (call_of(&node, "Identity") == nullptr) return {std::nullopt};
  const Type& type = builder.fact(node.inputs[0]).type;
  if (!type.is_tensor() || type.dtype == DType::undefined || !graph::implies(type, outputs[0].declared))
    return {std::nullopt};
  return {std::vector<ValueId>{node.inputs[0]}};
}

/// The tensor that a sequence is the slices of, one for each place along an axis, or nothing.
struct Sliced {
  ValueId tensor;
  std::size_t axis = 0;
  std::size_t rank = 0;
};

Result<std::optional<Sliced>> slices_in(const Builder& builder, ValueId sequence) {
  const Node* split = producer_of(builder.graph(), sequence);
  const OpCall* call = call_of(split, "SplitToSequence");
  if (call == nullptr || split->inputs.size() != 1 || call->attributes.integer("keepdims", 1) != 0)
    return std::optional<Sliced>();
  const auto& shape = builder.fact(split->inputs[0]).type.shape;
  if (!shape) return std::optional<Sliced>();
  TRY_ASSIGN(const std::size_t axis, graph::resolve_axis(call->attributes.integer("axis", 0), shape->size(), "axis"));
  return std::optional<Sliced>(Sliced{split->inputs[0], axis, shape->size()});
}

/// ConcatFromSequence(SplitToSequence(x)) is x with its axes in another order.
Shorter concat_of_slices(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  const OpCall* concat = call_of(&node, "ConcatFromSequence");
  if (concat == nullptr) return {std::nullopt};
  TRY_ASSIGN(const std::optional<Sliced> sliced, slices_in(builder, node.inputs[0]));
  if (!sliced) return {std::nullopt};
  const bool stacks = concat->attributes.integer("new_axis", 0) == 1;
  const std::size_t item_rank = sliced->rank - 1;
  if (!stacks && item_rank == 0) return {std::nullopt};
  const Result<std::size_t> axis =
      graph::resolve_axis(concat->attributes.integer("axis", 0), item_rank + (stacks ? 1 : 0), "axis");
  if (!axis.ok()) return {std::nullopt};
  std::vector<std::int64_t> perm;
  for (std::size_t i = 0; i < sliced->rank; ++i)
    if (i != sliced->axis) perm.push_back(static_cast<std::int64_t>(i));
  perm.insert(perm.begin() + static_cast<std::ptrdiff_t>(*axis), static_cast<std::int64_t>(sliced->axis));
  ValueId moved = sliced->tensor;
  if (!std::is_sorted(perm.begin(), perm.end())) {
    TRY_ASSIGN(const auto transposed, builder.call("Transpose", {{"perm", perm}}, {moved}, outputs[0].name));
    moved = transposed[0];
  }
  if (stacks) return {std::vector<ValueId>{moved}};
  // The new axis and the one after it become one. 0 keeps an extent; only one may be open.
  std::vector<std::int64_t> shape(item_rank, 0);
  const SymbolicShape& whole = *builder.fact(moved).type.shape;
  for (std::size_t i = *axis + 1; i < item_rank; ++i) {
    if (!whole[i + 1].known()) return {std::nullopt};
    shape[i] = whole[i + 1].value;
  }
  const Dim& count = whole[*axis];
  const Dim& each = whole[*axis + 1];
  shape[*axis] = count.known() && each.known() ? count.value * each.value : -1;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end() && shape[*axis] == -1)
    for (std::size_t i = 0; i < item_rank; ++i)
      if (i > *axis && shape[i] == 0) return {std::nullopt};
  const ValueId target = builder.add_constant(
      Tensor::of<std::int64_t>({static_cast<std::int64_t>(item_rank)}, std::span<const std::int64_t>(shape)), "shape");
  TRY_ASSIGN(auto reshaped, builder.call("Reshape", {}, {moved, target}, outputs[0].name));
  return {std::move(reshaped)};
}

/// SequenceAt(SplitToSequence(x), i) is Gather(x, i).
Shorter item_of_slices(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  if (call_of(&node, "SequenceAt") == nullptr) return {std::nullopt};
  TRY_ASSIGN(const std::optional<Sliced> sliced, slices_in(builder, node.inputs[0]));
  const auto& position = builder.fact(node.inputs[1]).type.shape;
  if (!sliced || !position || !position->empty()) return {std::nullopt};
  const std::vector<ops::Attribute> along{{"axis", static_cast<std::int64_t>(sliced->axis)}};
  TRY_ASSIGN(auto item, builder.call("Gather", along, {sliced->tensor, node.inputs[1]}, outputs[0].name));
  return {std::move(item)};
}

/// The branch that is always taken, in the place of the If.
Shorter known_branch(Builder& builder, const Node& node, std::span<const ValueInfo>) {
  const auto* branch = std::get_if<graph::IfOp>(&node.operation);
  const Tensor* condition = branch == nullptr ? nullptr : builder.fact(node.inputs[0]).tensor();
  if (condition == nullptr || condition->dtype() != DType::boolean || condition->size() != 1) return {std::nullopt};
  const graph::Body& body = *condition->data<bool>() ? branch->then_branch : branch->else_branch;
  graph::Mapping mapping(*body.graph);
  for (const graph::Capture& capture : body.captures) mapping[capture.inner] = capture.outer;
  TRY(graph::copy_nodes(*body.graph, graph::values_behind(*body.graph, body.graph->outputs), mapping, builder));
  return {mapping(body.graph->outputs)};
}

constexpr std::array kRules = {identity, concat_of_slices, item_of_slices, known_branch};

}  // namespace

Rewritten simplify(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  for (const auto rule : kRules) {
    TRY_ASSIGN(auto made, rule(builder, node, outputs));
    if (made) return {std::move(made)};
  }
  return {std::nullopt};
}

}  // namespace pawl::scan
