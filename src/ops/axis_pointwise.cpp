// Axis rules of the operators that work element by element.
#include <algorithm>

#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

std::size_t greatest_rank(const NodeFacts& node) {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) rank = std::max(rank, node.rank(i));
  return rank;
}

bool broadcasts_by_axis(const NodeFacts& node) { return node.schema.attribute("broadcast") != nullptr; }

/// Where B's first axis stands among those of A, in the versions that have the attribute `broadcast`; nullopt when it
/// does not fit.
std::optional<std::size_t> place_of_b(const NodeFacts& node) {
  const auto rank_a = static_cast<std::int64_t>(node.rank(0)), rank_b = static_cast<std::int64_t>(node.rank(1));
  if (node.attributes.integer("broadcast", 0) == 0)
    return rank_a == rank_b ? std::optional<std::size_t>(0) : std::nullopt;
  std::int64_t axis = node.attributes.integer("axis", rank_a - rank_b);
  if (axis < 0 && node.attributes.has("axis")) axis += rank_a;
  if (axis < 0 || axis > rank_a - rank_b) return std::nullopt;
  return static_cast<std::size_t>(axis);
}

/// The newest version follows numpy, so B gets axes of 1 on both sides.
Batching batch_by_axis(Batcher& b) {
  const std::optional<std::size_t> place = place_of_b(b.node);
  if (!place) return b.refuse("B does not stand at an axis of A");
  const std::size_t rank_a = b.node.rank(0), rank_b = b.node.rank(1), behind = rank_a - rank_b - *place;
  const std::size_t before = b.batched(1) ? *place : 0;
  std::vector<std::int64_t> axes = consecutive(before, 1);
  const auto after = static_cast<std::int64_t>((b.batched(1) ? 1 : 0) + before + rank_b);
  for (std::size_t i = 0; i < behind; ++i) axes.push_back(after + static_cast<std::int64_t>(i));
  const Operand y = b.newest({b.input(0), b.unsqueeze(b.input(1), axes)}, {});
  return b.done(y);
}

Ties relate_by_axis(const NodeFacts& node) {
  const std::optional<std::size_t> place = place_of_b(node);
  Ties ties;
  if (!place) return ties;
  for (std::size_t axis = 0; axis < node.rank(0); ++axis) {
    const bool shared = axis >= *place && axis < *place + node.rank(1);
    ties.list.push_back({0, axis, {static_cast<int>(axis), shared ? static_cast<int>(axis - *place) : -1}});
  }
  return ties;
}

/// Until version 6 a slope of rank 1 runs along the channels.
bool slope_of_channels(const NodeFacts& node) { return node.since() < 7 && node.rank(1) == 1 && node.rank(0) >= 2; }

}  // namespace

Batching batch_pointwise(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (node.inputs.size() == 1) return b.done(b.again(b.inputs()));
  if (broadcasts_by_axis(node)) return batch_by_axis(b);
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) operands.push_back(b.aligned(i, greatest_rank(node)));
  // Max, Min, Sum and Mean broadcast since version 8.
  const bool stretches = node.schema.inputs[0].occurs != Occurs::variadic || node.since() >= 8;
  return b.done(stretches ? b.again(std::move(operands)) : b.newest(std::move(operands), {}));
}

Ties relate_pointwise(const NodeFacts& node) {
  if (node.inputs.size() == 2 && broadcasts_by_axis(node)) return relate_by_axis(node);
  Ties ties;
  const std::size_t rank = greatest_rank(node);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    Tie tie{0, axis, {}};
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      tie.inputs.push_back(static_cast<int>(axis) - static_cast<int>(rank - node.rank(i)));
    for (int& input : tie.inputs) input = std::max(input, -1);
    ties.list.push_back(std::move(tie));
  }
  return ties;
}

Ties relate_first(const NodeFacts& node) {
  Ties ties;
  for (std::size_t axis = 0; axis < node.rank(0); ++axis) {
    Tie tie{0, axis, std::vector<int>(node.inputs.size(), -1)};
    tie.inputs[0] = static_cast<int>(axis);
    ties.list.push_back(std::move(tie));
  }
  return ties;
}

Batching batch_clip(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (!b.others_batched({0})) return b.done(b.again(b.inputs()));
  Operand y = b.aligned(0, node.rank(0));
  for (const std::size_t bound : {1, 2}) {
    if (!node.has_input(bound)) continue;
    // A bound has one element, in any rank.
    std::vector<std::int64_t> shape(b.batched(bound) ? node.rank(0) + 1 : 0, 1);
    if (b.batched(bound)) shape[0] = 0;
    y = b.call(bound == 1 ? "Max" : "Min", {y, b.reshape(b.input(bound), shape)});
  }
  return b.done({y});
}

Batching batch_slope(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  const Operand x = b.batched(1) ? b.lifted(0) : b.input(0);
  if (node.since() >= 7) return b.done(b.again({x, b.aligned(1, node.rank(0))}));
  if (node.rank(1) > node.rank(0)) return b.refuse("the slope has more axes than X");
  if (node.rank(1) > 1) return b.refuse("the slope is neither a number nor a list");
  const std::size_t behind = slope_of_channels(node) ? node.rank(0) - 2 : 0;
  const std::size_t before = node.rank(0) - node.rank(1) - behind;
  const std::size_t own = b.batched(1) ? 1 : 0;
  std::vector<std::int64_t> axes = consecutive(own * before, 1);
  for (std::size_t i = 0; i < behind; ++i)
    axes.push_back(static_cast<std::int64_t>(own + own * before + node.rank(1) + i));
  return b.done(b.newest({x, b.unsqueeze(b.input(1), axes)}, {}));
}

Ties relate_slope(const NodeFacts& node) {
  if (node.since() >= 7) return relate_pointwise(node);
  Ties ties = relate_first(node);
  if (slope_of_channels(node)) ties.list[1].inputs[1] = 0;
  return ties;
}

Batching batch_same_shapes(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) operands.push_back(b.lifted(i));
  return b.done(b.again(std::move(operands)));
}

Batching batch_cast_like(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  const Operand x = b.lifted(0);
  return b.done(b.again({x, b.input(1)}));
}

}  // namespace pawl::ops
