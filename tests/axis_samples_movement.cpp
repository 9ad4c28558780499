// Nodes of the operators that move elements.
#include <algorithm>

#include "axis_samples.h"

namespace pawl::ops {
namespace {

std::int64_t rank_of(const Dims& shape) { return static_cast<std::int64_t>(shape.size()); }
std::size_t from_front(std::int64_t axis, const Dims& shape) {
  return static_cast<std::size_t>(axis < 0 ? axis + rank_of(shape) : axis);
}

/// A list in the type of schema input i.
Tensor list_for(Draw& draw, const Schema& schema, std::size_t i, const std::vector<std::int64_t>& values) {
  if (draw.dtype(schema, i, mask_of({DType::i32, DType::i64})) == DType::i64) return list_of(values);
  const std::vector<std::int32_t> narrow(values.begin(), values.end());
  return Tensor::of<std::int32_t>({static_cast<std::int64_t>(narrow.size())}, std::span<const std::int32_t>(narrow));
}

Sample sample_transpose(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(0, 4);
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  if (draw.chance(0.7)) sample.set("perm", draw.permutation(rank_of(shape)));
  return sample;
}

Sample sample_squeeze(Draw& draw, const Schema& schema) {
  Sample sample;
  Dims shape = draw.shape_between(0, 4);
  const std::vector<std::int64_t> axes = draw.axes(rank_of(shape), schema.since >= 11);
  for (const std::int64_t axis : axes) shape[from_front(axis, shape)] = 1;
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  if (draw.chance(0.25)) return sample;
  if (schema.since < 13) return sample.set("axes", axes);
  return sample.add_parameter(list_of(axes));
}

Sample sample_unsqueeze(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(0, 3);
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  const std::int64_t rank = rank_of(shape) + draw.between(1, 2);
  std::vector<std::int64_t> axes = draw.permutation(rank);
  axes.resize(static_cast<std::size_t>(rank - rank_of(shape)));
  for (std::int64_t& axis : axes)
    if (schema.since >= 11 && draw.chance(0.4)) axis -= rank;
  if (schema.since < 13) return sample.set("axes", axes);
  return sample.add_parameter(list_of(axes));
}

Sample sample_expand(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims out = draw.shape_between(0, 4);
  const auto drop = static_cast<std::size_t>(draw.between(0, rank_of(out)));
  Dims shape(std::span(out.begin() + drop, out.size() - drop)), wanted = out;
  for (std::int64_t& extent : shape)
    if (draw.chance(0.4)) extent = 1;
  if (drop == 0 && draw.chance(0.5) && !wanted.empty()) {
    const auto cut = static_cast<std::size_t>(draw.between(0, rank_of(out)));
    wanted = Dims(std::span(out.begin() + cut, out.size() - cut));
  }
  for (std::int64_t& extent : wanted)
    if (draw.chance(0.2)) extent = 1;
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  return sample.add_parameter(list_of(wanted));
}

Sample sample_shape(Draw& draw, const Schema& schema) {
  Sample sample;
  sample.add(draw.tensor(draw.dtype(schema, 0), draw.shape_between(0, 4)));
  if (schema.attribute("start") == nullptr) return sample;
  if (draw.chance(0.5)) sample.set("start", draw.between(-4, 4));
  if (draw.chance(0.5)) sample.set("end", draw.between(-4, 5));
  return sample;
}

Sample sample_tile(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape(schema.since < 6 ? draw.between(1, 3) : draw.between(0, 3), 3);
  const DType dtype = draw.dtype(schema, 0, schema.since < 6 ? mask_of({DType::f32}) : 0);
  sample.add(draw.tensor(dtype, shape));
  if (schema.since < 6) {
    sample.add_parameter(Tensor::scalar(static_cast<float>(draw.between(0, 3))));
    return sample.add_parameter(Tensor::scalar(static_cast<float>(draw.axis(rank_of(shape), false))));
  }
  std::vector<std::int64_t> repeats;
  for (std::size_t i = 0; i < shape.size(); ++i) repeats.push_back(draw.chance(0.5) ? 1 : draw.between(0, 3));
  return sample.add_parameter(list_of(repeats));
}

Sample sample_concat(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape(draw.between(schema.since < 4 ? 2 : 1, 4), 3);
  const std::int64_t axis = schema.since < 4 && draw.chance(0.4) ? 1 : draw.axis(rank_of(shape), schema.since >= 11);
  if (schema.since >= 4 || axis != 1 || draw.chance(0.5)) sample.set("axis", axis);
  const DType dtype = draw.dtype(schema, 0);
  for (std::int64_t i = draw.between(1, 3); i > 0; --i) {
    Dims part = shape;
    part[from_front(axis, shape)] = draw.extent(3);
    sample.add(draw.tensor(dtype, part));
  }
  return sample;
}

Sample sample_split(Draw& draw, const Schema& schema) {
  Sample sample;
  Dims shape = draw.shape_between(1, 4);
  const std::int64_t axis = draw.chance(0.3) ? 0 : draw.axis(rank_of(shape), schema.since >= 11);
  if (axis != 0) sample.set("axis", axis);
  sample.outputs = static_cast<std::size_t>(draw.between(1, 3));
  std::vector<std::int64_t> parts;
  const bool even = draw.chance(0.5);
  const std::int64_t each = draw.extent(3);
  for (std::size_t i = 0; i < sample.outputs; ++i) parts.push_back(even ? each : draw.extent(3));
  std::int64_t& extent = shape[from_front(axis, shape)] = 0;
  for (const std::int64_t part : parts) extent += part;
  const DType dtype = draw.dtype(schema, 0);
  sample.add(draw.tensor(dtype, shape));
  if (even && schema.attribute("num_outputs") != nullptr)
    return sample.set("num_outputs", static_cast<std::int64_t>(parts.size()));
  if (even && schema.attribute("num_outputs") == nullptr && draw.chance(0.7)) return sample;
  if (schema.attribute("split") != nullptr) return sample.set("split", parts);
  return sample.add_parameter(list_of(parts));
}

Sample sample_slice(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(1, 4);
  std::vector<std::int64_t> axes = draw.axes(rank_of(shape), schema.since >= 10);
  const bool named = draw.chance(0.7);
  if (!named)
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
  std::vector<std::int64_t> starts, ends, steps;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    starts.push_back(draw.between(-4, 4));
    ends.push_back(draw.pick<std::int64_t>({draw.between(-5, 5), 2147483647}));
    steps.push_back(draw.pick<std::int64_t>({1, 1, 2, -1, -2}));
  }
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  if (schema.since < 10) {
    if (named) sample.set("axes", axes);
    return sample.set("starts", starts).set("ends", ends);
  }
  sample.add_parameter(list_for(draw, schema, 1, starts)).add_parameter(list_for(draw, schema, 2, ends));
  if (named)
    sample.add_parameter(list_for(draw, schema, 3, axes));
  else
    sample.omit();
  if (draw.chance(0.6)) sample.add_parameter(list_for(draw, schema, 4, steps));
  return sample;
}

Sample sample_pad(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape(draw.between(0, 4), 3);
  std::vector<std::string> modes = {"constant", "constant", "reflect", "edge"};
  if (schema.since >= 19) modes.push_back("wrap");
  sample.set("mode", draw.pick<std::string>(modes));
  const bool named = schema.since >= 18 && draw.chance(0.6);
  const std::vector<std::int64_t> axes = draw.axes(rank_of(shape));
  std::vector<std::int64_t> pads(2 * (named ? axes.size() : shape.size()));
  for (std::int64_t& pad : pads) pad = draw.chance(0.4) ? 0 : draw.between(-1, 3);
  const DType dtype = draw.dtype(schema, 0);
  sample.add(draw.tensor(dtype, shape));
  if (schema.since < 11) {
    if (draw.chance(0.5)) sample.set("value", 1.5F);
    return sample.set(schema.since < 2 ? "paddings" : "pads", pads);
  }
  sample.add_parameter(list_of(pads));
  if (draw.chance(0.5))
    sample.add(draw.tensor(dtype, {}));
  else
    sample.omit();
  if (named) sample.add_parameter(list_for(draw, schema, 3, axes));
  sample.parameter[2] = draw.chance(0.8) || sample.parameter[2];
  return sample;
}

Sample sample_center(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(0, 4);
  const std::vector<std::int64_t> axes = draw.axes(rank_of(shape));
  const bool named = draw.chance(0.7);
  std::vector<std::int64_t> wanted;
  for (std::size_t i = 0; i < (named ? axes.size() : shape.size()); ++i) wanted.push_back(draw.between(0, 5));
  sample.add(draw.tensor(draw.dtype(schema, 0), shape)).add_parameter(list_for(draw, schema, 1, wanted));
  return named ? sample.set("axes", axes) : sample;
}

Sample sample_reshape(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(0, 4);
  // Splitting axes and joining neighbours reaches every kind of target.
  std::vector<std::int64_t> target;
  for (const std::int64_t extent : shape) {
    if (!target.empty() && draw.chance(0.3))
      target.back() *= extent;
    else if (extent == 4 && draw.chance(0.4))
      target.insert(target.end(), {2, 2});
    else
      target.push_back(extent);
    if (draw.chance(0.15)) target.push_back(1);
  }
  const bool literal = schema.since >= 14 && draw.chance(0.3);
  bool zero = false;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!literal && i < shape.size() && target[i] == shape[i] && draw.chance(0.4)) target[i] = 0;
    zero = zero || target[i] == 0;
  }
  if (!target.empty() && !zero && draw.chance(0.5))
    target[static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(target.size()) - 1))] = -1;
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  if (literal) sample.set("allowzero", std::int64_t{1});
  if (schema.since < 5) return sample.set("shape", target);
  return sample.add_parameter(list_of(target));
}

Sample sample_flatten(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(0, 4);
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  if (draw.chance(0.7) || shape.empty())
    sample.set("axis", draw.between(schema.since >= 11 ? -rank_of(shape) : 0, rank_of(shape)));
  return sample;
}

Tensor indices_for(Draw& draw, const Schema& schema, std::size_t i, const Dims& shape, std::int64_t extent) {
  const DType dtype = draw.dtype(schema, i, mask_of({DType::i32, DType::i64}));
  const std::int64_t most = std::max<std::int64_t>(extent, 1);
  return draw.whole(dtype, shape, schema.since >= 11 ? -most : 0, most - 1);
}

Sample sample_gather(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(1, 4);
  const std::int64_t axis = draw.axis(rank_of(shape));
  if (axis != 0 || draw.chance(0.5)) sample.set("axis", axis);
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  return sample.add(indices_for(draw, schema, 1, draw.shape(draw.between(0, 2), 3), shape[from_front(axis, shape)]));
}

Sample sample_at_elements(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(1, 4);
  const std::int64_t axis = draw.axis(rank_of(shape), schema.since >= 11);
  if (axis != 0 || draw.chance(0.5)) sample.set("axis", axis);
  Dims reach = shape;
  for (std::int64_t& extent : reach)
    if (draw.chance(0.2)) extent = draw.between(0, extent);
  reach[from_front(axis, shape)] = draw.extent();
  const bool scatters = schema.name != "GatherElements";
  const DType dtype = draw.dtype(schema, 0, scatters ? mask_of({DType::f32, DType::f64, DType::f16, DType::i64}) : 0);
  sample.add(draw.tensor(dtype, shape));
  sample.add(indices_for(draw, schema, 1, reach, shape[from_front(axis, shape)]));
  if (!scatters) return sample;
  if (schema.attribute("reduction") != nullptr)
    sample.set("reduction",
               draw.pick<std::string>(schema.since >= 18 ? std::vector<std::string>{"none", "add", "mul", "max", "min"}
                                                         : std::vector<std::string>{"none", "add", "mul"}));
  return sample.add(draw.tensor(dtype, reach));
}

/// Index tuples that fit data of that shape behind `common` axes.
Tensor tuples_for(Draw& draw, const Dims& data, std::size_t common, std::int64_t depth) {
  Dims shape(std::span(data.begin(), common));
  for (std::int64_t i = draw.between(0, 2); i > 0; --i) shape.push_back(draw.extent(3));
  shape.push_back(depth);
  std::int64_t least = 4;
  for (std::size_t i = common; i < common + static_cast<std::size_t>(depth); ++i) least = std::min(least, data[i]);
  return draw.whole(DType::i64, shape, 0, std::max<std::int64_t>(least, 1) - 1);
}

Sample sample_gather_nd(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(1, 4);
  const std::int64_t common =
      schema.attribute("batch_dims") != nullptr && draw.chance(0.5) ? draw.between(0, rank_of(shape) - 1) : 0;
  if (common > 0) sample.set("batch_dims", common);
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  return sample.add(
      tuples_for(draw, shape, static_cast<std::size_t>(common), draw.between(1, rank_of(shape) - common)));
}

Sample sample_scatter_nd(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(1, 4);
  const std::int64_t depth = draw.between(1, rank_of(shape));
  const DType dtype = draw.dtype(schema, 0, mask_of({DType::f32, DType::f64, DType::f16, DType::i64}));
  const Tensor tuples = tuples_for(draw, shape, 0, depth);
  Dims updates(std::span(tuples.shape().begin(), tuples.shape().size() - 1));
  for (std::size_t i = static_cast<std::size_t>(depth); i < shape.size(); ++i) updates.push_back(shape[i]);
  sample.add(draw.tensor(dtype, shape)).add(tuples).add(draw.tensor(dtype, updates));
  if (schema.attribute("reduction") != nullptr && draw.chance(0.6))
    sample.set("reduction", draw.pick<std::string>({"add", "mul"}));
  return sample;
}

constexpr SamplerRow kSamplers[] = {
    {"Transpose", sample_transpose},
    {"Squeeze", sample_squeeze},
    {"Unsqueeze", sample_unsqueeze},
    {"Expand", sample_expand},
    {"Shape", sample_shape},
    {"Size", sample_shape},
    {"Tile", sample_tile},
    {"Concat", sample_concat},
    {"Split", sample_split},
    {"Slice", sample_slice},
    {"Pad", sample_pad},
    {"CenterCropPad", sample_center},
    {"Reshape", sample_reshape},
    {"Flatten", sample_flatten},
    {"Gather", sample_gather},
    {"Scatter", sample_at_elements},
    {"GatherElements", sample_at_elements},
    {"ScatterElements", sample_at_elements},
    {"GatherND", sample_gather_nd},
    {"ScatterND", sample_scatter_nd},
};

}  // namespace

std::span<const SamplerRow> movement_samplers() { return kSamplers; }

}  // namespace pawl::ops
