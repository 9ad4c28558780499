// One tensor in, one of the same shape and type out.
#include <cmath>

#include "expr/scalar.h"
#include "ops/arithmetic.h"
#include "ops/axis_rules.h"
#include "ops/convert.h"
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
    if constexpr (std::is_floating_point_v<decltype(x)>)
      return std::abs(x);
    else
      return x < 0 ? negated(x) : x;
  });
}

Result<void> eval_sqrt(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::sqrt(x); });
}

Result<void> eval_exp(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return expr::exp(x); });
}

Result<void> eval_log(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return expr::log(x); });
}

Result<void> eval_tanh(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return expr::tanh(x); });
}

Result<void> eval_sin(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return expr::sin(x); });
}

Result<void> eval_cos(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return expr::cos(x); });
}

Result<void> eval_tan(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::tan(x); });
}

Result<void> eval_asin(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::asin(x); });
}

Result<void> eval_acos(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::acos(x); });
}

Result<void> eval_atan(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::atan(x); });
}

Result<void> eval_sinh(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::sinh(x); });
}

Result<void> eval_cosh(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::cosh(x); });
}

Result<void> eval_asinh(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::asinh(x); });
}

Result<void> eval_acosh(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::acosh(x); });
}

Result<void> eval_atanh(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::atanh(x); });
}

Result<void> eval_floor(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::floor(x); });
}

Result<void> eval_ceil(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::ceil(x); });
}

/// Halves go to the even neighbour.
Result<void> eval_round(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return std::nearbyint(x); });
}

Result<void> eval_erf(EvalContext& context) {
  return eval_map1<Numbers>(context, [](auto x) {
    using T = decltype(x);
    if constexpr (std::is_integral_v<T>)
      return truncated<T>(expr::erf(static_cast<double>(x)));
    else
      return expr::erf(x);
  });
}

/// NaN stays NaN.
Result<void> eval_sign(EvalContext& context) {
  return eval_map1<Numbers>(context, [](auto x) {
    using T = decltype(x);
    if (x > 0) return T(1);
    return x < 0 ? T(-1) : x;
  });
}

Result<void> eval_reciprocal(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return 1 / x; });
}

Result<void> eval_sigmoid(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return expr::sigmoid(x); });
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

/// min(max, max(input, min)): a bound that is not given does not bound.
template <class T>
Result<Tensor> clipped(Tensor x, std::optional<Compute<T>> low, std::optional<Compute<T>> high) {
  return map1<T, T>(std::move(x), [=](auto v) {
    if (low) v = larger(v, *low);
    if (high) v = smaller(v, *high);
    return v;
  });
}

/// Clip's bound in input i: one element.
template <class T>
Result<std::optional<Compute<T>>> bound_input(const EvalContext& context, std::size_t i) {
  if (!context.has_input(i)) return std::optional<Compute<T>>();
  TRY_ASSIGN(const Tensor bound, context.dense(i));
  if (bound.size() != 1)
    return fail(Code::bad_shape, "the bound in input {} has shape {}, not one element", i, to_string(bound.shape()));
  return std::optional<Compute<T>>(computed(*bound.data<T>()));
}

Result<void> eval_clip(EvalContext& context) {
  TRY_ASSIGN(context.outputs[0], dispatch<Numbers>(context.tensor(0).dtype(), [&](auto tag) -> Result<Tensor> {
               using T = typename decltype(tag)::type;
               std::optional<Compute<T>> low;
               std::optional<Compute<T>> high;
               if (context.since() >= 11) {
                 TRY_ASSIGN(low, bound_input<T>(context, 1));
                 TRY_ASSIGN(high, bound_input<T>(context, 2));
               } else if constexpr (kIsFloat<T>) {
                 constexpr float kLargest = std::numeric_limits<float>::max();
                 const bool default_bounds = context.since() == 6;
                 if (default_bounds || context.attributes.has("min")) low = context.attributes.real("min", -kLargest);
                 if (default_bounds || context.attributes.has("max")) high = context.attributes.real("max", kLargest);
               }
               Value x = context.take(0);
               return clipped<T>(std::move(x.tensor()), low, high);
             }));
  return {};
}

constexpr OpDef kUnary[] = {
    {.name = "Abs", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_abs, .axes = kPointwiseAxes},
    {.name = "Acos", .since = {7, 22}, .infer = infer_same, .eval = eval_acos, .axes = kPointwiseAxes},
    {.name = "Acosh", .since = {9, 22}, .infer = infer_same, .eval = eval_acosh, .axes = kPointwiseAxes},
    {.name = "Asin", .since = {7, 22}, .infer = infer_same, .eval = eval_asin, .axes = kPointwiseAxes},
    {.name = "Asinh", .since = {9, 22}, .infer = infer_same, .eval = eval_asinh, .axes = kPointwiseAxes},
    {.name = "Atan", .since = {7, 22}, .infer = infer_same, .eval = eval_atan, .axes = kPointwiseAxes},
    {.name = "Atanh", .since = {9, 22}, .infer = infer_same, .eval = eval_atanh, .axes = kPointwiseAxes},
    {.name = "Ceil", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_ceil, .axes = kPointwiseAxes},
    {.name = "Clip", .since = {1, 6, 11, 12, 13}, .infer = infer_same, .eval = eval_clip, .axes = kClipAxes},
    {.name = "Cos", .since = {7, 22}, .infer = infer_same, .eval = eval_cos, .axes = kPointwiseAxes},
    {.name = "Cosh", .since = {9, 22}, .infer = infer_same, .eval = eval_cosh, .axes = kPointwiseAxes},
    {.name = "Erf", .since = {9, 13}, .infer = infer_same, .eval = eval_erf, .axes = kPointwiseAxes},
    {.name = "Exp", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_exp, .axes = kPointwiseAxes},
    {.name = "Floor", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_floor, .axes = kPointwiseAxes},
    {.name = "Identity",
     .since = {1, 13, 14, 16, 19, 21, 23, 24, 25},
     .infer = infer_identity,
     .eval = eval_identity,
     .axes = kPointwiseAxes},
    {.name = "Log", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_log, .axes = kPointwiseAxes},
    {.name = "Neg", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_neg, .axes = kPointwiseAxes},
    {.name = "Reciprocal", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_reciprocal, .axes = kPointwiseAxes},
    {.name = "Round", .since = {11, 22}, .infer = infer_same, .eval = eval_round, .axes = kPointwiseAxes},
    {.name = "Sigmoid", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_sigmoid, .axes = kPointwiseAxes},
    {.name = "Sign", .since = {9, 13}, .infer = infer_same, .eval = eval_sign, .axes = kPointwiseAxes},
    {.name = "Sin", .since = {7, 22}, .infer = infer_same, .eval = eval_sin, .axes = kPointwiseAxes},
    {.name = "Sinh", .since = {9, 22}, .infer = infer_same, .eval = eval_sinh, .axes = kPointwiseAxes},
    {.name = "Softplus", .since = {1, 22}, .infer = infer_same, .eval = eval_softplus, .axes = kPointwiseAxes},
    {.name = "Sqrt", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_sqrt, .axes = kPointwiseAxes},
    {.name = "Tan", .since = {7, 22}, .infer = infer_same, .eval = eval_tan, .axes = kPointwiseAxes},
    {.name = "Tanh", .since = {1, 6, 13}, .infer = infer_same, .eval = eval_tanh, .axes = kPointwiseAxes},
};

}  // namespace

std::span<const OpDef> unary_ops() { return kUnary; }

}  // namespace pawl::ops
