// Activation functions of neural networks: one tensor in, one of the same shape and type out.
#include <cmath>
#include <numbers>

#include "expr/scalar.h"
#include "ops/arithmetic.h"
#include "ops/axis_rules.h"
#include "ops/convert.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace pawl::ops {
namespace {

Result<void> eval_relu(EvalContext& context) {
  return eval_map1<Numbers>(context, [](auto x) { return x < 0 ? decltype(x)(0) : x; });
}

Result<void> eval_leaky_relu(EvalContext& context) {
  const float alpha = context.attributes.real("alpha", 0.01F);
  return eval_map1<Floats>(context, [=](auto x) { return x < 0 ? decltype(x)(alpha) * x : x; });
}

Result<void> eval_thresholded_relu(EvalContext& context) {
  const float alpha = context.attributes.real("alpha", 1.0F);
  return eval_map1<Floats>(context, [=](auto x) { return x > decltype(x)(alpha) ? x : 0; });
}

Result<void> eval_elu(EvalContext& context) {
  const float alpha = context.attributes.real("alpha", 1.0F);
  return eval_map1<Floats>(context, [=](auto x) { return x < 0 ? decltype(x)(alpha) * expr::exp_minus_1(x) : x; });
}

Result<void> eval_celu(EvalContext& context) {
  const float alpha = context.attributes.real("alpha", 1.0F);
  return eval_map1<Floats>(context, [=](auto x) {
    const auto a = decltype(x)(alpha);
    return larger(decltype(x)(0), x) + smaller(decltype(x)(0), a * expr::exp_minus_1(x / a));
  });
}

Result<void> eval_selu(EvalContext& context) {
  const bool first = context.since() < 6;
  const float alpha = context.attributes.real("alpha", first ? 1.6732F : 1.67326319217681884765625F);
  const float gamma = context.attributes.real("gamma", first ? 1.0507F : 1.05070102214813232421875F);
  return eval_map1<Floats>(
      context, [=](auto x) { return decltype(x)(gamma) * (x > 0 ? x : decltype(x)(alpha) * expr::exp_minus_1(x)); });
}

template <class T>
T hard_sigmoid(T x, T alpha, T beta) {
  return larger(T{0}, smaller(T{1}, alpha * x + beta));
}

Result<void> eval_hard_sigmoid(EvalContext& context) {
  const float alpha = context.attributes.real("alpha", 0.2F);
  const float beta = context.attributes.real("beta", 0.5F);
  return eval_map1<Floats>(context, [=](auto x) { return hard_sigmoid(x, decltype(x)(alpha), decltype(x)(beta)); });
}

Result<void> eval_hard_swish(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) {
    using T = decltype(x);
    return x * hard_sigmoid(x, T{1} / T{6}, T{0.5});
  });
}

Result<void> eval_swish(EvalContext& context) {
  const float alpha = context.attributes.real("alpha", 1.0F);
  return eval_map1<Floats>(context, [=](auto x) { return x * expr::sigmoid(decltype(x)(alpha) * x); });
}

Result<void> eval_mish(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return x * expr::tanh(softplus(x)); });
}

Result<void> eval_softsign(EvalContext& context) {
  return eval_map1<Floats>(context, [](auto x) { return x / (1 + std::abs(x)); });
}

Result<void> eval_gelu(EvalContext& context) {
  const std::string approximate = context.attributes.text("approximate", "none");
  if (approximate == "tanh") {
    return eval_map1<Floats>(context, [](auto x) {
      using T = decltype(x);
      const T root = std::sqrt(2 / std::numbers::pi_v<T>);
      return T{0.5} * x * (1 + expr::tanh(root * (x + T(0.044715) * x * x * x)));
    });
  }
  if (approximate != "none") return fail(Code::bad_value, "approximate \"{}\" is neither none nor tanh", approximate);
  return eval_map1<Floats>(context, [](auto x) {
    using T = decltype(x);
    return T{0.5} * x * (1 + expr::erf(x / std::numbers::sqrt2_v<T>));
  });
}

Result<void> eval_shrink(EvalContext& context) {
  const double lambd = context.attributes.real("lambd", 0.5F);
  const double bias = context.attributes.real("bias", 0.0F);
  return eval_map1<Numbers>(context, [=](auto x) {
    using T = decltype(x);
    const auto wide = static_cast<double>(x);
    if (!(wide < -lambd || wide > lambd)) return std::isnan(wide) ? x : T{0};
    if (bias == 0) return x;
    const double moved = wide < -lambd ? wide + bias : wide - bias;
    if constexpr (std::is_integral_v<T>)
      return truncated<T>(moved);
    else
      return static_cast<T>(moved);
  });
}

/// Before version 7 the slope is one number or one per channel (axis 1); after, it is broadcast to X.
Result<Tensor> slope_for(const Tensor& slope, const Tensor& x, int since) {
  const Dims& shape = x.shape();
  if (since < 7 && slope.size() != 1) {
    const bool fits = slope.rank() == 1 && x.rank() >= 2 && slope.shape()[0] == shape[1];
    if (!fits)
      return fail(Code::bad_shape, "slope {} has not one number per channel of {}", to_string(slope.shape()),
                  to_string(shape));
    Dims per_channel(shape.size() - 1, 1);
    Dims strides(shape.size() - 1, 0);
    per_channel[0] = shape[1];
    strides[0] = slope.strides()[0];
    return slope.view(std::move(per_channel), std::move(strides));
  }
  if (since < 7) return slope.view({}, {});
  TRY_ASSIGN(const Dims both, pawl::broadcast_shapes(shape, slope.shape()));
  if (!(both == shape))
    return fail(Code::bad_shape, "slope {} cannot be broadcast to {}", to_string(slope.shape()), to_string(shape));
  return slope;
}

Result<void> eval_prelu(EvalContext& context) {
  TRY_ASSIGN(Tensor slope, slope_for(context.tensor(1), context.tensor(0), context.since()));
  Value x = context.take(0);
  TRY_ASSIGN(context.outputs[0], dispatch<Numbers>(x.tensor().dtype(), [&](auto tag) -> Result<Tensor> {
               using T = typename decltype(tag)::type;
               return map2<T, T, T>(std::move(x.tensor()), std::move(slope),
                                    [](auto v, auto s) { return v < 0 ? product(s, v) : v; });
             }));
  return {};
}

Result<void> infer_swiglu(InferContext& context) {
  const SymbolicShape* a = context.shape(0);
  const SymbolicShape* b = context.shape(1);
  if (a == nullptr || b == nullptr) return infer_same(context);
  bool differ = a->size() != b->size();
  for (std::size_t i = 0; !differ && i < a->size(); ++i)
    differ = (*a)[i].known() && (*b)[i].known() && (*a)[i].value != (*b)[i].value;
  if (differ) return fail(Code::bad_shape, "shapes {} and {} differ", to_string(*a), to_string(*b));
  return infer_same(context);
}

Result<void> eval_swiglu(EvalContext& context) {
  const float alpha = context.attributes.real("alpha", 1.0F);
  if (context.tensor(0).shape() != context.tensor(1).shape())
    return fail(Code::bad_shape, "shapes {} and {} differ", to_string(context.tensor(0).shape()),
                to_string(context.tensor(1).shape()));
  return eval_map2<Floats>(context, [=](auto a, auto b) { return a * expr::sigmoid(decltype(a)(alpha) * a) * b; });
}

constexpr OpDef kActivation[] = {
    {.name = "Celu", .since = {12, 28}, .infer = infer_same, .eval = eval_celu, .axes = kPointwiseAxes},
    {.name = "Elu", .since = {1, 6, 22}, .infer = infer_same, .eval = eval_elu, .axes = kPointwiseAxes},
    {.name = "Gelu", .since = {20}, .infer = infer_same, .eval = eval_gelu, .axes = kPointwiseAxes},
    {.name = "HardSigmoid",
     .since = {1, 6, 22},
     .infer = infer_same,
     .eval = eval_hard_sigmoid,
     .axes = kPointwiseAxes},
    {.name = "HardSwish", .since = {14, 22}, .infer = infer_same, .eval = eval_hard_swish, .axes = kPointwiseAxes},
    {.name = "LeakyRelu", .since = {1, 6, 16}, .infer = infer_same, .eval = eval_leaky_relu, .axes = kPointwiseAxes},
    {.name = "Mish", .since = {18, 22}, .infer = infer_same, .eval = eval_mish, .axes = kPointwiseAxes},
    {.name = "PRelu", .since = {1, 6, 7, 9, 16}, .infer = infer_same, .eval = eval_prelu, .axes = kSlopeAxes},
    {.name = "Relu", .since = {1, 6, 13, 14}, .infer = infer_same, .eval = eval_relu, .axes = kPointwiseAxes},
    {.name = "Selu", .since = {1, 6, 22}, .infer = infer_same, .eval = eval_selu, .axes = kPointwiseAxes},
    {.name = "Shrink", .since = {9}, .infer = infer_same, .eval = eval_shrink, .axes = kPointwiseAxes},
    {.name = "Softsign", .since = {1, 22}, .infer = infer_same, .eval = eval_softsign, .axes = kPointwiseAxes},
    {.name = "SwiGLU", .since = {28}, .infer = infer_swiglu, .eval = eval_swiglu, .axes = kSameShapesAxes},
    {.name = "Swish", .since = {24}, .infer = infer_same, .eval = eval_swish, .axes = kPointwiseAxes},
    {.name = "ThresholdedRelu",
     .since = {10, 22},
     .infer = infer_same,
     .eval = eval_thresholded_relu,
     .axes = kPointwiseAxes},
};

}  // namespace

std::span<const OpDef> activation_ops() { return kActivation; }

}  // namespace pawl::ops
