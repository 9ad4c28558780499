#include "ops/convolve.h"

#include "ops/axes.h"

namespace pawl::ops {
namespace {

/// The tap at kernel position k of one axis, in elements of that axis.
Tap tap_along(const WindowAxis& axis, std::int64_t k) {
  const std::int64_t shift = k * axis.dilation - axis.before;
  const std::int64_t first = shift < 0 ? (-shift - 1) / axis.stride + 1 : 0;
  const std::int64_t end = shift >= axis.extent ? 0 : (axis.extent - 1 - shift) / axis.stride + 1;
  const std::int64_t windows = std::min(end, axis.windows) - first;
  if (windows <= 0) return {};
  return {.input = first * axis.stride + shift, .output = first, .windows = windows};
}

/// Fills in the taps, and the steps between windows, of a convolution from one grid (`under` the windows, and strided)
/// to the other. Transposed, the roles of input and output change.
void add_taps(Convolution& plan, const std::vector<WindowAxis>& axes, const Dims& under, const Dims& windows) {
  Dims steps(axes.size(), 0);
  const Dims under_strides = dense_strides(under), window_strides = dense_strides(windows);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::vector<Tap> taps;
    for (std::int64_t k = 0; k < axes[i].kernel; ++k) {
      Tap tap = tap_along(axes[i], k);
      // A step is only taken between two windows, and then it fits into the grid.
      if (tap.windows > 1) steps[i] = axes[i].stride * under_strides[i];
      tap.input *= under_strides[i];
      tap.output *= window_strides[i];
      if (plan.transposed) std::swap(tap.input, tap.output);
      taps.push_back(tap);
    }
    plan.taps.push_back(std::move(taps));
  }
  plan.input_steps = plan.transposed ? window_strides : steps;
  plan.output_steps = plan.transposed ? steps : window_strides;
}

Result<void> check_channels(std::int64_t channels, std::int64_t per_group, std::int64_t filters, std::int64_t groups) {
  if (groups < 1) return fail(Code::bad_value, "group is {}; 1 is the least allowed", groups);
  std::int64_t needed = 0;
  if (channels >= 0 && per_group >= 0 && (__builtin_mul_overflow(per_group, groups, &needed) || needed != channels))
    return fail(Code::bad_shape, "X has {} channels, but W has {} in each of {} groups", channels, per_group, groups);
  if (filters >= 0 && filters % groups != 0)
    return fail(Code::bad_shape, "W has {} filters, which cannot be shared out among {} groups", filters, groups);
  return {};
}

Result<void> check_transposed(std::int64_t channels, std::int64_t kernels, std::int64_t groups) {
  if (groups < 1) return fail(Code::bad_value, "group is {}; 1 is the least allowed", groups);
  if (channels >= 0 && kernels >= 0 && channels != kernels)
    return fail(Code::bad_shape, "X has {} channels, but W has kernels for {}", channels, kernels);
  if (channels >= 0 && channels % groups != 0)
    return fail(Code::bad_shape, "X has {} channels, which cannot be shared out among {} groups", channels, groups);
  return {};
}

template <class Shape>
Error ranks_differ(const Shape& x, const Shape& w) {
  return fail(Code::bad_shape, "X of shape {} and W of shape {} must have the same rank, 3 at least", to_string(x),
              to_string(w));
}

Dims spatial_part(const Dims& shape) { return Dims(std::span(shape.begin() + 2, shape.size() - 2)); }

Result<void> set_sizes(Convolution& plan, std::int64_t batch, std::int64_t filters, const Dims& input,
                       const Dims& kernel, const Dims& output) {
  plan.shape = {batch, filters};
  for (const std::int64_t extent : output) plan.shape.push_back(extent);
  const auto size = checked_size(plan.shape);
  if (!size) return fail(Code::limit, "the result of shape {} is too large", to_string(plan.shape));
  // Without results or without channels there is nothing to sum, and the other extents may be anything.
  if (*size == 0) return {};
  plan.output_size = *checked_size(output);
  if (plan.channels == 0) return {};
  plan.input_size = checked_size(input).value_or(0);
  plan.kernel_size = checked_size(kernel).value_or(0);
  return {};
}

}  // namespace

Result<Convolution> plan_convolution(const Attributes& attributes, const Dims& x, const Dims& w) {
  if (x.size() < 3 || x.size() != w.size()) return ranks_differ(x, w);
  Convolution plan;
  plan.groups = attributes.integer("group", 1);
  TRY(check_channels(x[1], w[1], w[0], plan.groups));
  plan.channels = w[1];
  plan.filters = w[0] / plan.groups;
  const Dims spatial = spatial_part(x), kernel = spatial_part(w);
  TRY_ASSIGN(const Windows windows, read_windows(attributes, spatial.size(), kernel));
  std::vector<WindowAxis> axes;
  Dims output;
  for (std::size_t i = 0; i < spatial.size(); ++i) {
    TRY_ASSIGN(const WindowAxis axis, windows.place(i, spatial[i]));
    axes.push_back(axis);
    output.push_back(axis.windows);
  }
  TRY(set_sizes(plan, x[0], w[0], spatial, kernel, output));
  if (plan.kernel_size > 0) add_taps(plan, axes, spatial, output);
  return plan;
}

Result<Convolution> plan_transposed(const Attributes& attributes, const Dims& x, const Dims& w) {
  if (x.size() < 3 || x.size() != w.size()) return ranks_differ(x, w);
  Convolution plan;
  plan.transposed = true;
  plan.groups = attributes.integer("group", 1);
  TRY(check_transposed(x[1], w[0], plan.groups));
  plan.channels = x[1] / plan.groups;
  plan.filters = w[1];
  std::int64_t filters = 0;
  if (__builtin_mul_overflow(w[1], plan.groups, &filters))
    return fail(Code::limit, "{} filters in {} groups are too many", w[1], plan.groups);
  const Dims spatial = spatial_part(x), kernel = spatial_part(w);
  TRY_ASSIGN(const Spread spread, read_spread(attributes, spatial.size(), kernel));
  std::vector<WindowAxis> axes;
  Dims output;
  for (std::size_t i = 0; i < spatial.size(); ++i) {
    TRY_ASSIGN(const WindowAxis axis, spread.place(i, spatial[i]));
    axes.push_back(axis);
    output.push_back(axis.extent);
  }
  TRY(set_sizes(plan, x[0], filters, spatial, kernel, output));
  if (plan.kernel_size > 0) add_taps(plan, axes, output, spatial);
  return plan;
}

Result<void> infer_convolution(InferContext& context, std::size_t x_at, std::size_t w_at,
                               std::optional<std::size_t> bias_at) {
  const SymbolicShape *x = context.shape(x_at), *w = context.shape(w_at);
  if (x == nullptr || w == nullptr) return {};
  if (x->size() < 3 || x->size() != w->size()) return ranks_differ(*x, *w);
  TRY(check_channels((*x)[1].value, (*w)[1].value, (*w)[0].value, context.attributes.integer("group", 1)));
  const SymbolicShape* bias = bias_at ? context.shape(*bias_at) : nullptr;
  if (bias != nullptr && (bias->size() != 1 || !agree_dim((*bias)[0], (*w)[0])))
    return fail(Code::bad_shape, "the bias of shape {} does not fit the filters, {}", to_string(*bias), to_string(*w));
  SymbolicShape out(x->size());
  out[0] = (*x)[0];
  out[1] = (*w)[0];
  const auto kernel = Type::tensor(DType::f32, SymbolicShape(w->begin() + 2, w->end())).static_shape();
  if (kernel || context.attributes.has("kernel_shape")) {
    TRY_ASSIGN(const Windows windows, read_windows(context.attributes, x->size() - 2, kernel.value_or(Dims())));
    for (std::size_t i = 2; i < x->size(); ++i) {
      TRY_ASSIGN(out[i], windows.count(i - 2, (*x)[i]));
    }
  }
  context.set_shape(0, std::move(out));
  return {};
}

Result<void> infer_transposed(InferContext& context) {
  const SymbolicShape *x = context.shape(0), *w = context.shape(1);
  if (x == nullptr || w == nullptr) return {};
  if (x->size() < 3 || x->size() != w->size()) return ranks_differ(*x, *w);
  const std::int64_t groups = context.attributes.integer("group", 1);
  TRY(check_transposed((*x)[1].value, (*w)[0].value, groups));
  SymbolicShape out(x->size());
  out[0] = (*x)[0];
  std::int64_t filters = 0;
  if ((*w)[1].known() && !__builtin_mul_overflow((*w)[1].value, groups, &filters)) out[1] = filters;
  const auto kernel = Type::tensor(DType::f32, SymbolicShape(w->begin() + 2, w->end())).static_shape();
  if (kernel || context.attributes.has("kernel_shape")) {
    TRY_ASSIGN(const Spread spread, read_spread(context.attributes, x->size() - 2, kernel.value_or(Dims())));
    for (std::size_t i = 2; i < x->size(); ++i) {
      if ((*x)[i].known()) {
        TRY_ASSIGN(const WindowAxis axis, spread.place(i - 2, (*x)[i].value));
        out[i] = axis.extent;
      } else if (!spread.shape.empty()) {
        out[i] = spread.shape[i - 2];
      }
    }
  }
  context.set_shape(0, std::move(out));
  return {};
}

}  // namespace pawl::ops
