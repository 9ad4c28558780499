// Nodes of the operators that work element by element.
#include "axis_samples.h"

namespace pawl::ops {
namespace {

/// A shape that broadcasts to `out`.
Dims stretchable(Draw& draw, const Dims& out) {
  Dims shape;
  const std::size_t first =
      draw.chance(0.6) ? 0 : static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(out.size())));
  for (std::size_t i = first; i < out.size(); ++i) shape.push_back(draw.chance(0.25) ? 1 : out[i]);
  return shape;
}

/// Elements of input i that no operator stumbles over: no division by 0, no negative power of 0.
Tensor operand(Draw& draw, const Schema& schema, std::size_t i, const Dims& shape) {
  const DType dtype = draw.dtype(schema, i);
  const bool divides =
      i == 1 && (schema.name == "Div" || schema.name == "Mod" || schema.name == "Pow" || schema.name == "BitShift");
  return divides ? draw.whole(dtype, shape, 1, 5) : draw.tensor(dtype, shape);
}

std::uint32_t castable() {
  return mask_of(
      {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64, DType::u8, DType::i8, DType::boolean});
}

std::int64_t number(DType dtype) { return static_cast<std::int64_t>(dtype); }

DType of_same_width(Draw& draw, DType dtype) {
  switch (dtype) {
    case DType::f32: return draw.pick<DType>({DType::i32, DType::u32});
    case DType::f64: return draw.pick<DType>({DType::i64, DType::u64});
    case DType::i8: return DType::u8;
    default: return dtype;
  }
}

Sample sample_cast(Draw& draw, const Schema& schema) {
  Sample sample;
  sample.add(draw.tensor(draw.dtype(schema, 0, castable()), draw.shape_between(0, 3)));
  if (schema.since == 1) return sample.set("to", draw.pick<std::string>({"FLOAT", "INT32", "BOOL", "float16"}));
  return sample.set(
      "to", number(draw.pick<DType>({DType::f32, DType::f16, DType::i32, DType::u8, DType::boolean, DType::string})));
}

Sample sample_bit_cast(Draw& draw, const Schema& schema) {
  Sample sample;
  const DType dtype = draw.dtype(schema, 0, castable());
  sample.add(draw.tensor(dtype, draw.shape_between(0, 3)));
  return sample.set("to", number(of_same_width(draw, dtype)));
}

Sample sample_cast_like(Draw& draw, const Schema& schema) {
  Sample sample;
  sample.add(draw.tensor(draw.dtype(schema, 0, castable()), draw.shape_between(0, 3)));
  return sample.add(draw.tensor(draw.dtype(schema, 1, castable()), draw.shape_between(0, 2)));
}

Sample sample_clip(Draw& draw, const Schema& schema) {
  Sample sample;
  const DType dtype = draw.dtype(schema, 0);
  sample.add(draw.tensor(dtype, draw.shape_between(0, 3)));
  if (schema.since < 11) {
    if (draw.chance(0.5)) sample.set("min", -1.0F);
    return sample.set("max", 1.5F);
  }
  const Dims shape = draw.pick<Dims>({{}, {}, {1}, {1, 1}});
  if (draw.chance(0.7))
    sample.add(draw.whole(dtype, shape, 0, 2));
  else
    sample.omit();
  if (draw.chance(0.7)) sample.add(draw.whole(dtype, shape, 2, 4));
  return sample;
}

Sample sample_slope(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(0, 4);
  const DType dtype = draw.dtype(schema, 0);
  sample.add(draw.tensor(dtype, shape));
  Dims slope = schema.since < 7 ? Dims{1} : stretchable(draw, shape);
  if (schema.since < 7 && shape.size() >= 2 && draw.chance(0.7)) slope = {shape[1]};
  return sample.add(draw.tensor(dtype, slope));
}

/// B stands at an axis of A where the node broadcasts, and has its shape where it does not.
Sample sample_by_axis(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims a = draw.shape_between(0, 4);
  Dims b = a;
  if (draw.chance(0.7)) {
    const auto rank = static_cast<std::int64_t>(a.size());
    const std::int64_t first = draw.between(0, rank), last = draw.between(first, rank);
    b = Dims(std::span(a.begin() + first, static_cast<std::size_t>(last - first)));
    for (std::int64_t& extent : b)
      if (draw.chance(0.2)) extent = 1;
    sample.set("broadcast", std::int64_t{1});
    if (last < rank || draw.chance(0.5)) sample.set("axis", first < rank && draw.chance(0.3) ? first - rank : first);
  }
  sample.add(operand(draw, schema, 0, a));
  return sample.add(operand(draw, schema, 1, b));
}

Sample sample_same_shapes(Draw& draw, const Schema& schema) {
  Sample sample;
  const Dims shape = draw.shape_between(0, 3);
  const std::int64_t count = schema.max_inputs > 2 ? draw.between(1, 3) : schema.max_inputs;
  for (std::int64_t i = 0; i < count; ++i) sample.add(operand(draw, schema, static_cast<std::size_t>(i), shape));
  return sample;
}

Sample sample_quantize(Draw& draw, const Schema& schema) {
  Sample sample;
  const bool to_small = schema.name == "QuantizeLinear";
  const Dims shape = draw.shape(draw.between(0, 3), 5);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::uint32_t reals = float_types(), wholes = mask_of({DType::i8, DType::u8});
  Dims scale;
  const bool has_axis = schema.attribute("axis") != nullptr, has_blocks = schema.attribute("block_size") != nullptr;
  const std::int64_t form = rank == 0 ? 0 : draw.between(0, has_blocks ? 2 : has_axis ? 1 : 0);
  if (form == 0 && draw.chance(0.3)) scale = {1};
  if (form > 0) {
    const std::int64_t axis = draw.axis(rank);
    const auto at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    sample.set("axis", axis);
    scale = {shape[at]};
    if (form == 2) {
      scale = shape;
      scale[at] = (shape[at] + 1) / 2;
      sample.set("block_size", std::int64_t{2});
    }
  }
  const DType dtype = draw.dtype(schema, 0, to_small ? reals : wholes);
  sample.add(draw.reals(dtype, shape, to_small ? -9 : 0, 99));
  sample.add(draw.reals(draw.dtype(schema, 1, reals), scale, 0.25, 2));
  if (draw.chance(0.6)) sample.add(draw.whole(draw.dtype(schema, 2, wholes), scale, 0, 5));
  for (std::size_t i = 1; i < sample.inputs.size(); ++i) sample.parameter[i] = form < 2 && draw.chance(0.9);
  return sample;
}

/// Attributes that operators on one tensor cannot do without, or that change what they do.
void add_attributes(Draw& draw, const Schema& schema, DType dtype, Sample& sample) {
  using Texts = std::vector<std::string>;
  if (schema.name == "BitShift") sample.set("direction", draw.pick<std::string>({"LEFT", "RIGHT"}));
  if (schema.name == "Mod" &&
      (dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16 || draw.chance(0.5)))
    sample.set("fmod", std::int64_t{1});
  if (schema.attribute("alpha") != nullptr && draw.chance(0.5)) sample.set("alpha", 0.75F);
  if (schema.name == "RegexFullMatch") sample.set("pattern", std::string("a.*"));
  if (schema.name == "Binarizer") sample.set("threshold", 0.5F);
  if (schema.name == "CategoryMapper")
    sample.set("cats_strings", Texts{"a", "b", "cb c"}).set("cats_int64s", std::vector<std::int64_t>{1, 2, 3});
  if (schema.name != "LabelEncoder") return;
  if (schema.since == 1) {
    sample.set("classes_strings", Texts{"a", "b", "cb c"});
    return;
  }
  if (dtype == DType::string) sample.set("keys_strings", Texts{"a", "db c"});
  if (dtype == DType::i64) sample.set("keys_int64s", std::vector<std::int64_t>{1, 2});
  if (dtype == DType::f32) sample.set("keys_floats", std::vector<float>{0.0F, 2.0F});
  sample.set("values_int64s", std::vector<std::int64_t>{7, 8});
}

}  // namespace

Sample sample_pointwise(Draw& draw, const Schema& schema) {
  if (schema.name == "Cast") return sample_cast(draw, schema);
  if (schema.name == "BitCast") return sample_bit_cast(draw, schema);
  if (schema.name == "CastLike") return sample_cast_like(draw, schema);
  if (schema.name == "Clip") return sample_clip(draw, schema);
  if (schema.name == "PRelu") return sample_slope(draw, schema);
  if (schema.name == "QuantizeLinear" || schema.name == "DequantizeLinear") return sample_quantize(draw, schema);
  if (schema.attribute("broadcast") != nullptr) return sample_by_axis(draw, schema);
  const bool variadic = schema.inputs[0].occurs == Occurs::variadic;
  if (schema.name == "SwiGLU" || (variadic && schema.since < 8)) return sample_same_shapes(draw, schema);
  Sample sample;
  if (schema.name == "LabelEncoder") draw.dtype(schema, 0, mask_of({DType::string, DType::i64, DType::f32}));
  const Dims shape = draw.shape_between(0, 4);
  const std::int64_t count = variadic ? draw.between(1, 3) : schema.min_inputs;
  for (std::int64_t i = 0; i < count; ++i)
    sample.add(operand(draw, schema, static_cast<std::size_t>(i), count == 1 ? shape : stretchable(draw, shape)));
  add_attributes(draw, schema, sample.inputs[0].tensor().dtype(), sample);
  return sample;
}

}  // namespace pawl::ops
