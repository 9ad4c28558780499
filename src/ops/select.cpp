// ArgMax, ArgMin and TopK: where the extreme elements are. NaN counts as greater than every number in TopK; in ArgMax
// and ArgMin it is the extreme element, as in numpy. Equal elements: the lower index first.
#include <algorithm>
#include <numeric>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "tensor/dispatch.h"

namespace pawl::ops {
namespace {

using Ordered = Join<Floats, Integers>;

/// Extents before and after an axis, multiplied. Only for tensors that have elements.
struct Around {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
};

Around around(const Dims& shape, std::size_t axis) {
  Around result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i < axis) result.outer *= shape[i];
    if (i > axis) result.inner *= shape[i];
  }
  return result;
}

Result<void> infer_arg(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), shape->size()));
  SymbolicShape out = *shape;
  if (context.attributes.integer("keepdims", 1) != 0)
    out[axis] = 1;
  else
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  context.set_shape(0, std::move(out));
  return {};
}

template <class T, bool Greatest>
std::int64_t extreme_index(const T* from, std::int64_t length, std::int64_t step, bool last) {
  std::int64_t best = 0;
  auto record = static_cast<Compute<T>>(from[0]);
  for (std::int64_t i = 1; i < length; ++i) {
    const auto x = static_cast<Compute<T>>(from[i * step]);
    const bool nan = x != x, record_nan = record != record;
    const bool better = nan ? !record_nan : !record_nan && (Greatest ? x > record : x < record);
    const bool tie = nan ? record_nan : x == record;
    if (better || (last && tie)) {
      best = i;
      record = x;
    }
  }
  return best;
}

template <bool Greatest>
Result<void> eval_arg(EvalContext& context) {
  TRY_ASSIGN(const Tensor data, context.dense(0));
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), data.shape().size()));
  const bool last = context.attributes.integer("select_last_index", 0) != 0;
  Dims shape = data.shape();
  const std::int64_t length = shape[axis];
  if (context.attributes.integer("keepdims", 1) != 0)
    shape[axis] = 1;
  else
    shape.erase(axis);
  TRY_ASSIGN(Tensor out, Tensor::allocate(DType::i64, shape));
  if (length == 0 && out.size() > 0)
    return fail(Code::bad_shape, "axis {} of shape {} has no elements to choose from", axis, to_string(data.shape()));
  return dispatch<Ordered>(data.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    if (out.size() > 0) {
      const Around extents = around(data.shape(), axis);
      std::int64_t* to = out.mutable_data<std::int64_t>();
      for (std::int64_t i = 0; i < extents.outer; ++i)
        for (std::int64_t j = 0; j < extents.inner; ++j)
          *to++ =
              extreme_index<T, Greatest>(data.data<T>() + i * length * extents.inner + j, length, extents.inner, last);
    }
    context.outputs[0] = std::move(out);
    return {};
  });
}

Result<std::int64_t> checked_k(std::int64_t k, const Dim& extent) {
  if (k < 0) return fail(Code::bad_value, "k is {}; it must not be negative", k);
  if (extent.known() && k > extent.value)
    return fail(Code::bad_value, "k is {}, but the axis has only {} elements", k, extent.value);
  return k;
}

Result<std::int64_t> single_k(const Dims& values) {
  if (values.size() != 1) return fail(Code::bad_shape, "k must be one number, not {}", values.size());
  return values[0];
}

Result<void> infer_top_k(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", -1), shape->size()));
  SymbolicShape out = *shape;
  out[axis] = Dim();
  const auto* attribute = context.attributes.get<std::int64_t>("k");
  if (attribute != nullptr) {
    TRY_ASSIGN(out[axis], checked_k(*attribute, (*shape)[axis]));
  } else if (const Tensor* constant = context.constant(1)) {
    TRY_ASSIGN(const Dims values, integers_of(*constant));
    TRY_ASSIGN(const std::int64_t k, single_k(values));
    TRY_ASSIGN(out[axis], checked_k(k, (*shape)[axis]));
  }
  context.set_shape(0, out);
  context.set_shape(1, std::move(out));
  return {};
}

Result<std::int64_t> wanted_k(const EvalContext& context, std::int64_t extent) {
  if (!context.has_input(1)) return checked_k(context.attributes.integer("k", -1), extent);
  TRY_ASSIGN(const Dims values, context.integers(1));
  TRY_ASSIGN(const std::int64_t k, single_k(values));
  return checked_k(k, extent);
}

/// True when x comes before y among the largest: greater, with NaN above all numbers.
template <class C>
bool above(C x, C y) {
  return x > y || (x != x && y == y);
}

/// The first k of `order`, in order. The result is sorted whether it was asked for or not.
template <class T>
void choose(const T* from, std::int64_t step, std::int64_t k, bool largest, std::vector<std::int64_t>& order) {
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](std::int64_t a, std::int64_t b) {
    const auto x = static_cast<Compute<T>>(from[a * step]), y = static_cast<Compute<T>>(from[b * step]);
    if (largest ? above(x, y) : above(y, x)) return true;
    if (largest ? above(y, x) : above(x, y)) return false;
    return a < b;
  });
}

Result<void> eval_top_k(EvalContext& context) {
  TRY_ASSIGN(const Tensor data, context.dense(0));
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", -1), data.shape().size()));
  const std::int64_t length = data.shape()[axis];
  TRY_ASSIGN(const std::int64_t k, wanted_k(context, length));
  const bool largest = context.attributes.integer("largest", 1) != 0;
  Dims shape = data.shape();
  shape[axis] = k;
  TRY_ASSIGN(Tensor values, Tensor::allocate(data.dtype(), shape));
  TRY_ASSIGN(Tensor indices, Tensor::allocate(DType::i64, shape));
  return dispatch<Ordered>(data.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    if (values.size() > 0) {
      const Around extents = around(data.shape(), axis);
      std::vector<std::int64_t> order(static_cast<std::size_t>(length));
      for (std::int64_t i = 0; i < extents.outer; ++i)
        for (std::int64_t j = 0; j < extents.inner; ++j) {
          const T* from = data.data<T>() + i * length * extents.inner + j;
          choose(from, extents.inner, k, largest, order);
          for (std::int64_t n = 0; n < k; ++n) {
            const std::int64_t at = (i * k + n) * extents.inner + j, chosen = order[static_cast<std::size_t>(n)];
            values.mutable_data<T>()[at] = from[chosen * extents.inner];
            indices.mutable_data<std::int64_t>()[at] = chosen;
          }
        }
    }
    context.outputs[0] = std::move(values);
    context.outputs[1] = std::move(indices);
    return {};
  });
}

constexpr OpDef kSelect[] = {
    {.name = "ArgMax", .since = {1, 11, 12, 13}, .infer = infer_arg, .eval = eval_arg<true>, .axes = kArgAxes},
    {.name = "ArgMin", .since = {1, 11, 12, 13}, .infer = infer_arg, .eval = eval_arg<false>, .axes = kArgAxes},
    {.name = "TopK", .since = {1, 10, 11, 24}, .infer = infer_top_k, .eval = eval_top_k, .axes = kAlongAxes},
};

}  // namespace

std::span<const OpDef> select_ops() { return kSelect; }

}  // namespace pawl::ops
