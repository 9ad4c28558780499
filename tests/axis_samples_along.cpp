// Nodes of the operators that work along some axes.
#include <algorithm>

#include "axis_samples.h"

namespace pawl::ops {
namespace {

std::int64_t rank_of(const Dims& shape) { return static_cast<std::int64_t>(shape.size()); }

Sample sample_softmax(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape(draw.between(1, 4), 3);
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  if (shape.size() == 1 || draw.chance(0.7)) sample.set("axis", draw.axis(rank_of(shape), schema.since >= 11));
  return sample;
}

Sample sample_norm(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(1, 4);
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  if (draw.chance(0.7)) sample.set("axis", draw.axis(rank_of(shape)));
  return sample.set("p", draw.between(1, 2));
}

Sample sample_top_k(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(1, 4);
  const std::int64_t axis = draw.axis(rank_of(shape));
  if (axis != -1) sample.set("axis", axis);
  const std::int64_t k = draw.between(0, shape[static_cast<std::size_t>(axis < 0 ? axis + rank_of(shape) : axis)]);
  if (schema.attribute("largest") != nullptr && draw.chance(0.5)) sample.set("largest", std::int64_t{0});
  sample.outputs = 2;
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  if (schema.attribute("k") != nullptr) return sample.set("k", k);
  return sample.add_parameter(list_of(std::vector<std::int64_t>{k}));
}

Sample sample_one_hot(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(0, 3);
  if (draw.chance(0.7)) sample.set("axis", draw.axis(rank_of(shape) + 1));
  const auto numbers = mask_of({DType::i64, DType::i32, DType::f32, DType::f64});
  sample.add(draw.whole(draw.dtype(schema, 0, numbers), shape, -3, 4));
  sample.add_parameter(draw.chance(0.5) ? number_of(4) : list_of(std::vector<std::int64_t>{3}));
  sample.add(draw.tensor(draw.dtype(schema, 2), {2}));
  sample.parameter[2] = draw.chance(0.8);
  return sample;
}

Sample sample_cumulative(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(1, 4);
  sample.add(draw.tensor(draw.dtype(schema, 0), shape)).add_parameter(number_of(draw.axis(rank_of(shape))));
  if (draw.chance(0.5)) sample.set("exclusive", std::int64_t{1});
  if (draw.chance(0.5)) sample.set("reverse", std::int64_t{1});
  return sample;
}

Sample sample_dft(Draw& draw, const Schema& schema) {
  Sample sample;
  Dims shape = draw.shape_between(2, 4);
  shape.back() = draw.between(1, 2);
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) shape[i] = std::max<std::int64_t>(shape[i], 1);
  const std::int64_t axis = draw.between(0, rank_of(shape) - 2) - (draw.chance(0.4) ? rank_of(shape) : 0);
  sample.add(draw.tensor(draw.dtype(schema, 0), shape));
  if (draw.chance(0.4))
    sample.add_parameter(number_of(draw.between(1, 6)));
  else
    sample.omit();
  if (draw.chance(0.3) && shape.back() == 1)
    sample.set("onesided", std::int64_t{1});
  else if (draw.chance(0.3))
    sample.set("inverse", std::int64_t{1});
  if (schema.since < 20) return rank_of(shape) == 2 || draw.chance(0.7) ? sample.set("axis", axis) : sample;
  return draw.chance(0.7) ? sample.add_parameter(number_of(axis)) : sample;
}

Sample sample_layer(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(1, 4);
  const std::int64_t rank = rank_of(shape), axis = draw.axis(rank);
  if (axis != -1) sample.set("axis", axis);
  const auto parameter_shape = [&] {
    const auto first = static_cast<std::size_t>(draw.chance(0.7) ? (axis < 0 ? axis + rank : axis) : 0);
    Dims own(std::span(shape.begin() + first, shape.size() - first));
    for (std::int64_t& extent : own)
      if (draw.chance(0.15)) extent = 1;
    return own;
  };
  sample.add(draw.tensor(draw.dtype(schema, 0), shape)).add(draw.tensor(draw.dtype(schema, 1), parameter_shape()));
  if (schema.max_inputs > 2 && draw.chance(0.6)) sample.add(draw.tensor(draw.dtype(schema, 2), parameter_shape()));
  if (schema.max_outputs > 1) sample.outputs = static_cast<std::size_t>(draw.between(1, 3));
  return sample;
}

Sample sample_mean_variance(Draw& draw, const Schema& schema) {
  Sample sample;
  const bool named = draw.chance(0.7);
  const Dims shape = draw.shape(named ? draw.between(0, 4) : 4);
  if (named) sample.set("axes", draw.axes(rank_of(shape), schema.since >= 13));
  return sample.add(draw.tensor(draw.dtype(schema, 0), shape));
}

Sample sample_reverse(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(2, 4);
  const std::int64_t time = draw.between(0, 1);
  if (time != 0 || draw.chance(0.5)) sample.set("time_axis", time).set("batch_axis", 1 - time);
  const std::int64_t rows = shape[static_cast<std::size_t>(1 - time)], length = shape[static_cast<std::size_t>(time)];
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < rows; ++i) lengths.push_back(draw.between(0, length));
  return sample.add(draw.tensor(draw.dtype(schema, 0), shape)).add_parameter(list_of(lengths));
}

Sample sample_trilu(Draw& draw, const Schema& schema) {
  Sample sample;
  sample.add(draw.tensor(draw.dtype(schema, 0), draw.shape_between(2, 4)));
  if (draw.chance(0.5)) sample.set("upper", std::int64_t{0});
  return draw.chance(0.6) ? sample.add_parameter(number_of(draw.between(-3, 3))) : sample;
}

Sample sample_det(Draw& draw, const Schema& schema) {
  Sample sample;
  Dims shape = draw.shape_between(2, 4);
  shape.back() = shape[shape.size() - 2];
  return sample.add(draw.tensor(draw.dtype(schema, 0), shape));
}

Sample sample_eye(Draw& draw, const Schema& schema) {
  Sample sample;
  if (draw.chance(0.5)) sample.set("k", draw.between(-2, 2));
  if (draw.chance(0.3)) sample.set("dtype", static_cast<std::int64_t>(DType::f16));
  return sample.add(
      draw.tensor(draw.dtype(schema, 0, mask_of({DType::f32, DType::i64, DType::boolean})), draw.shape(2)));
}

Sample sample_features(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(0, 3);
  const DType dtype = draw.dtype(schema, 0, mask_of({DType::f32, DType::i64}));
  std::vector<float> numbers(
      static_cast<std::size_t>(shape.empty() || draw.chance(0.5) ? 1 : std::max<std::int64_t>(shape.back(), 1)));
  for (float& number : numbers) number = static_cast<float>(draw.between(1, 5));
  sample.add(draw.tensor(dtype, shape));
  if (schema.name == "Scaler") return sample.set("offset", numbers).set("scale", numbers);
  const std::vector<std::int64_t> whole(numbers.begin(), numbers.end());
  if (dtype == DType::i64)
    return sample.set("imputed_value_int64s", whole).set("replaced_value_int64", std::int64_t{2});
  return sample.set("imputed_value_floats", numbers);
}

Sample sample_categories(Draw& draw, const Schema& schema) {
  Sample sample;
  const DType dtype = draw.dtype(schema, 0, mask_of({DType::i64, DType::string}));
  sample.add(draw.tensor(dtype, draw.shape_between(0, 3)));
  if (dtype == DType::i64) return sample.set("cats_int64s", std::vector<std::int64_t>{0, 1, 5});
  return sample.set("cats_strings", std::vector<std::string>{"a", "cb c"});
}

using Reals = std::vector<float>;

Reals scales_for(Draw& draw, std::size_t count) {
  Reals scales;
  for (std::size_t i = 0; i < count; ++i) scales.push_back(draw.pick<float>({1.0F, 1.0F, 2.0F, 1.5F, 0.6F}));
  return scales;
}

Tensor reals(const Reals& values) {
  return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, std::span<const float>(values));
}

Sample sample_upsample(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape(schema.since < 7 ? 4 : draw.between(1, 4), 3);
  Reals scales = scales_for(draw, shape.size());
  if (schema.name == "Upsample")
    for (float& scale : scales) scale = std::max(scale, 1.0F);
  sample.set("mode", draw.pick<std::string>({"nearest", "linear"}));
  sample.add(draw.tensor(draw.dtype(schema, 0, mask_of({DType::f32, DType::f64, DType::f16})), shape));
  if (schema.since < 7)
    return sample.set("mode", std::string("nearest")).set("height_scale", scales[0]).set("width_scale", scales[1]);
  if (schema.since < 9) return sample.set("scales", scales);
  return sample.add_parameter(reals(scales));
}

Sample sample_resize(Draw& draw, const Schema& schema) {
  if (schema.since < 11) return sample_upsample(draw, schema);
  Sample sample;
  const Dims shape = draw.shape_between(1, 4);
  std::vector<std::int64_t> axes = draw.axes(rank_of(shape));
  const bool named = schema.attribute("axes") != nullptr && draw.chance(0.6) && !axes.empty();
  const std::size_t count = named ? axes.size() : shape.size();
  std::vector<std::string> transforms = {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                                         "tf_crop_and_resize"};
  if (schema.since == 11) transforms.push_back("tf_half_pixel_for_nn");
  const std::string transform = draw.pick<std::string>(transforms);
  sample.set("coordinate_transformation_mode", transform)
      .set("mode", draw.pick<std::string>({"nearest", "linear", "cubic"}));
  if (named) sample.set("axes", axes);
  sample.add(draw.tensor(draw.dtype(schema, 0, mask_of({DType::f32, DType::f64, DType::i32})), shape));
  Reals region(2 * count, 0.25F);
  std::fill(region.begin() + static_cast<std::ptrdiff_t>(count), region.end(), 0.75F);
  const bool sized = draw.chance(0.4);
  if (transform == "tf_crop_and_resize")
    sample.add_parameter(reals(region));
  else if (schema.since == 11)
    sample.add_parameter(reals({}));
  else
    sample.omit();
  if (!sized) return sample.add_parameter(reals(scales_for(draw, count)));
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < count; ++i) sizes.push_back(draw.between(1, 5));
  if (schema.since == 11)
    sample.add_parameter(reals({}));
  else
    sample.omit();
  if (schema.since >= 18 && draw.chance(0.3)) sample.set("keep_aspect_ratio_policy", std::string("not_larger"));
  return sample.add_parameter(list_of(sizes));
}

constexpr SamplerRow kSamplers[] = {
    {"Softmax", sample_softmax},
    {"LogSoftmax", sample_softmax},
    {"Hardmax", sample_softmax},
    {"LpNormalization", sample_norm},
    {"TopK", sample_top_k},
    {"OneHot", sample_one_hot},
    {"CumSum", sample_cumulative},
    {"CumProd", sample_cumulative},
    {"DFT", sample_dft},
    {"LayerNormalization", sample_layer},
    {"RMSNormalization", sample_layer},
    {"MeanVarianceNormalization", sample_mean_variance},
    {"ReverseSequence", sample_reverse},
    {"Trilu", sample_trilu},
    {"Det", sample_det},
    {"EyeLike", sample_eye},
    {"Scaler", sample_features},
    {"Imputer", sample_features},
    {"OneHotEncoder", sample_categories},
    {"Resize", sample_resize},
    {"Upsample", sample_upsample},
};

}  // namespace

std::span<const SamplerRow> axis_samplers() { return kSamplers; }

}  // namespace pawl::ops
