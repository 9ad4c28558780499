// Axis rules of the operators that make views: Transpose, Squeeze, Unsqueeze, Expand, Shape, Size, Tile, Concat, Split.
#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

/// An axis of the node, counted in the batched value: those from the end stay.
std::int64_t shifted(std::int64_t axis) { return axis < 0 ? axis : axis + 1; }

std::vector<std::int64_t> shifted(const Dims& axes) {
  std::vector<std::int64_t> result;
  for (const std::int64_t axis : axes) result.push_back(shifted(axis));
  return result;
}

std::vector<std::int64_t> permutation(const NodeFacts& node) {
  const auto given = node.attributes.integers("perm");
  if (node.attributes.has("perm")) return {given.begin(), given.end()};
  std::vector<std::int64_t> reversed = consecutive(node.rank(0));
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

/// The axes of Squeeze or Unsqueeze, where they are known.
std::optional<Dims> given_axes(const NodeFacts& node) {
  if (node.schema.attribute("axes") == nullptr) return node.integers(1);
  if (!node.attributes.has("axes")) return std::nullopt;
  return Dims(node.attributes.integers("axes"));
}

/// Which axes Squeeze removes, where that is known.
std::optional<std::vector<bool>> squeezed(const NodeFacts& node) {
  const std::optional<Dims> axes = given_axes(node);
  std::vector<bool> removed(node.rank(0), false);
  if (axes) {
    for (const std::int64_t axis : *axes) {
      const Result<std::size_t> at = resolve_axis(axis, removed.size());
      if (!at.ok()) return std::nullopt;
      removed[*at] = true;
    }
    return removed;
  }
  if (node.has_input(1)) return std::nullopt;
  for (std::size_t i = 0; i < removed.size(); ++i) {
    if (!(*node.shape(0))[i].known()) return std::nullopt;
    removed[i] = (*node.shape(0))[i].value == 1;
  }
  return removed;
}

/// The node's operator with other axes, in the form that its version has.
Operand again_with_axes(Batcher& b, const std::vector<std::int64_t>& axes) {
  if (b.node.schema.attribute("axes") != nullptr) return b.again({b.input(0)}, with(b.node.attributes, "axes", axes));
  return b.again({b.input(0), Batcher::integers(axes)});
}

Tie tie_to_first(const NodeFacts& node, std::size_t axis, std::size_t input_axis, std::size_t output = 0) {
  Tie tie{output, axis, std::vector<int>(node.inputs.size(), -1)};
  tie.inputs[0] = static_cast<int>(input_axis);
  return tie;
}

constexpr std::string_view kAxesDiffer = "the axes differ from step to step";
constexpr std::string_view kAxesUnknown = "the axes are not known";
constexpr std::string_view kShapeDiffers = "the shape differs from step to step";

}  // namespace

Batching batch_transpose(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  std::vector<std::int64_t> perm = {0};
  for (const std::int64_t axis : permutation(node)) perm.push_back(axis + 1);
  return b.done(b.again({b.input(0)}, with(node.attributes, "perm", perm)));
}

Ties relate_transpose(const NodeFacts& node) {
  Ties ties;
  const std::vector<std::int64_t> perm = permutation(node);
  for (std::size_t axis = 0; axis < perm.size(); ++axis) ties.list.push_back({0, axis, {static_cast<int>(perm[axis])}});
  return ties;
}

Batching batch_squeeze(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse(kAxesDiffer);
  const auto removed = squeezed(node);
  if (!removed) return b.refuse("it is not known which axes are squeezed");
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < removed->size(); ++i)
    if ((*removed)[i]) axes.push_back(static_cast<std::int64_t>(i) + 1);
  // Without axes the new one would go too, where it is 1.
  return axes.empty() ? b.done({b.input(0)}) : b.done(again_with_axes(b, axes));
}

Ties relate_squeeze(const NodeFacts& node) {
  Ties ties;
  ties.by_elements = !given_axes(node);
  const auto removed = squeezed(node);
  std::size_t axis = 0;
  for (std::size_t i = 0; removed && i < removed->size(); ++i)
    if (!(*removed)[i]) ties.list.push_back(tie_to_first(node, axis++, i));
  return ties;
}

Batching batch_unsqueeze(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse(kAxesDiffer);
  const std::optional<Dims> axes = given_axes(node);
  if (!axes) return b.refuse(kAxesUnknown);
  return b.done(again_with_axes(b, shifted(*axes)));
}

Ties relate_unsqueeze(const NodeFacts& node) {
  Ties ties;
  const std::optional<Dims> axes = given_axes(node);
  if (!axes) return ties;
  const Result<std::vector<bool>> added = mark_axes(*axes, node.rank(0) + axes->size());
  std::size_t from = 0;
  for (std::size_t axis = 0; added.ok() && axis < added->size(); ++axis)
    if (!(*added)[axis]) ties.list.push_back(tie_to_first(node, axis, from++));
  return ties;
}

Batching batch_expand(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse(kShapeDiffers);
  const SymbolicShape& shape = *node.shape(1);
  if (shape.size() != 1 || !shape[0].known()) return b.refuse("the rank of the result is not known");
  const std::size_t rank = std::max(node.rank(0), static_cast<std::size_t>(shape[0].value));
  return b.done(b.again({b.aligned(0, rank), b.input(1)}));
}

Ties relate_expand(const NodeFacts& node) {
  Ties ties;
  ties.by_elements = true;
  if (node.outputs.empty() || !node.outputs[0].shape) return ties;
  const std::size_t rank = node.outputs[0].shape->size(), added = rank - std::min(rank, node.rank(0));
  for (std::size_t axis = 0; axis < rank; ++axis)
    ties.list.push_back({0, axis, {axis < added ? -1 : static_cast<int>(axis - added), -1}});
  return ties;
}

Batching batch_shape(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  const auto rank = static_cast<std::int64_t>(node.rank(0));
  const auto clamped = [&](std::string_view name, std::int64_t otherwise) {
    const std::int64_t axis = node.attributes.integer(name, otherwise);
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const Operand extents = b.extents(b.input(0), clamped("start", 0) + 1, clamped("end", rank) + 1);
  return b.done({b.repeated(extents, DType::i64, 1)});
}

Batching batch_size(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  const Operand size =
      b.call("ReduceProd", {b.extents(b.input(0), 1), Batcher::integers({0})}, only("keepdims", std::int64_t{0}));
  return b.done({b.repeated(size, DType::i64, 0)});
}

Ties relate_nothing(const NodeFacts&) { return {}; }

Batching batch_tile(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse("the repeats differ from step to step");
  if (node.since() >= 6) {
    Operand repeats = b.concat({Batcher::integers({1}), b.input(1)});
    if (const std::optional<Dims> known = node.integers(1)) {
      std::vector<std::int64_t> list = {1};
      list.insert(list.end(), known->begin(), known->end());
      repeats = Batcher::integers(list);
    }
    return b.done(b.again({b.input(0), repeats}));
  }
  const std::optional<Dims> tiles = node.integers(1), axis = node.integers(2);
  if (!tiles || !axis || tiles->size() != 1 || axis->size() != 1) return b.refuse("the repeats are not known");
  const Result<std::size_t> at = resolve_axis((*axis)[0], node.rank(0));
  if (!at.ok()) return b.refuse("the axis is out of range");
  std::vector<std::int64_t> list(node.rank(0) + 1, 1);
  list[*at + 1] = (*tiles)[0];
  return b.done(b.newest({b.input(0), Batcher::integers(list)}, {}));
}

Ties relate_tile(const NodeFacts& node) {
  Ties ties;
  const std::optional<Dims> repeats = node.integers(1), along = node.integers(2);
  for (std::size_t axis = 0; axis < node.rank(0); ++axis) {
    const bool kept = node.since() < 6 ? along && along->size() == 1 &&
                                             (*along)[0] != static_cast<std::int64_t>(axis) && (*along)[0] >= 0
                                       : repeats && axis < repeats->size() && (*repeats)[axis] == 1;
    if (kept) ties.list.push_back(tie_to_first(node, axis, axis));
  }
  return ties;
}

namespace {

std::int64_t concat_axis(const NodeFacts& node) { return node.attributes.integer("axis", node.since() < 4 ? 1 : 0); }

}  // namespace

Batching batch_concat(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  std::vector<Operand> parts;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) parts.push_back(b.lifted(i));
  return b.done(b.again(std::move(parts), with(node.attributes, "axis", shifted(concat_axis(node)))));
}

Ties relate_concat(const NodeFacts& node) {
  Ties ties;
  const Result<std::size_t> along = resolve_axis(concat_axis(node), node.rank(0));
  for (std::size_t axis = 0; along.ok() && axis < node.rank(0); ++axis)
    if (axis != *along) ties.list.push_back({0, axis, std::vector<int>(node.inputs.size(), static_cast<int>(axis))});
  return ties;
}

Batching batch_split(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse("the parts differ from step to step");
  return b.done(b.again(b.inputs(), with(node.attributes, "axis", shifted(node.attributes.integer("axis", 0)))));
}

Ties relate_split(const NodeFacts& node) {
  Ties ties;
  const Result<std::size_t> along = resolve_axis(node.attributes.integer("axis", 0), node.rank(0));
  for (std::size_t output = 0; along.ok() && output < node.outputs.size(); ++output)
    for (std::size_t axis = 0; axis < node.rank(0); ++axis)
      if (axis != *along) ties.list.push_back(tie_to_first(node, axis, axis, output));
  return ties;
}

}  // namespace pawl::ops
