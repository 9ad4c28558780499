// GlobalAveragePool, GlobalMaxPool, GlobalLpPool: one window over all spatial axes. MaxUnpool: back to where MaxPool
// found it.
#include <cmath>

#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/window.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

Result<void> infer_global_pool(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  if (shape->size() < 2) return fail(Code::bad_shape, "X of shape {} has no channels", to_string(*shape));
  SymbolicShape out(shape->size(), Dim(1));
  out[0] = (*shape)[0];
  out[1] = (*shape)[1];
  context.set_shape(0, std::move(out));
  return {};
}

/// Runs fold(elements, count) → result for each channel.
template <class Fold>
Result<void> eval_channels(EvalContext& context, Fold fold) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  if (x.rank() < 2) return fail(Code::bad_shape, "X of shape {} has no channels", to_string(x.shape()));
  Dims shape(x.shape().size(), 1);
  shape[0] = x.shape()[0];
  shape[1] = x.shape()[1];
  TRY_ASSIGN(Tensor out, Tensor::allocate(x.dtype(), shape));
  if (out.size() > 0) {
    const std::int64_t count = x.size() / out.size();
    TRY(dispatch<Floats>(x.dtype(), [&](auto tag) -> Result<void> {
      using T = typename decltype(tag)::type;
      for (std::int64_t i = 0; i < out.size(); ++i) out.mutable_data<T>()[i] = fold(x.data<T>() + i * count, count);
      return {};
    }));
  }
  context.outputs[0] = std::move(out);
  return {};
}

Result<void> eval_global_average(EvalContext& context) {
  return eval_channels(context, []<class T>(const T* from, std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(from[i]);
    return static_cast<T>(sum / static_cast<double>(count));
  });
}

Result<void> eval_global_max(EvalContext& context) {
  return eval_channels(context, []<class T>(const T* from, std::int64_t count) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < count; ++i) {
      const auto x = static_cast<double>(from[i]);
      if (x > best || x != x) best = x;
    }
    return static_cast<T>(best);
  });
}

Result<void> eval_global_lp(EvalContext& context) {
  const double p =
      context.since() == 1 ? context.attributes.real("p", 2) : static_cast<double>(context.attributes.integer("p", 2));
  return eval_channels(context, [p]<class T>(const T* from, std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += std::pow(std::fabs(static_cast<double>(from[i])), p);
    return static_cast<T>(std::pow(sum, 1 / p));
  });
}

/// The extent that MaxPool is taken to have had before it: windows laid side by side, without the padding.
Result<std::int64_t> unpooled_extent(const Windows& windows, std::size_t axis, std::int64_t extent) {
  std::int64_t full = 0, cut = 0;
  if (__builtin_mul_overflow(extent - 1, windows.strides[axis], &full) ||
      __builtin_add_overflow(full, windows.kernel[axis], &full) ||
      __builtin_add_overflow(windows.before[axis], windows.after[axis], &cut))
    return fail(Code::limit, "the result is too large along spatial axis {}", axis);
  if (cut > full)
    return fail(Code::bad_shape, "{} elements of padding cannot be cut off from {} along spatial axis {}", cut, full,
                axis);
  return full - cut;
}

Result<Windows> unpool_windows(const Attributes& attributes, std::size_t rank) {
  if (rank < 3) return fail(Code::bad_shape, "X of rank {} has no spatial axes", rank);
  if (attributes.integers("kernel_shape").empty()) return fail(Code::bad_value, "kernel_shape is missing");
  return read_windows(attributes, rank - 2);
}

Result<void> infer_max_unpool(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  TRY_ASSIGN(const Windows windows, unpool_windows(context.attributes, shape->size()));
  SymbolicShape out(shape->size());
  TRY_ASSIGN(const auto given, constant_integers(context, 2));
  if (given) {
    for (const std::int64_t extent : *given)
      if (extent < 0) return fail(Code::bad_value, "output_shape {} has a negative extent", to_string(*given));
    context.set_shape(0, symbolic(*given));
    return {};
  }
  if (!context.has_input(2)) {
    out[0] = (*shape)[0];
    out[1] = (*shape)[1];
    for (std::size_t i = 2; i < out.size(); ++i) {
      if (!(*shape)[i].known()) continue;
      TRY_ASSIGN(out[i], unpooled_extent(windows, i - 2, (*shape)[i].value));
    }
  }
  context.set_shape(0, std::move(out));
  return {};
}

/// Copies each x to its place. Indices count in a dense tensor of shape `counted`; the result may be larger.
template <class Unit>
Result<void> scatter_maxima(const Tensor& x, const Tensor& indices, const Dims& counted, Tensor& out) {
  const Dims steps = dense_strides(counted);
  const std::int64_t limit = checked_size(counted).value_or(0);
  const std::int64_t* at = indices.data<std::int64_t>();
  for (std::int64_t i = 0; i < x.size(); ++i) {
    std::int64_t rest = at[i], offset = 0;
    if (rest < 0 || rest >= limit)
      return fail(Code::bad_value, "index {} is outside of the {} elements of {}", rest, limit, to_string(counted));
    for (std::size_t axis = 0; axis < steps.size(); ++axis) {
      offset += rest / steps[axis] * out.strides()[axis];
      rest %= steps[axis];
    }
    out.mutable_data<Unit>()[offset] = x.data<Unit>()[i];
  }
  return {};
}

Result<void> eval_max_unpool(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  TRY_ASSIGN(const Tensor indices, context.dense(1));
  if (x.shape() != indices.shape())
    return fail(Code::bad_shape, "X of shape {} and its indices of shape {} differ", to_string(x.shape()),
                to_string(indices.shape()));
  TRY_ASSIGN(const Windows windows, unpool_windows(context.attributes, x.shape().size()));
  Dims counted = {x.shape()[0], x.shape()[1]};
  for (std::size_t i = 2; i < x.shape().size(); ++i) {
    TRY_ASSIGN(const std::int64_t extent, unpooled_extent(windows, i - 2, x.shape()[i]));
    counted.push_back(extent);
  }
  Dims shape = counted;
  if (context.has_input(2)) {
    TRY_ASSIGN(shape, context.integers(2));
    bool holds = shape.size() == counted.size();
    for (std::size_t i = 0; holds && i < shape.size(); ++i) holds = shape[i] >= counted[i];
    if (!holds)
      return fail(Code::bad_shape, "output_shape {} cannot hold the unpooled {}", to_string(shape), to_string(counted));
  }
  TRY_ASSIGN(Tensor out, Tensor::allocate(x.dtype(), shape));
  const std::size_t unit = size_of(x.dtype());
  std::fill_n(out.mutable_bytes(), static_cast<std::size_t>(out.size()) * unit, std::byte{0});
  if (unit == 2) TRY(scatter_maxima<std::uint16_t>(x, indices, counted, out));
  if (unit == 4) TRY(scatter_maxima<std::uint32_t>(x, indices, counted, out));
  if (unit == 8) TRY(scatter_maxima<std::uint64_t>(x, indices, counted, out));
  context.outputs[0] = std::move(out);
  return {};
}

constexpr OpDef kGlobalPool[] = {
    {.name = "GlobalAveragePool",
     .since = {1, 22},
     .infer = infer_global_pool,
     .eval = eval_global_average,
     .axes = kPoolAxes},
    {.name = "GlobalMaxPool", .since = {1, 22}, .infer = infer_global_pool, .eval = eval_global_max, .axes = kPoolAxes},
    {.name = "GlobalLpPool",
     .since = {1, 2, 22},
     .infer = infer_global_pool,
     .eval = eval_global_lp,
     .axes = kPoolAxes},
    {.name = "MaxUnpool",
     .since = {9, 11, 22},
     .infer = infer_max_unpool,
     .eval = eval_max_unpool,
     .axes = kOpaqueAxes},
};

}  // namespace

std::span<const OpDef> global_pool_ops() { return kGlobalPool; }

}  // namespace pawl::ops
