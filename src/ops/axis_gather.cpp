// Axis rules of the operators that read or write at indices: Gather*, Scatter*.
#include <algorithm>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

std::int64_t given_axis(const NodeFacts& node) { return node.attributes.integer("axis", 0); }

Attributes with_shifted_axis(const NodeFacts& node) {
  const std::int64_t axis = given_axis(node);
  return with(node.attributes, "axis", axis < 0 ? axis : axis + 1);
}

std::size_t batch_dims(const NodeFacts& node) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(node.attributes.integer("batch_dims", 0), 0, 1 << 16));
}

/// How many axes of the data a tuple of indices stands for, where that is known.
std::optional<std::size_t> depth_of(const NodeFacts& node) {
  if (node.rank(1) == 0 || !node.shape(1)->back().known()) return std::nullopt;
  const auto depth = static_cast<std::size_t>(node.shape(1)->back().value);
  return depth <= node.rank(0) ? std::optional(depth) : std::nullopt;
}

/// Every step reads its own data at its own indices: those of the data come behind the new axis, so that both lead.
Batching gather_both(Batcher& b, std::size_t axis) {
  const std::size_t rank = b.node.rank(0), indices = b.node.rank(1);
  std::vector<std::int64_t> front = {0, static_cast<std::int64_t>(axis) + 1};
  for (std::size_t i = 0; i < rank; ++i)
    if (i != axis) front.push_back(static_cast<std::int64_t>(i) + 1);
  const Operand data = b.transpose(b.input(0), front);
  Operand tuples = b.unsqueeze(b.input(1), std::vector<std::int64_t>{-1});
  if (b.node.inputs[1]->type.dtype != DType::i64)
    tuples = b.call("Cast", {tuples}, only("to", static_cast<std::int64_t>(DType::i64)));
  const Operand found = b.call("GatherND", {data, tuples}, only("batch_dims", std::int64_t{1}));
  // [T, indices, data before, data behind]
  std::vector<std::int64_t> order = {0};
  for (const std::int64_t i : consecutive(axis, static_cast<std::int64_t>(1 + indices))) order.push_back(i);
  for (const std::int64_t i : consecutive(indices, 1)) order.push_back(i);
  for (const std::int64_t i : consecutive(rank - 1 - axis, static_cast<std::int64_t>(1 + indices + axis)))
    order.push_back(i);
  return b.done({b.transpose(found, order)});
}

}  // namespace

Batching batch_gather(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  const Result<std::size_t> axis = resolve_axis(given_axis(node), node.rank(0));
  if (!axis.ok()) return b.refuse("the axis is out of range");
  if (b.batched(0) && b.batched(1)) return gather_both(b, *axis);
  if (b.batched(0)) return b.done(b.again(b.inputs(), with_shifted_axis(node)));
  // The new axis arrives where the indices go.
  const Operand found = b.again(b.inputs(), with(node.attributes, "axis", static_cast<std::int64_t>(*axis)));
  std::vector<std::int64_t> order = {static_cast<std::int64_t>(*axis)};
  for (const std::int64_t i : consecutive(*axis)) order.push_back(i);
  for (const std::int64_t i :
       consecutive(node.rank(0) + node.rank(1) - 1 - *axis, static_cast<std::int64_t>(*axis) + 1))
    order.push_back(i);
  return b.done({b.transpose(found, order)});
}

Ties relate_gather(const NodeFacts& node) {
  Ties ties;
  const Result<std::size_t> axis = resolve_axis(given_axis(node), node.rank(0));
  if (!axis.ok()) return ties;
  std::size_t at = 0;
  for (std::size_t i = 0; i < *axis; ++i) ties.list.push_back({0, at++, {static_cast<int>(i), -1}});
  for (std::size_t i = 0; i < node.rank(1); ++i) ties.list.push_back({0, at++, {-1, static_cast<int>(i)}});
  for (std::size_t i = *axis + 1; i < node.rank(0); ++i) ties.list.push_back({0, at++, {static_cast<int>(i), -1}});
  return ties;
}

/// GatherElements, Scatter, ScatterElements: all operands have one rank.
Batching batch_at_elements(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) operands.push_back(b.lifted(i));
  return b.done(b.again(std::move(operands), with_shifted_axis(node)));
}

Ties relate_at_elements(const NodeFacts& node) {
  Ties ties;
  const Result<std::size_t> along = resolve_axis(given_axis(node), node.rank(0));
  if (!along.ok() || node.rank(1) != node.rank(0)) return ties;
  for (std::size_t axis = 0; axis < node.rank(0); ++axis) {
    // Indices may reach less far than the data.
    const bool covered = (*node.shape(0))[axis].same((*node.shape(1))[axis]);
    if (axis != *along && covered)
      ties.list.push_back({0, axis, std::vector<int>(node.inputs.size(), static_cast<int>(axis))});
  }
  return ties;
}

Batching batch_gather_nd(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  const std::size_t common = batch_dims(node);
  if (!b.batched(0) && common == 0) return b.done(b.again(b.inputs()));
  const Operand data = b.lifted(0), indices = b.lifted(1);
  return b.done(b.newest({data, indices}, with(node.attributes, "batch_dims", static_cast<std::int64_t>(common) + 1)));
}

Ties relate_gather_nd(const NodeFacts& node) {
  Ties ties;
  const std::optional<std::size_t> depth = depth_of(node);
  const std::size_t common = batch_dims(node);
  if (!depth || common + *depth > node.rank(0) || common >= node.rank(1)) return ties;
  std::size_t at = 0;
  for (; at + 1 < node.rank(1); ++at)
    ties.list.push_back({0, at, {at < common ? static_cast<int>(at) : -1, static_cast<int>(at)}});
  for (std::size_t i = common + *depth; i < node.rank(0); ++i)
    ties.list.push_back({0, at++, {static_cast<int>(i), -1}});
  return ties;
}

/// Tuples point into the leading axes, so the new one goes to the end.
Batching batch_scatter_nd(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.batched(1)) return b.refuse("the indices differ from step to step");
  const auto to_end = [&](std::size_t i) {
    std::vector<std::int64_t> order = consecutive(node.rank(i), 1);
    order.push_back(0);
    return b.transpose(b.lifted(i), order);
  };
  const Operand data = to_end(0), updates = to_end(2);
  const Operand written = b.again({data, b.input(1), updates});
  std::vector<std::int64_t> order = consecutive(node.rank(0));
  order.insert(order.begin(), static_cast<std::int64_t>(node.rank(0)));
  return b.done({b.transpose(written, order)});
}

Ties relate_scatter_nd(const NodeFacts& node) {
  Ties ties;
  const std::optional<std::size_t> depth = depth_of(node);
  if (!depth) return ties;
  for (std::size_t axis = *depth; axis < node.rank(0); ++axis)
    ties.list.push_back({0, axis, {static_cast<int>(axis), -1, static_cast<int>(node.rank(1) - 1 + axis - *depth)}});
  return ties;
}

}  // namespace pawl::ops
