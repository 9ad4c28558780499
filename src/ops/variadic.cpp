// One result from any number of tensors, broadcast together.
#include "ops/arithmetic.h"
#include "ops/axis_rules.h"
#include "ops/convert.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

/// All inputs as tensors of type `dtype`. Before version 8 they must have one shape. Errors: bad_shape.
Result<std::vector<Tensor>> take_all(EvalContext& context, DType dtype) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    if (!context.has_input(i)) return fail(Code::bad_argument, "input {} of {} is missing", i, context.schema.name);
    Value value = context.take(i);
    if (value.tensor().dtype() == dtype)
      tensors.push_back(std::move(value.tensor()));
    else {
      TRY_ASSIGN(Tensor converted, convert(value.tensor(), dtype));
      tensors.push_back(std::move(converted));
    }
    if (context.since() < 8 && tensors.back().shape() != tensors.front().shape())
      return fail(Code::bad_shape, "shapes {} and {} differ", to_string(tensors.front().shape()),
                  to_string(tensors.back().shape()));
  }
  return tensors;
}

/// f(… f(f(t0, t1), t2) …, tn), elementwise.
template <class List, class F>
Result<Tensor> folded(std::vector<Tensor> tensors, F f) {
  Tensor result = std::move(tensors[0]);
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    TRY_ASSIGN(result, dispatch<List>(result.dtype(), [&](auto tag) -> Result<Tensor> {
                 using T = typename decltype(tag)::type;
                 return map2<T, T, T>(std::move(result), std::move(tensors[i]), f);
               }));
  }
  return result;
}

Result<void> eval_max(EvalContext& context) {
  TRY_ASSIGN(std::vector<Tensor> all, take_all(context, context.tensor(0).dtype()));
  TRY_ASSIGN(context.outputs[0], folded<Numbers>(std::move(all), [](auto a, auto b) { return larger(a, b); }));
  return {};
}

Result<void> eval_min(EvalContext& context) {
  TRY_ASSIGN(std::vector<Tensor> all, take_all(context, context.tensor(0).dtype()));
  TRY_ASSIGN(context.outputs[0], folded<Numbers>(std::move(all), [](auto a, auto b) { return smaller(a, b); }));
  return {};
}

/// Sums in float where the type is narrower, so that a sum of many is rounded once; scaled by 1 / count for a mean.
Result<void> eval_total(EvalContext& context, bool mean) {
  const DType dtype = context.tensor(0).dtype();
  const DType wide = dtype == DType::f64 ? DType::f64 : DType::f32;
  const auto count = static_cast<float>(context.inputs.size());
  TRY_ASSIGN(std::vector<Tensor> all, take_all(context, wide));
  TRY_ASSIGN(Tensor total, folded<Ieee>(std::move(all), [](auto a, auto b) { return a + b; }));
  if (mean) {
    TRY_ASSIGN(total, dispatch<Ieee>(wide, [&](auto tag) -> Result<Tensor> {
                 using T = typename decltype(tag)::type;
                 return map1<T, T>(std::move(total), [=](T x) { return x / static_cast<T>(count); });
               }));
  }
  TRY_ASSIGN(context.outputs[0], convert(total, dtype));
  return {};
}

Result<void> eval_sum(EvalContext& context) { return eval_total(context, false); }
Result<void> eval_mean(EvalContext& context) { return eval_total(context, true); }

constexpr OpDef kVariadic[] = {
    {.name = "Max", .since = {1, 6, 8, 12, 13}, .infer = infer_broadcast, .eval = eval_max, .axes = kPointwiseAxes},
    {.name = "Mean", .since = {1, 6, 8, 13}, .infer = infer_broadcast, .eval = eval_mean, .axes = kPointwiseAxes},
    {.name = "Min", .since = {1, 6, 8, 12, 13}, .infer = infer_broadcast, .eval = eval_min, .axes = kPointwiseAxes},
    {.name = "Sum", .since = {1, 6, 8, 13}, .infer = infer_broadcast, .eval = eval_sum, .axes = kPointwiseAxes},
};

}  // namespace

std::span<const OpDef> variadic_ops() { return kVariadic; }

}  // namespace pawl::ops
