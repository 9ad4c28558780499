// Which axes of the operators with independent rows are tied.
#include <algorithm>

#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

struct InputAxis {
  std::size_t input;
  std::size_t axis;
};

/// Adds a tie of an output axis to axes of some inputs; those that are omitted or lack the axis take part as a whole.
void add(Ties& ties, const NodeFacts& node, std::size_t output, std::size_t axis,
         std::initializer_list<InputAxis> inputs) {
  Tie tie{output, axis, std::vector<int>(node.inputs.size(), -1)};
  for (const InputAxis& tied : inputs)
    if (tied.input < node.inputs.size() && tied.axis < node.rank(tied.input))
      tie.inputs[tied.input] = static_cast<int>(tied.axis);
  ties.list.push_back(std::move(tie));
}

bool has_axes(const NodeFacts& node, std::size_t rank) { return node.rank(0) >= rank; }
bool ungrouped(const NodeFacts& node) { return node.attributes.integer("group", 1) == 1; }

/// True when every channel has one filter of its own.
bool depthwise(const NodeFacts& node) {
  const Dim group(node.attributes.integer("group", 1));
  return node.rank(0) > 1 && node.rank(1) > 0 && group.same((*node.shape(0))[1]) && group.same((*node.shape(1))[0]);
}

/// True when an input is omitted or certain to hold one element.
bool single(const NodeFacts& node, std::size_t i) {
  if (!node.has_input(i)) return true;
  return std::all_of(node.shape(i)->begin(), node.shape(i)->end(),
                     [](const Dim& dim) { return dim.known() && dim.value == 1; });
}

}  // namespace

template <std::uint32_t Rows>
Ties relate_rows(const NodeFacts& node) {
  Ties ties;
  for (std::size_t output = 0; output < node.outputs.size(); ++output) {
    add(ties, node, output, 0, {});
    for (std::size_t i = 0; i < node.inputs.size() && i < 32; ++i)
      if (((Rows >> i) & 1U) != 0 && node.has_input(i) && node.rank(i) > 0) ties.list.back().inputs[i] = 0;
  }
  return ties;
}
template Ties relate_rows<0b1>(const NodeFacts&);
template Ties relate_rows<0b11>(const NodeFacts&);
template Ties relate_rows<0b111111>(const NodeFacts&);

Ties relate_channels(const NodeFacts& node) {
  Ties ties;
  // Indices, where there are any, count through the whole batch.
  for (std::size_t axis = 0; axis < 2 && has_axes(node, 2); ++axis) add(ties, node, 0, axis, {{0, axis}});
  return ties;
}

Ties relate_conv(const NodeFacts& node) {
  Ties ties;
  add(ties, node, 0, 0, {{0, 0}});
  if (ungrouped(node)) {
    add(ties, node, 0, 1, {{1, 0}, {2, 0}});
  } else if (depthwise(node)) {
    // One channel alone would be one group.
    ties.by_elements = true;
    add(ties, node, 0, 1, {{0, 1}, {1, 0}, {2, 0}});
  }
  return ties;
}

Ties relate_conv_transpose(const NodeFacts& node) {
  Ties ties;
  add(ties, node, 0, 0, {{0, 0}});
  if (ungrouped(node)) add(ties, node, 0, 1, {{1, 1}, {2, 0}});
  return ties;
}

Ties relate_conv_integer(const NodeFacts& node) {
  Ties ties;
  add(ties, node, 0, 0, {{0, 0}});
  if (ungrouped(node) && single(node, 3)) add(ties, node, 0, 1, {{1, 0}});
  return ties;
}

Ties relate_deform_conv(const NodeFacts& node) {
  Ties ties;
  add(ties, node, 0, 0, {{0, 0}, {2, 0}, {4, 0}});
  if (ungrouped(node)) add(ties, node, 0, 1, {{1, 0}, {3, 0}});
  return ties;
}

Ties relate_instance(const NodeFacts& node) {
  Ties ties;
  if (!has_axes(node, 2)) return ties;
  add(ties, node, 0, 0, {{0, 0}});
  add(ties, node, 0, 1, {{0, 1}, {1, 0}, {2, 0}});
  return ties;
}

Ties relate_batch_norm(const NodeFacts& node) {
  Ties ties;
  const bool spatial = node.attributes.integer("spatial", 1) != 0;
  const bool trains = node.outputs.size() > 1 || node.attributes.integer("training_mode", 0) != 0;
  if (trains) return ties;
  for (std::size_t axis = 0; axis < node.rank(0) && (spatial || axis == 0); ++axis) {
    if (axis == 1)
      add(ties, node, 0, axis, {{0, 1}, {1, 0}, {2, 0}, {3, 0}, {4, 0}});
    else
      add(ties, node, 0, axis, {{0, axis}});
  }
  return ties;
}

Ties relate_around_channels(const NodeFacts& node) {
  Ties ties;
  for (std::size_t axis = 0; axis < node.rank(0); ++axis)
    if (axis != 1) add(ties, node, 0, axis, {{0, axis}});
  return ties;
}

Ties relate_tensor_scatter(const NodeFacts& node) {
  Ties ties;
  const Result<std::size_t> along = resolve_axis(node.attributes.integer("axis", -2), node.rank(0));
  for (std::size_t axis = 0; along.ok() && axis < node.rank(0); ++axis) {
    if (axis == 0)
      add(ties, node, 0, 0, {{0, 0}, {1, 0}, {2, 0}});
    else if (axis != *along)
      add(ties, node, 0, axis, {{0, axis}, {1, axis}});
  }
  return ties;
}

Ties relate_grid_sample(const NodeFacts& node) {
  Ties ties;
  if (!has_axes(node, 2)) return ties;
  add(ties, node, 0, 0, {{0, 0}, {1, 0}});
  add(ties, node, 0, 1, {{0, 1}});
  for (std::size_t axis = 1; axis + 1 < node.rank(1); ++axis) add(ties, node, 0, axis + 1, {{1, axis}});
  return ties;
}

Ties relate_affine_grid(const NodeFacts& node) {
  Ties ties;
  ties.by_elements = true;
  add(ties, node, 0, 0, {{0, 0}});
  return ties;
}

Ties relate_regions(const NodeFacts& node) {
  Ties ties;
  add(ties, node, 0, 0, {{1, 0}, {2, 0}});
  add(ties, node, 0, 1, {{0, 1}});
  return ties;
}

Ties relate_loss(const NodeFacts& node) {
  Ties ties;
  if (node.attributes.text("reduction", "mean") != "none") return ties;
  for (std::size_t axis = 0; axis < node.rank(1); ++axis) {
    const std::size_t of_scores = axis == 0 ? 0 : axis + 1;
    add(ties, node, 0, axis, {{0, of_scores}, {1, axis}});
    if (node.outputs.size() > 1) add(ties, node, 1, of_scores, {{0, of_scores}, {1, axis}});
  }
  return ties;
}

Ties relate_attention(const NodeFacts& node) {
  Ties ties;
  for (std::size_t output = 0; output < node.outputs.size(); ++output) {
    add(ties, node, output, 0, {{0, 0}, {1, 0}, {2, 0}, {4, 0}, {5, 0}, {6, 0}});
    if (node.rank(3) == 4) ties.list.back().inputs[3] = 0;
  }
  return ties;
}

Ties relate_rotary(const NodeFacts& node) {
  Ties ties;
  const bool indexed = node.has_input(3);
  for (std::size_t axis = 0; axis + 1 < node.rank(0); ++axis) {
    const bool heads = node.rank(0) == 4 && axis == 1;
    const std::size_t place = axis == 0 ? 0 : 1;
    if (heads)
      add(ties, node, 0, axis, {{0, axis}});
    else if (indexed)
      add(ties, node, 0, axis, {{0, axis}, {3, place}});
    else
      add(ties, node, 0, axis, {{0, axis}, {1, place}, {2, place}});
  }
  return ties;
}

Ties relate_causal_conv(const NodeFacts& node) {
  Ties ties;
  for (std::size_t output = 0; output < node.outputs.size(); ++output) {
    add(ties, node, output, 0, {{0, 0}, {3, 0}});
    add(ties, node, output, 1, {{0, 1}, {1, 0}, {2, 0}, {3, 1}});
  }
  return ties;
}

}  // namespace pawl::ops
