// Axis rules of the operators that take a part of a tensor, or put a border around it: Slice, Pad, CenterCropPad.
#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

std::vector<std::int64_t> shifted(std::span<const std::int64_t> axes) {
  std::vector<std::int64_t> result;
  for (const std::int64_t axis : axes) result.push_back(axis < 0 ? axis : axis + 1);
  return result;
}

/// A list as an operand of the type that the node's other lists have.
Operand list_like(const NodeFacts& node, std::size_t i, const std::vector<std::int64_t>& values) {
  if (node.inputs[i]->type.dtype != DType::i32) return Batcher::integers(values);
  const std::vector<std::int32_t> narrow(values.begin(), values.end());
  return Batcher::constant(
      Tensor::of<std::int32_t>({static_cast<std::int64_t>(narrow.size())}, std::span<const std::int32_t>(narrow)));
}

Ties tie_all_but(const NodeFacts& node, const std::vector<bool>& touched) {
  Ties ties;
  for (std::size_t axis = 0; axis < touched.size(); ++axis) {
    if (touched[axis]) continue;
    Tie tie{0, axis, std::vector<int>(node.inputs.size(), -1)};
    tie.inputs[0] = static_cast<int>(axis);
    ties.list.push_back(std::move(tie));
  }
  return ties;
}

Ties tie_all_but(const NodeFacts& node, const std::optional<Dims>& axes) {
  if (!axes) return {};
  const Result<std::vector<bool>> marked = mark_axes(*axes, node.rank(0));
  return marked.ok() ? tie_all_but(node, *marked) : Ties();
}

/// The axes of Slice, the first ones where it names none; nullopt when they are not known.
std::optional<Dims> slice_axes(const NodeFacts& node) {
  std::size_t count = 0;
  if (node.since() < 10) {
    if (node.attributes.has("axes")) return Dims(node.attributes.integers("axes"));
    count = node.attributes.integers("starts").size();
  } else {
    if (node.has_input(3)) return node.integers(3);
    const SymbolicShape& starts = *node.shape(1);
    if (starts.size() != 1 || !starts[0].known() || starts[0].value > static_cast<std::int64_t>(node.rank(0)))
      return std::nullopt;
    count = static_cast<std::size_t>(starts[0].value);
  }
  return Dims(consecutive(count));
}

/// The axes that the pads are for; nullopt when they are not known.
std::optional<Dims> pad_axes(const NodeFacts& node) {
  if (node.has_input(3)) return node.integers(3);
  return Dims(consecutive(node.rank(0)));
}

std::string_view pads_name(const NodeFacts& node) { return node.since() < 2 ? "paddings" : "pads"; }

Dims center_axes(const NodeFacts& node) {
  if (node.attributes.has("axes")) return Dims(node.attributes.integers("axes"));
  return Dims(consecutive(node.rank(0)));
}

}  // namespace

Batching batch_slice(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse("the part differs from step to step");
  const std::optional<Dims> axes = slice_axes(node);
  if (!axes) return b.refuse("the axes are not known");
  if (node.since() < 10) return b.done(b.again({b.input(0)}, with(node.attributes, "axes", shifted(*axes))));
  std::vector<Operand> operands = b.inputs();
  operands.resize(std::max<std::size_t>(operands.size(), 4));
  operands[3] = list_like(node, 1, shifted(*axes));
  return b.done(b.again(std::move(operands)));
}

Ties relate_slice(const NodeFacts& node) { return tie_all_but(node, slice_axes(node)); }

Batching batch_pad(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse("the border differs from step to step");
  if (node.since() < 11) {
    const auto given = node.attributes.integers(pads_name(node));
    if (given.size() != 2 * node.rank(0)) return b.refuse("the pads do not fit the rank");
    std::vector<std::int64_t> pads(given.begin(), given.end());
    pads.insert(pads.begin() + static_cast<std::ptrdiff_t>(node.rank(0)), 0);
    pads.insert(pads.begin(), 0);
    return b.done(b.again({b.input(0)}, with(node.attributes, pads_name(node), pads)));
  }
  const std::optional<Dims> axes = pad_axes(node);
  if (!axes) return b.refuse("the axes are not known");
  // The pads need not be known: they are for the axes that are named beside them.
  return b.done(b.newest({b.input(0), b.input(1), b.input(2), Batcher::integers(shifted(*axes))}, node.attributes));
}

Ties relate_pad(const NodeFacts& node) {
  std::optional<Dims> pads = node.since() < 11 ? Dims(node.attributes.integers(pads_name(node))) : node.integers(1);
  const std::optional<Dims> axes = pad_axes(node);
  if (!axes || !pads || pads->size() != 2 * axes->size()) return {};
  std::vector<bool> touched(node.rank(0), false);
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const Result<std::size_t> axis = resolve_axis((*axes)[i], touched.size());
    if (!axis.ok()) return {};
    touched[*axis] = (*pads)[i] != 0 || (*pads)[axes->size() + i] != 0;
  }
  return tie_all_but(node, touched);
}

Batching batch_center(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse("the shape differs from step to step");
  return b.done(b.again(b.inputs(), with(node.attributes, "axes", shifted(center_axes(node)))));
}

Ties relate_center(const NodeFacts& node) { return tie_all_but(node, std::optional(center_axes(node))); }

}  // namespace pawl::ops
