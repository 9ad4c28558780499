// Nodes of the operators with independent rows along axis 0.
#include <algorithm>

#include "axis_samples.h"

namespace pawl::ops {
namespace {

/// [N, C, spatial…]; the spatial extents from 3 to 5.
Dims image_shape(Draw& draw, std::int64_t spatial) {
  Dims shape = {draw.extent(3), draw.between(1, 3)};
  for (std::int64_t i = 0; i < spatial; ++i) shape.push_back(draw.between(3, 5));
  return shape;
}

using List = std::vector<std::int64_t>;

Sample sample_pool(Draw& draw, const Schema& schema) {
  Sample sample;
  const std::int64_t spatial = draw.between(1, 2);
  sample.add(draw.tensor(draw.dtype(schema, 0), image_shape(draw, spatial)));
  const auto rank = static_cast<std::size_t>(spatial);
  sample.set("kernel_shape", List(rank, draw.between(1, 3))).set("strides", List(rank, draw.between(1, 2)));
  if (draw.chance(0.5)) sample.set("pads", List(2 * rank, 1));
  if (schema.name == "MaxPool" && draw.chance(0.1)) sample.outputs = schema.max_outputs;
  return sample;
}

Sample sample_global_pool(Draw& draw, const Schema& schema) {
  Sample sample;
  return sample.add(draw.tensor(draw.dtype(schema, 0), draw.shape_between(2, 4)));
}

struct Filter {
  Dims x, w;
  std::int64_t filters;
};

/// Shapes of a convolution, and its attributes.
Filter filter_for(Draw& draw, Sample& sample, bool transposed) {
  const std::int64_t spatial = draw.between(1, 2), group = draw.pick<std::int64_t>({1, 1, 2, 2});
  Filter filter{image_shape(draw, spatial), {}, group * draw.between(1, 2)};
  filter.x[1] = group * draw.between(1, 2);
  filter.w = transposed ? Dims{filter.x[1], filter.filters / group} : Dims{filter.filters, filter.x[1] / group};
  for (std::int64_t i = 0; i < spatial; ++i) filter.w.push_back(draw.between(1, 3));
  if (group != 1) sample.set("group", group);
  if (draw.chance(0.5)) sample.set("strides", List(static_cast<std::size_t>(spatial), 2));
  if (draw.chance(0.5)) sample.set("pads", List(2 * static_cast<std::size_t>(spatial), 1));
  return filter;
}

Sample sample_conv(Draw& draw, const Schema& schema) {
  Sample sample;
  const Filter filter = filter_for(draw, sample, schema.name == "ConvTranspose");
  const DType dtype = draw.dtype(schema, 0);
  const bool shared = draw.chance(0.8);
  sample.add(draw.tensor(dtype, filter.x)).add(draw.tensor(dtype, filter.w));
  if (draw.chance(0.5)) sample.add(draw.tensor(dtype, {filter.filters}));
  for (std::size_t i = 1; i < sample.inputs.size(); ++i) sample.parameter[i] = shared;
  return sample;
}

Sample sample_conv_integer(Draw& draw, const Schema& schema) {
  Sample sample;
  const Filter filter = filter_for(draw, sample, false);
  const auto add = [&](std::size_t i, const Dims& shape) {
    sample.add(draw.whole(draw.dtype(schema, i), shape, 0, 99));
  };
  add(0, filter.x);
  add(1, filter.w);
  if (draw.chance(0.5)) {
    add(2, {});
    if (draw.chance(0.5)) add(3, {});
  }
  for (std::size_t i = 1; i < sample.inputs.size(); ++i) sample.parameter[i] = draw.chance(0.9);
  return sample;
}

Sample sample_qlinear_conv(Draw& draw, const Schema& schema) {
  Sample sample;
  const Filter filter = filter_for(draw, sample, false);
  const auto add = [&](std::size_t i, const Dims& shape) {
    sample.add(draw.whole(draw.dtype(schema, i), shape, 0, 99));
  };
  const auto add_scale = [&](const Dims& shape) { sample.add(draw.reals(DType::f32, shape, 0.25, 2)); };
  add(0, filter.x);
  add_scale({});
  add(2, {});
  add(3, filter.w);
  add_scale({filter.filters});
  add(5, {filter.filters});
  add_scale({});
  add(7, {});
  if (draw.chance(0.5)) sample.add(draw.whole(DType::i32, {filter.filters}, -99, 99));
  for (std::size_t i = 1; i < sample.inputs.size(); ++i) sample.parameter[i] = true;
  return sample;
}

Sample sample_deform_conv(Draw& draw, const Schema& schema) {
  Sample sample;
  const std::int64_t n = draw.extent(3), filters = draw.between(1, 2), channels = draw.between(1, 2);
  const DType dtype = draw.dtype(schema, 0);
  const auto add = [&](const Dims& shape) { sample.add(draw.reals(dtype, shape, -2, 2)); };
  add({n, channels, 4, 3});
  add({filters, channels, 2, 2});
  add({n, 8, 3, 2});
  if (draw.chance(0.5))
    add({filters});
  else
    sample.omit();
  if (draw.chance(0.5)) add({n, 4, 3, 2});
  for (const std::size_t i : {1, 3}) sample.parameter[i] = sample.parameter[i] || draw.chance(0.9);
  return sample;
}

Sample sample_normalization(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = image_shape(draw, draw.between(0, 2));
  const DType dtype = draw.dtype(schema, 0);
  std::int64_t parameters = shape[1];
  if (schema.name == "GroupNormalization") {
    sample.set("num_groups", shape[1]);
    if (schema.since < 21) parameters = shape[1];
  }
  sample.add(draw.tensor(dtype, shape));
  for (std::size_t i = 1; i < schema.min_inputs; ++i)
    sample.add(draw.reals(draw.dtype(schema, i), {parameters}, 0.5, 2));
  for (std::size_t i = 1; i < sample.inputs.size(); ++i) sample.parameter[i] = draw.chance(0.95);
  if (schema.attribute("consumed_inputs") != nullptr && schema.name == "BatchNormalization")
    sample.set("consumed_inputs", List{0, 0, 0, 1, 1});
  return sample;
}

Sample sample_lrn(Draw& draw, const Schema& schema) {
  Sample sample;
  sample.set("size", draw.between(1, 4));
  return sample.add(draw.reals(draw.dtype(schema, 0), draw.shape_between(2, 4), -4, 4));
}

Sample sample_blocks(Draw& draw, const Schema& schema) {
  Sample sample;
  const std::int64_t block = draw.between(1, 2);
  Dims shape = draw.shape(4, 2);
  for (const std::size_t axis : {1, 2, 3}) shape[axis] *= block * (axis == 1 ? block : 1);
  if (schema.attribute("mode") != nullptr && draw.chance(0.5)) sample.set("mode", std::string("CRD"));
  sample.set("blocksize", block);
  return sample.add(draw.tensor(draw.dtype(schema, 0), shape));
}

Sample sample_col2im(Draw& draw, const Schema& schema) {
  Sample sample;
  const DType dtype = draw.dtype(schema, 0, mask_of({DType::f32, DType::f64, DType::f16, DType::i64}));
  sample.add(draw.tensor(dtype, {draw.extent(3), 4 * draw.between(1, 2), 6}));
  return sample.add_parameter(list_of(List{3, 4})).add_parameter(list_of(List{2, 2}));
}

Sample sample_tensor_scatter(Draw& draw, const Schema& schema) {
  Sample sample;
  Dims shape = {draw.extent(3), draw.extent(3), draw.between(2, 4), draw.extent(3)};
  Dims update = shape;
  update[2] = draw.between(0, 2);
  const DType dtype = draw.dtype(schema, 0);
  sample.add(draw.tensor(dtype, shape)).add(draw.tensor(dtype, update));
  if (draw.chance(0.7)) sample.add(draw.whole(DType::i64, {shape[0]}, 0, shape[2] - update[2]));
  return sample;
}

Sample sample_grid(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims image = image_shape(draw, 2);
  sample.set("mode",
             draw.pick<std::string>(schema.since < 20 ? std::vector<std::string>{"bilinear", "nearest", "bicubic"}
                                                      : std::vector<std::string>{"linear", "nearest", "cubic"}));
  sample.set("padding_mode", draw.pick<std::string>({"zeros", "border", "reflection"}));
  const auto floats = mask_of({DType::f32, DType::f64});
  sample.add(draw.reals(draw.dtype(schema, 0, floats), image, -4, 4));
  return sample.add(
      draw.reals(draw.dtype(schema, 1, floats), {image[0], draw.extent(3), draw.extent(3), 2}, -1.3, 1.3));
}

Sample sample_affine_grid(Draw& draw, const Schema& schema) {
  Sample sample;
  const std::int64_t n = draw.extent(3);
  if (draw.chance(0.5)) sample.set("align_corners", std::int64_t{1});
  if (draw.chance(0.5)) {
    sample.add(draw.tensor(draw.dtype(schema, 0), {n, 2, 3}));
    return sample.add_parameter(list_of(List{n, 2, draw.between(1, 3), draw.between(1, 3)}));
  }
  sample.add(draw.tensor(draw.dtype(schema, 0), {n, 3, 4}));
  return sample.add_parameter(list_of(List{n, 2, draw.between(1, 2), draw.between(1, 3), draw.between(1, 3)}));
}

Sample sample_regions(Draw& draw, const Schema& schema) {
  Sample sample;
  const bool aligned = schema.name == "RoiAlign";
  const Dims image = {2, draw.between(1, 2), 5, 4};
  const std::int64_t count = draw.extent(3);
  const DType dtype = draw.dtype(schema, 0, mask_of({DType::f32, DType::f64}));
  sample.add(draw.reals(dtype, image, -4, 4)).add(draw.whole(dtype, {count, aligned ? 4 : 5}, 0, aligned ? 3 : 1));
  sample.parameter[0] = draw.chance(0.9);
  if (!aligned) return sample.set("pooled_shape", List{2, 2});
  sample.set("output_height", std::int64_t{2}).set("output_width", std::int64_t{2});
  return sample.add(draw.whole(DType::i64, {count}, 0, 1));
}

Sample sample_loss(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims scores = image_shape(draw, draw.between(0, 2));
  Dims labels = scores;
  labels.erase(1);
  sample.set("reduction", draw.chance(0.8) ? std::string("none") : std::string("sum"));
  if (draw.chance(0.4)) sample.set("ignore_index", std::int64_t{0});
  const DType dtype = draw.dtype(schema, 0);
  sample.add(draw.tensor(dtype, scores)).add(draw.whole(draw.dtype(schema, 1), labels, 0, scores[1] - 1));
  if (draw.chance(0.4)) sample.add(draw.reals(dtype, {scores[1]}, 0, 2));
  if (sample.inputs.size() > 2) sample.parameter[2] = true;
  if (schema.max_outputs > 1) sample.outputs = static_cast<std::size_t>(draw.between(1, 2));
  return sample;
}

Sample sample_stft(Draw& draw, const Schema& schema) {
  Sample sample;
  const DType dtype = draw.dtype(schema, 0);
  sample.add(draw.tensor(dtype, {draw.extent(3), 8, 1})).add_parameter(number_of(2));
  if (draw.chance(0.5))
    sample.add_parameter(draw.reals(dtype, {4}, 0.5, 1));
  else
    sample.omit();
  return sample.add_parameter(number_of(4));
}

Sample sample_attention(Draw& draw, const Schema& schema) {
  Sample sample;
  const std::int64_t n = draw.extent(3), heads = draw.between(1, 2), rows = draw.between(1, 3),
                     keys = draw.between(1, 3);
  const bool flat = draw.chance(0.4), cached = draw.chance(0.3);
  const std::int64_t past = cached ? draw.between(1, 2) : 0;
  const auto shape = [&](std::int64_t positions) {
    return flat ? Dims{n, positions, 2 * heads} : Dims{n, heads, positions, 2};
  };
  const DType first = draw.dtype(schema, 0), second = draw.dtype(schema, 2);
  sample.add(draw.reals(first, shape(rows), -2, 2))
      .add(draw.reals(first, shape(keys), -2, 2))
      .add(draw.reals(second, shape(keys), -2, 2));
  if (flat) sample.set("q_num_heads", heads).set("kv_num_heads", heads);
  if (draw.chance(0.4)) sample.set("is_causal", std::int64_t{1});
  if (draw.chance(0.5))
    sample.add_parameter(draw.reals(
        first, draw.pick<Dims>({{rows, keys + past}, {1, 1, rows, keys + past}, {n, heads, rows, keys + past}}), -1,
        1));
  else
    sample.omit();
  if (!cached) return sample;
  sample.add(draw.reals(first, {n, heads, past, 2}, -2, 2)).add(draw.reals(second, {n, heads, past, 2}, -2, 2));
  sample.outputs = 3;
  return sample;
}

Sample sample_rotary(Draw& draw, const Schema& schema) {
  Sample sample;
  const std::int64_t n = draw.extent(3), positions = draw.between(1, 3);
  const bool flat = draw.chance(0.5), indexed = draw.chance(0.5);
  if (flat) sample.set("num_heads", std::int64_t{2});
  if (draw.chance(0.5)) sample.set("interleaved", std::int64_t{1});
  const DType dtype = draw.dtype(schema, 0);
  sample.add(draw.tensor(dtype, flat ? Dims{n, positions, 8} : Dims{n, 2, positions, 4}));
  for (int i = 0; i < 2; ++i) sample.add(draw.tensor(dtype, indexed ? Dims{5, 2} : Dims{n, positions, 2}));
  if (!indexed) return sample;
  sample.parameter[1] = sample.parameter[2] = draw.chance(0.9);
  return sample.add(draw.whole(DType::i64, {n, positions}, 0, 4));
}

Sample sample_linear_attention(Draw& draw, const Schema& schema) {
  Sample sample;
  const std::int64_t n = draw.extent(3), steps = draw.between(1, 3);
  const std::string rule = draw.pick<std::string>({"linear", "gated", "delta", "gated_delta"});
  sample.set("q_num_heads", std::int64_t{2}).set("kv_num_heads", std::int64_t{1}).set("update_rule", rule);
  const DType dtype = draw.dtype(schema, 0);
  const auto add = [&](DType type, const Dims& shape) { sample.add(draw.reals(type, shape, -1, 1)); };
  add(dtype, {n, steps, 4});
  add(dtype, {n, steps, 2});
  add(dtype, {n, steps, 3});
  if (draw.chance(0.5))
    add(draw.dtype(schema, 3), {n, 1, 2, 3});
  else
    sample.omit();
  if (rule.starts_with("gated"))
    add(dtype, {n, steps, 1});
  else
    sample.omit();
  if (rule.ends_with("delta")) add(dtype, {n, steps, 1});
  sample.outputs = 2;
  return sample;
}

Sample sample_causal_conv(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape(3, 3);
  const DType dtype = draw.dtype(schema, 0);
  const std::int64_t taps = draw.between(1, 3);
  sample.add(draw.tensor(dtype, shape)).add(draw.tensor(dtype, {shape[1], 1, taps}));
  if (draw.chance(0.5))
    sample.add(draw.tensor(dtype, {shape[1]}));
  else
    sample.omit();
  if (draw.chance(0.6)) sample.add(draw.tensor(dtype, {shape[0], shape[1], taps - 1}));
  for (const std::size_t i : {1, 2}) sample.parameter[i] = sample.parameter[i] || draw.chance(0.9);
  sample.outputs = 2;
  return sample;
}

Sample sample_recurrent(Draw& draw, const Schema& schema) {
  Sample sample;
  const std::int64_t gates = schema.name == "LSTM" ? 4 : schema.name == "GRU" ? 3 : 1;
  const std::int64_t steps = draw.between(1, 3), n = draw.extent(3), inputs = draw.between(1, 3),
                     hidden = draw.between(1, 2);
  const bool both = draw.chance(0.3), first = schema.attribute("layout") != nullptr && draw.chance(0.5);
  const std::int64_t directions = both ? 2 : 1;
  if (both) sample.set("direction", std::string("bidirectional"));
  if (first) sample.set("layout", std::int64_t{1});
  if (schema.attribute("output_sequence") != nullptr) sample.set("output_sequence", std::int64_t{1});
  sample.set("hidden_size", hidden);
  const DType dtype = draw.dtype(schema, 0);
  const bool shared = draw.chance(0.9);
  const auto add = [&](const Dims& shape, bool parameter) {
    sample.add(draw.reals(dtype, shape, -1, 1));
    sample.parameter.back() = parameter;
  };
  add(first ? Dims{n, steps, inputs} : Dims{steps, n, inputs}, false);
  add({directions, gates * hidden, inputs}, shared);
  add({directions, gates * hidden, hidden}, shared);
  if (draw.chance(0.5))
    add({directions, 2 * gates * hidden}, shared);
  else
    sample.omit();
  if (draw.chance(0.5))
    sample.add(draw.whole(DType::i32, {n}, 0, steps));
  else
    sample.omit();
  const Dims state = first ? Dims{n, directions, hidden} : Dims{directions, n, hidden};
  for (std::int64_t i = 0; i < (gates == 4 ? 2 : 1); ++i) {
    if (draw.chance(0.5))
      add(state, false);
    else
      sample.omit();
  }
  if (gates == 4 && draw.chance(0.3)) add({directions, 3 * hidden}, shared);
  sample.outputs = gates == 4 ? 3 : 2;
  return sample;
}

constexpr SamplerRow kSamplers[] = {
    {"RNN", sample_recurrent},
    {"GRU", sample_recurrent},
    {"LSTM", sample_recurrent},
    {"MaxPool", sample_pool},
    {"AveragePool", sample_pool},
    {"LpPool", sample_pool},
    {"GlobalAveragePool", sample_global_pool},
    {"GlobalMaxPool", sample_global_pool},
    {"GlobalLpPool", sample_global_pool},
    {"Conv", sample_conv},
    {"ConvTranspose", sample_conv},
    {"ConvInteger", sample_conv_integer},
    {"QLinearConv", sample_qlinear_conv},
    {"DeformConv", sample_deform_conv},
    {"InstanceNormalization", sample_normalization},
    {"GroupNormalization", sample_normalization},
    {"BatchNormalization", sample_normalization},
    {"LRN", sample_lrn},
    {"DepthToSpace", sample_blocks},
    {"SpaceToDepth", sample_blocks},
    {"Col2Im", sample_col2im},
    {"TensorScatter", sample_tensor_scatter},
    {"GridSample", sample_grid},
    {"AffineGrid", sample_affine_grid},
    {"RoiAlign", sample_regions},
    {"MaxRoiPool", sample_regions},
    {"NegativeLogLikelihoodLoss", sample_loss},
    {"SoftmaxCrossEntropyLoss", sample_loss},
    {"STFT", sample_stft},
    {"Attention", sample_attention},
    {"RotaryEmbedding", sample_rotary},
    {"LinearAttention", sample_linear_attention},
    {"CausalConvWithState", sample_causal_conv},
};

}  // namespace

std::span<const SamplerRow> row_samplers() { return kSamplers; }

}  // namespace pawl::ops
