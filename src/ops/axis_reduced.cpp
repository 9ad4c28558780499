// Axis rules of the operators that make one value of the elements along some axes.
#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

/// Which axes of a Reduce* are reduced; nullopt when the node's axes are not known or not valid.
std::optional<std::vector<bool>> reduced_axes(const NodeFacts& node) {
  std::optional<Dims> axes = Dims(node.attributes.integers("axes"));
  if (node.has_input(1)) axes = node.integers(1);
  if (!axes) return std::nullopt;
  if (axes->empty()) return std::vector<bool>(node.rank(0), node.attributes.integer("noop_with_empty_axes", 0) == 0);
  Result<std::vector<bool>> marked = mark_axes(*axes, node.rank(0));
  return marked.ok() ? std::optional(std::move(marked).value()) : std::nullopt;
}

/// Ties of an output that lacks the reduced axes, or keeps them with extent 1.
Ties tie_kept(const NodeFacts& node, const std::vector<bool>& reduced) {
  const bool keep = node.attributes.integer("keepdims", 1) != 0;
  Ties ties;
  std::size_t axis = 0;
  for (std::size_t from = 0; from < reduced.size(); ++from) {
    if (!reduced[from]) {
      Tie tie{0, axis, std::vector<int>(node.inputs.size(), -1)};
      tie.inputs[0] = static_cast<int>(from);
      ties.list.push_back(std::move(tie));
    }
    if (!reduced[from] || keep) ++axis;
  }
  return ties;
}

}  // namespace

Batching batch_reduced(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse("the axes differ from step to step");
  const auto reduced = reduced_axes(node);
  if (!reduced) return b.refuse("the axes are not known");
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < reduced->size(); ++i)
    if ((*reduced)[i]) axes.push_back(static_cast<std::int64_t>(i) + 1);
  Operand x = b.input(0);
  Attributes attributes = node.attributes;
  if (axes.empty()) {
    // Axes that name none would mean all.
    if (node.attributes.integer("noop_with_empty_axes", 0) != 0) return b.done(b.again(b.inputs()));
    x = b.unsqueeze(x, consecutive(1, 1));
    axes = {1};
    attributes = with(attributes, "keepdims", std::int64_t{0});
  }
  if (node.schema.attribute("axes") != nullptr) return b.done(b.again({x}, with(attributes, "axes", axes)));
  return b.done(b.again({x, Batcher::integers(axes)}, attributes));
}

Ties relate_reduced(const NodeFacts& node) {
  const auto reduced = reduced_axes(node);
  return reduced ? tie_kept(node, *reduced) : Ties();
}

Batching batch_arg(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  const std::int64_t axis = node.attributes.integer("axis", 0);
  return b.done(b.again(b.inputs(), with(node.attributes, "axis", axis < 0 ? axis : axis + 1)));
}

Ties relate_arg(const NodeFacts& node) {
  const std::int64_t axis[] = {node.attributes.integer("axis", 0)};
  const Result<std::vector<bool>> reduced = mark_axes(axis, node.rank(0));
  return reduced.ok() ? tie_kept(node, *reduced) : Ties();
}

}  // namespace pawl::ops
