// Comparison and choice.
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
    {.name = "Equal", .since = {1, 7, 11, 13, 19}, .infer = infer_operands, .eval = eval_equal},
    {.name = "Greater", .since = {1, 7, 9, 13}, .infer = infer_operands, .eval = eval_greater},
    {.name = "Less", .since = {1, 7, 9, 13}, .infer = infer_operands, .eval = eval_less},
    {.name = "Where", .since = {9, 16}, .infer = infer_broadcast, .eval = eval_where},
};

}  // namespace

std::span<const OpDef> logic_ops() { return kLogic; }

}  // namespace pawl::ops
