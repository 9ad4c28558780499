// Comparison, boolean logic and choice.
#include "ops/axis_rules.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace pawl::ops {
namespace {

Result<void> eval_greater(EvalContext& context) {
  return eval_compare<Numbers>(context, [](const auto& a, const auto& b) { return a > b; });
}

Result<void> eval_less(EvalContext& context) {
  return eval_compare<Numbers>(context, [](const auto& a, const auto& b) { return a < b; });
}

Result<void> eval_equal(EvalContext& context) {
  using Comparable = Join<Numbers, TypeList<bool, std::string>>;
  return eval_compare<Comparable>(context, [](const auto& a, const auto& b) { return a == b; });
}

Result<void> eval_greater_or_equal(EvalContext& context) {
  return eval_compare<Numbers>(context, [](const auto& a, const auto& b) { return a >= b; });
}

Result<void> eval_less_or_equal(EvalContext& context) {
  return eval_compare<Numbers>(context, [](const auto& a, const auto& b) { return a <= b; });
}

Result<void> eval_and(EvalContext& context) {
  return eval_map2<TypeList<bool>>(context, [](bool a, bool b) { return a && b; });
}

Result<void> eval_or(EvalContext& context) {
  return eval_map2<TypeList<bool>>(context, [](bool a, bool b) { return a || b; });
}

Result<void> eval_xor(EvalContext& context) {
  return eval_map2<TypeList<bool>>(context, [](bool a, bool b) { return a != b; });
}

Result<void> eval_not(EvalContext& context) {
  return eval_map1<TypeList<bool>>(context, [](bool x) { return !x; });
}

/// An eval that asks something of every real number of input 0.
template <class F>
Result<void> eval_test(EvalContext& context, F f) {
  Value x = context.take(0);
  TRY_ASSIGN(context.outputs[0],
             dispatch<Join<Floats, SmallFloats>>(x.tensor().dtype(), [&](auto tag) -> Result<Tensor> {
               return map1<typename decltype(tag)::type, bool>(std::move(x.tensor()), f);
             }));
  return {};
}

Result<void> eval_is_nan(EvalContext& context) {
  return eval_test(context, [](auto x) { return std::isnan(x); });
}

Result<void> eval_is_inf(EvalContext& context) {
  const bool negative = context.attributes.integer("detect_negative", 1) != 0;
  const bool positive = context.attributes.integer("detect_positive", 1) != 0;
  return eval_test(context, [=](auto x) { return std::isinf(x) && (x < 0 ? negative : positive); });
}

/// An element of that many bytes, moved without being looked at.
template <std::size_t Width>
struct Unit {
  std::byte bytes[Width];
};

template <class T>
void choose(const Tensor& condition, const Tensor& x, const Tensor& y, Tensor& result) {
  const bool* chosen = condition.data<bool>();
  const T* if_true = x.data<T>();
  const T* if_false = y.data<T>();
  T* to = result.mutable_data<T>();
  walk<3>(result.shape(), {&condition.strides(), &x.strides(), &y.strides()},
          [&](std::int64_t c, std::int64_t i, std::int64_t j) { *to++ = chosen[c] ? if_true[i] : if_false[j]; });
}

Result<void> eval_where(EvalContext& context) {
  const Tensor& condition = context.tensor(0);
  TRY_ASSIGN(Dims shape, broadcast_shapes(context.tensor(1).shape(), context.tensor(2).shape()));
  TRY_ASSIGN(shape, broadcast_shapes(condition.shape(), shape));
  TRY_ASSIGN(Tensor result, Tensor::allocate(context.tensor(1).dtype(), shape));
  const Tensor c = broadcast_view(condition, shape);
  const Tensor x = broadcast_view(context.tensor(1), shape);
  const Tensor y = broadcast_view(context.tensor(2), shape);
  if (result.dtype() == DType::string) {
    choose<std::string>(c, x, y, result);
  } else {
    switch (size_of(result.dtype())) {
      case 1: choose<Unit<1>>(c, x, y, result); break;
      case 2: choose<Unit<2>>(c, x, y, result); break;
      case 4: choose<Unit<4>>(c, x, y, result); break;
      case 8: choose<Unit<8>>(c, x, y, result); break;
      case 16: choose<Unit<16>>(c, x, y, result); break;
      default: CHECK(false);
    }
  }
  context.outputs[0] = std::move(result);
  return {};
}

constexpr OpDef kLogic[] = {
    {.name = "And", .since = {1, 7}, .infer = infer_operands, .eval = eval_and, .axes = kPointwiseAxes},
    {.name = "Equal", .since = {1, 7, 11, 13, 19}, .infer = infer_operands, .eval = eval_equal, .axes = kPointwiseAxes},
    {.name = "Greater", .since = {1, 7, 9, 13}, .infer = infer_operands, .eval = eval_greater, .axes = kPointwiseAxes},
    {.name = "GreaterOrEqual",
     .since = {12, 16},
     .infer = infer_operands,
     .eval = eval_greater_or_equal,
     .axes = kPointwiseAxes},
    {.name = "IsInf", .since = {10, 20}, .infer = infer_same, .eval = eval_is_inf, .axes = kPointwiseAxes},
    {.name = "IsNaN", .since = {9, 13, 20}, .infer = infer_same, .eval = eval_is_nan, .axes = kPointwiseAxes},
    {.name = "Less", .since = {1, 7, 9, 13}, .infer = infer_operands, .eval = eval_less, .axes = kPointwiseAxes},
    {.name = "LessOrEqual",
     .since = {12, 16},
     .infer = infer_operands,
     .eval = eval_less_or_equal,
     .axes = kPointwiseAxes},
    {.name = "Not", .since = {1}, .infer = infer_same, .eval = eval_not, .axes = kPointwiseAxes},
    {.name = "Or", .since = {1, 7}, .infer = infer_operands, .eval = eval_or, .axes = kPointwiseAxes},
    {.name = "Where", .since = {9, 16}, .infer = infer_broadcast, .eval = eval_where, .axes = kPointwiseAxes},
    {.name = "Xor", .since = {1, 7}, .infer = infer_operands, .eval = eval_xor, .axes = kPointwiseAxes},
};

}  // namespace

std::span<const OpDef> logic_ops() { return kLogic; }

}  // namespace pawl::ops
