// Quantization: real numbers as small ones, by a scale and a zero point for the whole tensor, an axis or blocks of one.
#include <cmath>

#include "ops/axis_rules.h"
#include "ops/convert.h"
#include "ops/elementwise.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

/// Which element of the scale belongs to an element of x, whose shape is seen as [outer, extent, inner].
struct Granularity {
  std::int64_t outer = 1;
  std::int64_t extent = 1;
  std::int64_t inner = 1;
  std::int64_t block = 1;       ///< elements along the axis that share a scale
  std::int64_t outer_step = 0;  ///< strides of the scale
  std::int64_t extent_step = 0;
  std::int64_t inner_step = 0;
};

/// x seen as [outer, extent, inner] around the axis. Where x has no elements `outer` is 0, whatever its other extents.
Granularity around_axis(const Dims& x, std::size_t axis, std::int64_t size) {
  Granularity grain;
  grain.extent = x[axis];
  if (size == 0) {
    grain.outer = 0;
    return grain;
  }
  for (std::size_t i = 0; i < axis; ++i) grain.outer *= x[i];
  for (std::size_t i = axis + 1; i < x.size(); ++i) grain.inner *= x[i];
  return grain;
}

/// The scale has x's shape but along the axis, where it has one element for each block.
bool fits_blocks(const Dims& x, const Dims& scale, std::size_t axis, std::int64_t block_size) {
  if (scale.size() != x.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t blocks = x[i] / block_size + (x[i] % block_size != 0 ? 1 : 0);
    if (scale[i] != (i == axis ? blocks : x[i])) return false;
  }
  return true;
}

/// Errors: bad_shape, when the scale fits none of the three ways; bad_value.
Result<Granularity> granularity(const Attributes& attributes, const Dims& x, const Dims& scale) {
  const std::int64_t block_size = attributes.integer("block_size", 0);
  if (block_size < 0) return fail(Code::bad_value, "block_size = {} is negative", block_size);
  TRY_ASSIGN(const std::int64_t scales, bounded_size(scale));
  TRY_ASSIGN(const std::int64_t size, bounded_size(x));
  if (block_size == 0 && (scale.empty() || (scale.size() == 1 && scales == 1))) {
    Granularity whole;
    whole.inner = size;
    return whole;
  }
  TRY_ASSIGN(const std::size_t axis, resolve_axis(attributes.integer("axis", 1), x.size()));
  Granularity grain = around_axis(x, axis, size);
  if (block_size == 0) {
    if (scale.size() != 1 || scales != x[axis])
      return fail(Code::bad_shape, "scale {} fits neither {} nor its axis {}", to_string(scale), to_string(x), axis);
    grain.extent_step = 1;
    return grain;
  }
  if (!fits_blocks(x, scale, axis, block_size))
    return fail(Code::bad_shape, "scale {} does not fit {} in blocks of {} along axis {}", to_string(scale),
                to_string(x), block_size, axis);
  grain.block = block_size;
  grain.inner_step = 1;
  grain.extent_step = grain.inner;
  grain.outer_step = scale[axis] * grain.inner;
  return grain;
}

/// Calls f(i, s) for each element i of x and its scale s.
template <class F>
void for_each_scale(const Granularity& grain, F f) {
  std::int64_t at = 0;
  for (std::int64_t o = 0; o < grain.outer; ++o)
    for (std::int64_t e = 0; e < grain.extent; ++e)
      for (std::int64_t i = 0; i < grain.inner; ++i)
        f(at++, o * grain.outer_step + e / grain.block * grain.extent_step + i * grain.inner_step);
}

/// A tensor input in double, which holds every type that occurs here. An omitted zero point is zeros.
Result<Tensor> wide_input(const EvalContext& context, std::size_t i) {
  TRY_ASSIGN(const Tensor wide, convert(context.tensor(i), DType::f64));
  return wide.to_dense();
}

Result<std::vector<double>> zero_points(const EvalContext& context, const Tensor& scale) {
  std::vector<double> zeros(static_cast<std::size_t>(scale.size()), 0);
  if (!context.has_input(2)) return zeros;
  if (context.tensor(2).shape() != scale.shape() && (context.tensor(2).size() != 1 || scale.size() != 1))
    return fail(Code::bad_shape, "zero point {} and scale {} differ in shape", to_string(context.tensor(2).shape()),
                to_string(scale.shape()));
  TRY_ASSIGN(const Tensor wide, wide_input(context, 2));
  zeros.assign(wide.data<double>(), wide.data<double>() + wide.size());
  return zeros;
}

/// `value` as a number of that type of 16 or 32 bits.
double rounded_to(DType precision, double value) {
  switch (precision) {
    case DType::f16: return static_cast<double>(F16(value));
    case DType::bf16: return static_cast<double>(BF16(value));
    default: return static_cast<double>(static_cast<float>(value));
  }
}

bool is_division_type(DType dtype) { return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16; }

/// The type in which x / scale is computed: `precision`, else the scale's type, else (when that is an integer or has no
/// mantissa) x's, else float.
Result<DType> division_type(const EvalContext& context) {
  const std::int64_t number = context.attributes.integer("precision", 0);
  if (number != 0) {
    const DType dtype = is_dtype(number) ? static_cast<DType>(number) : DType::undefined;
    if (!is_division_type(dtype))
      return fail(Code::bad_value, "precision = {} is none of float, float16, bfloat16", number);
    return dtype;
  }
  if (is_division_type(context.tensor(1).dtype())) return context.tensor(1).dtype();
  return is_division_type(context.tensor(0).dtype()) ? context.tensor(0).dtype() : DType::f32;
}

struct Range {
  double low;
  double high;
};

/// The range of an integer type; nullopt for floats.
std::optional<Range> integer_range(DType dtype) {
  switch (dtype) {
    case DType::u8: return Range{0, 255};
    case DType::i8: return Range{-128, 127};
    case DType::u16: return Range{0, 65535};
    case DType::i16: return Range{-32768, 32767};
    case DType::u4: return Range{0, 15};
    case DType::i4: return Range{-8, 7};
    case DType::u2: return Range{0, 3};
    case DType::i2: return Range{-2, 1};
    default: return std::nullopt;
  }
}

/// round(quotient) + zero, halves to even, cut to the range. NaN becomes the low end.
double saturated(double quotient, double zero, Range range) {
  const double value = std::nearbyint(quotient) + zero;
  if (!(value > range.low)) return range.low;
  return value < range.high ? value : range.high;
}

/// The type of y: the zero point's, else `output_dtype`, else uint8. Errors: bad_value, bad_type.
Result<DType> quantized_type(const Schema& schema, const Attributes& attributes, bool has_zero_point,
                             DType zero_point) {
  TRY_ASSIGN(const DType wanted, dtype_attribute(schema, attributes, "output_dtype", DType::undefined));
  if (!has_zero_point) return wanted == DType::undefined ? DType::u8 : wanted;
  if (wanted != DType::undefined && zero_point != DType::undefined && wanted != zero_point)
    return fail(Code::bad_type, "output_dtype is {} and the zero point is {}", name(wanted), name(zero_point));
  return zero_point;
}

Result<void> infer_quantize(InferContext& context) {
  TRY_ASSIGN(const DType dtype,
             quantized_type(context.schema, context.attributes, context.has_input(2), context.dtype(2)));
  if (dtype != DType::undefined) context.outputs[0] = Type::tensor(dtype);
  return infer_same(context);
}

Result<void> eval_quantize(EvalContext& context) {
  const bool has_zero_point = context.has_input(2);
  TRY_ASSIGN(const DType dtype, quantized_type(context.schema, context.attributes, has_zero_point,
                                               has_zero_point ? context.tensor(2).dtype() : DType::undefined));
  TRY_ASSIGN(const Granularity grain,
             granularity(context.attributes, context.tensor(0).shape(), context.tensor(1).shape()));
  TRY_ASSIGN(const DType precision, division_type(context));
  TRY_ASSIGN(const Tensor x, wide_input(context, 0));
  TRY_ASSIGN(const Tensor scale, wide_input(context, 1));
  TRY_ASSIGN(const std::vector<double> zeros, zero_points(context, scale));
  TRY_ASSIGN(Tensor y, Tensor::allocate(DType::f64, x.shape()));
  const std::optional<Range> range = integer_range(dtype);
  for_each_scale(grain, [&](std::int64_t i, std::int64_t s) {
    const double divisor = rounded_to(precision, scale.data<double>()[s]);
    const double quotient = rounded_to(precision, rounded_to(precision, x.data<double>()[i]) / divisor);
    const double zero = zeros[static_cast<std::size_t>(s)];
    y.mutable_data<double>()[i] = range ? saturated(quotient, zero, *range) : quotient + zero;
  });
  Conversion conversion;
  if (context.attributes.integer("saturate", 1) == 0) conversion.overflow = Overflow::propagate;
  TRY_ASSIGN(context.outputs[0], convert(y, dtype, conversion));
  return {};
}

/// The type of y: `output_dtype`, else the scale's. Errors: bad_value, when that is no type that y can have.
Result<DType> dequantized_type(const Schema& schema, const Attributes& attributes, DType scale) {
  TRY_ASSIGN(const DType dtype, dtype_attribute(schema, attributes, "output_dtype", scale));
  if (dtype == DType::f8e8m0) return fail(Code::bad_value, "a {} scale needs an output_dtype", name(dtype));
  return dtype;
}

Result<void> infer_dequantize(InferContext& context) {
  TRY_ASSIGN(const DType dtype, dequantized_type(context.schema, context.attributes, context.dtype(1)));
  if (dtype != DType::undefined) context.outputs[0] = Type::tensor(dtype);
  return infer_same(context);
}

/// (x - zero point) * scale in float, rounded to the type of y.
Result<void> eval_dequantize(EvalContext& context) {
  TRY_ASSIGN(const DType dtype, dequantized_type(context.schema, context.attributes, context.tensor(1).dtype()));
  TRY_ASSIGN(const Granularity grain,
             granularity(context.attributes, context.tensor(0).shape(), context.tensor(1).shape()));
  TRY_ASSIGN(const Tensor x, wide_input(context, 0));
  TRY_ASSIGN(const Tensor scale, wide_input(context, 1));
  TRY_ASSIGN(const std::vector<double> zeros, zero_points(context, scale));
  TRY_ASSIGN(Tensor y, Tensor::allocate(DType::f32, x.shape()));
  for_each_scale(grain, [&](std::int64_t i, std::int64_t s) {
    const auto difference = static_cast<float>(x.data<double>()[i] - zeros[static_cast<std::size_t>(s)]);
    y.mutable_data<float>()[i] = difference * static_cast<float>(scale.data<double>()[s]);
  });
  TRY_ASSIGN(context.outputs[0], convert(y, dtype));
  return {};
}

Result<void> infer_dynamic_quantize(InferContext& context) {
  context.set_shape(1, {});
  context.set_shape(2, {});
  return infer_same(context);
}

/// The scale that maps the range of x, widened to hold 0, to 0 … 255. When x is all zeros or empty, scale and zero
/// point are 0.
Result<void> eval_dynamic_quantize(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  float low = 0;
  float high = 0;
  for (const float value : x.values<float>()) {
    low = value < low || std::isnan(value) ? value : low;
    high = value > high || std::isnan(value) ? value : high;
  }
  constexpr Range kRange{0, 255};
  const float scale = (high - low) / 255.0F;
  const auto zero = static_cast<std::uint8_t>(saturated(-low / scale, 0, kRange));
  TRY_ASSIGN(Tensor y,
             map1<float, std::uint8_t>(x, [=](float value) { return saturated(value / scale, zero, kRange); }));
  context.outputs[0] = std::move(y);
  context.outputs[1] = Tensor::scalar<float>(scale);
  context.outputs[2] = Tensor::scalar<std::uint8_t>(zero);
  return {};
}

constexpr OpDef kQuantize[] = {
    {.name = "DequantizeLinear",
     .since = {10, 13, 19, 21, 23, 24, 25, 28},
     .infer = infer_dequantize,
     .eval = eval_dequantize,
     .axes = kQuantizeAxes},
    {.name = "DynamicQuantizeLinear",
     .since = {11},
     .infer = infer_dynamic_quantize,
     .eval = eval_dynamic_quantize,
     .axes = kOpaqueAxes},
    {.name = "QuantizeLinear",
     .since = {10, 13, 19, 21, 23, 24, 25, 28},
     .infer = infer_quantize,
     .eval = eval_quantize,
     .axes = kQuantizeAxes},
};

}  // namespace

std::span<const OpDef> quantize_ops() { return kQuantize; }

}  // namespace pawl::ops
