// Conversion of element types.
#include <algorithm>
#include <string>

#include "ops/axis_rules.h"
#include "ops/convert.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

/// The type that `to` names: a number of TensorProto.DataType, or in Cast-1 its name ("FLOAT").
Result<DType> target_type(const Schema& schema, const Attributes& attributes) {
  DType dtype = DType::undefined;
  std::string shown;
  if (const auto* name = attributes.get<std::string>("to")) {
    shown = *name;
    std::string lower = *name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    dtype = dtype_from_name(lower);
  } else {
    const std::int64_t number = attributes.integer("to", 0);
    shown = std::to_string(number);
    if (is_dtype(number)) dtype = static_cast<DType>(number);
  }
  const bool allowed =
      dtype != DType::undefined && ((schema.outputs[0].types.tensor >> static_cast<unsigned>(dtype)) & 1U) != 0;
  if (!allowed)
    return fail(Code::bad_value, "to = {} is no element type that {}-{} can give", shown, schema.name, schema.since);
  return dtype;
}

Result<Conversion> conversion_of(const Attributes& attributes) {
  Conversion conversion;
  if (attributes.integer("saturate", 1) == 0) conversion.overflow = Overflow::propagate;
  const std::string mode = attributes.text("round_mode", "up");
  if (mode == "down")
    conversion.rounding = PowerRounding::down;
  else if (mode == "nearest")
    conversion.rounding = PowerRounding::nearest;
  else if (mode != "up")
    return fail(Code::bad_value, "round_mode \"{}\" is none of up, down, nearest", mode);
  return conversion;
}

Result<void> infer_cast(InferContext& context) {
  TRY_ASSIGN(const DType to, target_type(context.schema, context.attributes));
  TRY(conversion_of(context.attributes));
  context.outputs[0] = Type::tensor(to);
  return infer_same(context);
}

Result<void> infer_cast_like(InferContext& context) {
  TRY(conversion_of(context.attributes));
  if (context.dtype(1) != DType::undefined) context.outputs[0] = Type::tensor(context.dtype(1));
  return infer_same(context);
}

Result<void> eval_cast(EvalContext& context) {
  TRY_ASSIGN(const DType to, target_type(context.schema, context.attributes));
  TRY_ASSIGN(const Conversion conversion, conversion_of(context.attributes));
  TRY_ASSIGN(context.outputs[0], convert(context.tensor(0), to, conversion));
  return {};
}

Result<void> eval_cast_like(EvalContext& context) {
  TRY_ASSIGN(const Conversion conversion, conversion_of(context.attributes));
  TRY_ASSIGN(context.outputs[0], convert(context.tensor(0), context.tensor(1).dtype(), conversion));
  return {};
}

Result<DType> bit_cast_target(const Schema& schema, const Attributes& attributes, DType from) {
  TRY_ASSIGN(const DType to, target_type(schema, attributes));
  if (from != DType::undefined && file_bits(from) != file_bits(to))
    return fail(Code::bad_type, "{} has {} bits and {} has {}", name(from), file_bits(from), name(to), file_bits(to));
  return to;
}

Result<void> infer_bit_cast(InferContext& context) {
  TRY_ASSIGN(const DType to, bit_cast_target(context.schema, context.attributes, context.dtype(0)));
  context.outputs[0] = Type::tensor(to);
  return infer_same(context);
}

/// The byte in memory that stands for the low bits of `byte`: sign-extended for small signed integers; any bool that is
/// not 0 is 1.
std::byte canonical(std::byte byte, DType dtype) {
  const auto bits = std::to_integer<std::int64_t>(byte);
  switch (dtype) {
    case DType::boolean: return std::byte{bits != 0};
    case DType::i4: return static_cast<std::byte>(I4(bits).value);
    case DType::i2: return static_cast<std::byte>(I2(bits).value);
    case DType::u4:
    case DType::f4e2m1: return byte & std::byte{0x0f};
    case DType::u2: return byte & std::byte{0x03};
    default: return byte;
  }
}

Result<void> eval_bit_cast(EvalContext& context) {
  const Tensor& input = context.tensor(0);
  TRY_ASSIGN(const DType to, bit_cast_target(context.schema, context.attributes, input.dtype()));
  TRY_ASSIGN(const Tensor x, input.to_dense());
  TRY_ASSIGN(Tensor y, Tensor::allocate(to, x.shape()));
  const std::size_t count = static_cast<std::size_t>(x.size()) * size_of(to);
  std::copy_n(x.bytes(), count, y.mutable_bytes());
  if (size_of(to) == 1)
    std::for_each_n(y.mutable_bytes(), count, [to](std::byte& byte) { byte = canonical(byte, to); });
  context.outputs[0] = std::move(y);
  return {};
}

constexpr OpDef kCast[] = {
    {.name = "BitCast", .since = {26}, .infer = infer_bit_cast, .eval = eval_bit_cast, .axes = kPointwiseAxes},
    {.name = "Cast",
     .since = {1, 6, 9, 13, 19, 21, 23, 24, 25, 28},
     .infer = infer_cast,
     .eval = eval_cast,
     .axes = kPointwiseAxes},
    {.name = "CastLike",
     .since = {15, 19, 21, 23, 24, 25},
     .infer = infer_cast_like,
     .eval = eval_cast_like,
     .axes = kCastLikeAxes},
};

}  // namespace

std::span<const OpDef> cast_ops() { return kCast; }

}  // namespace pawl::ops
