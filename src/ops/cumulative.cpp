// CumSum and CumProd: what has been added or multiplied up to each element of an axis.
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/fold.h"
#include "ops/infer.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

Result<void> infer_cumulative(InferContext& context) {
  TRY_ASSIGN(const std::optional<Dims> axis, constant_integers(context, 1));
  if (axis && axis->size() != 1) return fail(Code::bad_shape, "axis must be one number, not {}", axis->size());
  if (axis && context.shape(0) != nullptr) TRY(resolve_axis((*axis)[0], context.shape(0)->size()));
  return infer_same(context);
}

// Small floats are added up in float, and every result is rounded once.
template <class Fold>
Result<void> eval_cumulative(EvalContext& context) {
  const Tensor& data = context.tensor(0);
  TRY_ASSIGN(const std::int64_t given, integer_scalar(context, 1, "axis"));
  TRY_ASSIGN(const std::size_t axis, resolve_axis(given, data.shape().size()));
  TRY_ASSIGN(const Tensor source, data.to_dense());
  TRY_ASSIGN(Tensor result, Tensor::allocate(data.dtype(), data.shape()));
  const bool exclusive = context.attributes.integer("exclusive", 0) != 0;
  const bool reverse = context.attributes.integer("reverse", 0) != 0;
  const std::int64_t extent = data.shape()[axis];
  const std::int64_t stride = result.strides()[axis];
  Dims outer = data.shape();
  outer[axis] = 1;
  TRY(dispatch<Numbers>(data.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    const T* from = source.data<T>();
    T* to = result.mutable_data<T>();
    if (result.size() == 0) return {};
    walk<1>(outer, {&result.strides()}, [&](std::int64_t start) {
      auto total = static_cast<Compute<T>>(Fold::kIdentity);
      for (std::int64_t i = 0; i < extent; ++i) {
        const std::int64_t at = start + (reverse ? extent - 1 - i : i) * stride;
        const auto element = static_cast<Compute<T>>(from[at]);
        // The first element as it is: 0 added to -0 would be 0.
        const auto next = i == 0 ? element : Fold()(total, element);
        to[at] = T(exclusive ? total : next);
        total = next;
      }
    });
    return {};
  }));
  context.outputs[0] = std::move(result);
  return {};
}

}  // namespace

std::span<const OpDef> cumulative_ops() {
  static const OpDef rows[] = {
      {.name = "CumSum",
       .since = {11, 14},
       .infer = infer_cumulative,
       .eval = eval_cumulative<Sum>,
       .axes = kCumulativeAxes},
      {.name = "CumProd",
       .since = {26},
       .infer = infer_cumulative,
       .eval = eval_cumulative<Product>,
       .axes = kCumulativeAxes},
  };
  return rows;
}

}  // namespace pawl::ops
