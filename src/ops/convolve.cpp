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

void add_taps(Convolution& plan, const std::vector<WindowAxis>& axes, const Dims& input_strides) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::vector<Tap> taps;
    for (std::int64_t k = 0; k < axes[i].kernel; ++k) {
      Tap tap = tap_along(axes[i], k);
      // A step is only taken between two windows, and then it fits into the input.
      if (tap.windows > 1) plan.input_steps[i] = axes[i].stride * input_strides[i];
      tap.input *= input_strides[i];
      tap.output *= plan.output_steps[i];
      taps.push_back(tap);
    }
    plan.taps.push_back(std::move(taps));
  }
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

}  // namespace

Result<Convolution> plan_convolution(const Attributes& attributes, const Dims& x, const Dims& w) {
  if (x.size() < 3 || x.size() != w.size())
    return fail(Code::bad_shape, "X of shape {} and W of shape {} must have the same rank, 3 at least", to_string(x), to_string(w));
  Convolution plan;
  plan.groups = attributes.integer("group", 1);
  TRY(check_channels(x[1], w[1], w[0], plan.groups));
  plan.channels = w[1];
  plan.filters = w[0] / plan.groups;
  const Dims spatial(std::span(x.begin() + 2, x.size() - 2)), kernel(std::span(w.begin() + 2, w.size() - 2));
  TRY_ASSIGN(const Windows windows, read_windows(attributes, spatial.size(), kernel));
  std::vector<WindowAxis> axes;
  Dims output;
  for (std::size_t i = 0; i < spatial.size(); ++i) {
    TRY_ASSIGN(const WindowAxis axis, windows.place(i, spatial[i]));
    axes.push_back(axis);
    output.push_back(axis.windows);
  }
  plan.shape = {x[0], w[0]};
  for (const std::int64_t extent : output) plan.shape.push_back(extent);
  const auto size = checked_size(plan.shape);
  if (!size) return fail(Code::limit, "the result of shape {} is too large", to_string(plan.shape));
  // Without results or without channels there is nothing to sum, and the other extents may be anything.
  if (*size == 0) return plan;
  plan.output_size = *checked_size(output);
  plan.output_steps = dense_strides(output);
  plan.input_steps = Dims(output.size(), 0);
  if (plan.channels == 0) return plan;
  plan.input_size = checked_size(spatial).value_or(0);
  plan.kernel_size = checked_size(kernel).value_or(0);
  add_taps(plan, axes, dense_strides(spatial));
  return plan;
}

Result<void> infer_convolution(InferContext& context, std::size_t x_at, std::size_t w_at, std::optional<std::size_t> bias_at) {
  const SymbolicShape *x = context.shape(x_at), *w = context.shape(w_at);
  if (x == nullptr || w == nullptr) return {};
  if (x->size() < 3 || x->size() != w->size())
    return fail(Code::bad_shape, "X of shape {} and W of shape {} must have the same rank, 3 at least", to_string(*x), to_string(*w));
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

}  // namespace pawl::ops
