// Optionals. A value that an optional has is that value itself; only `none` looks different.
#include "ops/extents.h"
#include "ops/families.h"

namespace pawl::ops {
namespace {

Result<void> infer_optional(InferContext& context) {
  const auto* declared = context.attributes.get<Type>("type");
  if (context.has_input(0)) {
    if (context.inputs[0]->type.known()) context.outputs[0] = Type::optional(context.inputs[0]->type);
  } else if (declared != nullptr) {
    context.outputs[0] = Type::optional(*declared);
  } else {
    return fail(Code::bad_model, "an Optional without input needs the attribute type");
  }
  return {};
}

Result<void> eval_optional(EvalContext& context) {
  context.outputs[0] = context.has_input(0) ? context.take(0) : Value();
  return {};
}

Result<void> infer_get(InferContext& context) {
  if (!context.has_input(0)) return {};
  const Type& type = context.inputs[0]->type;
  if (!type.is_optional()) {
    if (type.known()) context.outputs[0] = type;
  } else if (type.element && type.element->known()) {
    context.outputs[0] = *type.element;
  }
  return {};
}

Result<void> eval_get(EvalContext& context) {
  if (context.inputs[0]->is_none()) return fail(Code::bad_value, "the optional has no element");
  context.outputs[0] = context.take(0);
  return {};
}

Result<void> infer_has(InferContext& context) {
  context.set_shape(0, {});
  if (!context.has_input(0)) {
    context.set_constant(0, Tensor::scalar(false));
  } else if (const Type& type = context.inputs[0]->type; type.is_tensor() || type.is_sequence()) {
    context.set_constant(0, Tensor::scalar(true));
  }
  return {};
}

Result<void> eval_has(EvalContext& context) {
  context.outputs[0] = Tensor::scalar(context.has_input(0) && !context.inputs[0]->is_none());
  return {};
}

}  // namespace

std::span<const OpDef> optional_ops() {
  static const OpDef rows[] = {
      {.name = "Optional", .since = {15, 28}, .infer = infer_optional, .eval = eval_optional, .axes = kOpaqueAxes},
      {.name = "OptionalGetElement", .since = {15, 18, 28}, .infer = infer_get, .eval = eval_get, .axes = kOpaqueAxes},
      {.name = "OptionalHasElement", .since = {15, 18, 28}, .infer = infer_has, .eval = eval_has, .axes = kOpaqueAxes},
  };
  return rows;
}

}  // namespace pawl::ops
