// Conversion of element types.
#include <algorithm>
#include <string>

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
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    dtype = dtype_from_name(lower);
  } else {
    const std::int64_t number = attributes.integer("to", 0);
    shown = std::to_string(number);
    if (is_dtype(number)) dtype = static_cast<DType>(number);
  }
  const bool allowed = dtype != DType::undefined && ((schema.outputs[0].types.tensor >> static_cast<unsigned>(dtype)) & 1U) != 0;
  if (!allowed) return fail(Code::bad_value, "to = {} is no element type that {}-{} can give", shown, schema.name, schema.since);
  return dtype;
}

Result<Conversion> conversion_of(const Attributes& attributes) {
  Conversion conversion;
  if (attributes.integer("saturate", 1) == 0) conversion.overflow = Overflow::propagate;
  const std::string mode = attributes.text("round_mode", "up");
  if (mode == "down") conversion.rounding = PowerRounding::down;
  else if (mode == "nearest") conversion.rounding = PowerRounding::nearest;
  else if (mode != "up") return fail(Code::bad_value, "round_mode \"{}\" is none of up, down, nearest", mode);
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

constexpr OpDef kCast[] = {
    {.name = "Cast", .since = {1, 6, 9, 13, 19, 21, 23, 24, 25, 28}, .infer = infer_cast, .eval = eval_cast},
    {.name = "CastLike", .since = {15, 19, 21, 23, 24, 25}, .infer = infer_cast_like, .eval = eval_cast_like},
};

}  // namespace

std::span<const OpDef> cast_ops() { return kCast; }

}  // namespace pawl::ops
