// One tensor in, one of the same shape and type out.
#include <cmath>

#include "ops/arithmetic.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace pawl::ops {
namespace {

Result<void> eval_neg(EvalContext& context) {
  return eval_map1<Numbers>(context, [](auto x) { return negated(x); });
}

Result<void> eval_abs(EvalContext& context) {
  return eval_map1<Numbers>(context, [](auto x) {
    if constexpr (std::is_floating_point_v<decltype(x)>) return std::abs(x);
    else return x < 0 ? negated(x) : x;
  });
}

Result<void> eval_sqrt(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::sqrt(x); });
}

Result<void> eval_exp(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::exp(x); });
}

Result<void> eval_log(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::log(x); });
}

Result<void> eval_tanh(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::tanh(x); });
}

Result<void> eval_reciprocal(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return 1 / x; });
}

Result<void> eval_sigmoid(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return sigmoid(x); });
}

Result<void> eval_softplus(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return softplus(x); });
}

Result<void> infer_identity(InferContext& context) {
  if (context.has_input(0) && context.inputs[0]->type.known()) context.outputs[0] = context.inputs[0]->type;
  return {};
}

Result<void> eval_identity(EvalContext& context) {
  context.outputs[0] = context.take(0);
  return {};
}

constexpr OpDef kUnary[] = {
    {.name = "Abs", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_abs},
    {.name = "Exp", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_exp},
    {.name = "Identity", .since = {1, 13, 14, 16, 19, 21, 23, 24, 25}, .infer = infer_identity, .eval = eval_identity},
    {.name = "Log", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_log},
    {.name = "Neg", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_neg},
    {.name = "Reciprocal", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_reciprocal},
    {.name = "Sigmoid", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_sigmoid},
    {.name = "Softplus", .since = {1, 22}, .infer = infer_same, .eval = eval_softplus},
    {.name = "Sqrt", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_sqrt},
    {.name = "Tanh", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_tanh},
};

}  // namespace

std::span<const OpDef> unary_ops() { return kUnary; }

}  // namespace pawl::ops
