// The axis rule of Resize and Upsample: what is resampled is named axis by axis.
#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/schema.h"
#include "tensor/dispatch.h"

namespace pawl::ops {
namespace {

/// The scales of Resize and Upsample up to version 13, one for each axis, where they are known.
std::optional<std::vector<float>> scales_of(const NodeFacts& node) {
  if (const auto* list = node.attributes.get<std::vector<float>>("scales")) return *list;
  const std::size_t place = node.since() >= 11 ? 2 : 1;
  const Tensor* constant = node.has_input(place) ? node.inputs[place]->tensor() : nullptr;
  if (constant == nullptr || constant->dtype() != DType::f32) return std::nullopt;
  const Result<Tensor> dense = constant->to_dense();
  if (!dense.ok()) return std::nullopt;
  const std::span<const float> values = dense->values<float>();
  return std::vector<float>(values.begin(), values.end());
}

bool crops(const NodeFacts& node) {
  return node.attributes.text("coordinate_transformation_mode", "") == "tf_crop_and_resize";
}

/// The axes that the lists of the node are for; all where it does not name them.
std::vector<std::int64_t> named_axes(const NodeFacts& node) {
  const auto given = node.attributes.integers("axes");
  return node.attributes.has("axes") ? std::vector<std::int64_t>(given.begin(), given.end())
                                     : consecutive(node.rank(0));
}

/// A program in the node's own version: the new axis has a scale of 1.
Batching batch_by_scales(Batcher& b) {
  std::optional<std::vector<float>> scales = scales_of(b.node);
  if (!scales || scales->size() != b.node.rank(0)) return b.refuse("the scales are not known");
  scales->insert(scales->begin(), 1.0F);
  if (b.node.schema.attribute("scales") != nullptr)
    return b.done(b.again({b.input(0)}, with(b.node.attributes, "scales", *scales)));
  const auto count = static_cast<std::int64_t>(scales->size());
  std::vector<Operand> operands = b.inputs();
  operands[b.node.since() >= 11 ? 2 : 1] =
      Batcher::constant(Tensor::of<float>({count}, std::span<const float>(*scales)));
  return b.done(b.again(std::move(operands)));
}

}  // namespace

Batching batch_resize(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse("the scales or sizes differ from step to step");
  // Upsample-1 scales the last two axes.
  if (node.schema.attribute("width_scale") != nullptr)
    return node.rank(0) < 2 ? b.refuse("there are no two axes to scale") : b.done(b.again(b.inputs()));
  const bool removed_mode = node.attributes.text("coordinate_transformation_mode", "") == "tf_half_pixel_for_nn";
  if (node.since() < 11 || removed_mode) return batch_by_scales(b);
  std::vector<std::int64_t> axes = named_axes(node);
  for (std::int64_t& axis : axes)
    if (axis >= 0) ++axis;
  return b.done(b.newest(b.inputs(), with(node.attributes, "axes", axes)));
}

Ties relate_resize(const NodeFacts& node) {
  Ties ties;
  const std::vector<std::int64_t> axes = named_axes(node);
  Result<std::vector<bool>> touched = mark_axes(axes, node.rank(0));
  if (!touched.ok() || axes.empty()) return ties;
  if (node.schema.attribute("width_scale") != nullptr) {
    for (std::size_t i = 0; i < touched->size(); ++i) (*touched)[i] = i + 2 >= touched->size();
  } else if (const auto scales = scales_of(node); scales && scales->size() == axes.size() && !crops(node)) {
    for (std::size_t i = 0; i < axes.size(); ++i)
      if ((*scales)[i] == 1.0F) (*touched)[static_cast<std::size_t>(*resolve_axis(axes[i], node.rank(0)))] = false;
  }
  for (std::size_t axis = 0; axis < node.rank(0); ++axis) {
    if ((*touched)[axis]) continue;
    Tie tie{0, axis, std::vector<int>(node.inputs.size(), -1)};
    tie.inputs[0] = static_cast<int>(axis);
    ties.list.push_back(std::move(tie));
  }
  return ties;
}

}  // namespace pawl::ops
