#include "ops/window.h"

namespace pawl::ops {
namespace {

/// An attribute with one number per axis, `otherwise` everywhere when it is absent.
Result<Dims> per_axis(const Attributes& attributes, std::string_view name, std::size_t count, std::int64_t otherwise, std::int64_t least) {
  const auto values = attributes.integers(name);
  if (values.empty()) return Dims(count, otherwise);
  if (values.size() != count) return fail(Code::bad_value, "{} has {} numbers; {} are needed", name, values.size(), count);
  for (const std::int64_t value : values)
    if (value < least) return fail(Code::bad_value, "{} is {}; {} is the least allowed", name, to_string(values), least);
  return Dims(values);
}

Result<Windows::Padding> read_padding(const Attributes& attributes) {
  const std::string text = attributes.text("auto_pad", "NOTSET");
  if (text == "NOTSET" || text.empty()) return Windows::Padding::given;
  if (text == "SAME_UPPER") return Windows::Padding::same_upper;
  if (text == "SAME_LOWER") return Windows::Padding::same_lower;
  if (text == "VALID") return Windows::Padding::valid;
  return fail(Code::bad_value, "auto_pad is \"{}\"; NOTSET, SAME_UPPER, SAME_LOWER and VALID are allowed", text);
}

/// Positions from the first to the last one that a window covers; nullopt when they pass int64.
std::optional<std::int64_t> reach(std::int64_t kernel, std::int64_t dilation) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(kernel - 1, dilation, &result) || __builtin_add_overflow(result, 1, &result)) return std::nullopt;
  return result;
}

}  // namespace

Result<Windows> read_windows(const Attributes& attributes, std::size_t spatial_rank, const Dims& kernel) {
  Windows windows;
  TRY_ASSIGN(windows.kernel, per_axis(attributes, "kernel_shape", spatial_rank, 0, 1));
  if (!attributes.has("kernel_shape")) windows.kernel = kernel;
  else if (!kernel.empty() && kernel != windows.kernel)
    return fail(Code::bad_shape, "kernel_shape {} differs from that of the weights, {}", to_string(windows.kernel), to_string(kernel));
  for (const std::int64_t extent : windows.kernel)
    if (extent < 1) return fail(Code::bad_shape, "a kernel of shape {} covers nothing", to_string(windows.kernel));
  TRY_ASSIGN(windows.strides, per_axis(attributes, "strides", spatial_rank, 1, 1));
  TRY_ASSIGN(windows.dilations, per_axis(attributes, "dilations", spatial_rank, 1, 1));
  TRY_ASSIGN(windows.padding, read_padding(attributes));
  TRY_ASSIGN(const Dims pads, per_axis(attributes, "pads", 2 * spatial_rank, 0, 0));
  windows.before = Dims(std::span(pads.begin(), spatial_rank));
  windows.after = Dims(std::span(pads.begin() + spatial_rank, spatial_rank));
  return windows;
}

Result<WindowAxis> Windows::place(std::size_t axis, std::int64_t extent, Rounding rounding) const {
  WindowAxis result{.extent = extent, .kernel = kernel[axis], .stride = strides[axis], .dilation = dilations[axis]};
  const auto too_large = [&] {
    return fail(Code::bad_shape, "a kernel of {} with dilation {} does not fit into {} elements with {} + {} of padding on spatial axis {}",
                result.kernel, result.dilation, extent, result.before, result.after, axis);
  };
  const auto covered = reach(result.kernel, result.dilation);
  if (!covered) return too_large();
  if (padding == Padding::same_upper || padding == Padding::same_lower) {
    result.windows = extent == 0 ? 0 : (extent - 1) / result.stride + 1;
    std::int64_t padded = 0;
    if (extent > 0 && __builtin_add_overflow((result.windows - 1) * result.stride, *covered, &padded)) return too_large();
    const std::int64_t total = std::max<std::int64_t>(padded - extent, 0);
    const std::int64_t less = total / 2, more = total - less;
    result.before = padding == Padding::same_upper ? less : more;
    result.after = total - result.before;
    return result;
  }
  if (padding == Padding::given) {
    result.before = before[axis];
    result.after = after[axis];
  }
  std::int64_t padded = 0;
  if (__builtin_add_overflow(extent, result.before, &padded) || __builtin_add_overflow(padded, result.after, &padded))
    return fail(Code::limit, "{} elements with {} + {} of padding are too many", extent, result.before, result.after);
  if (*covered > padded) return too_large();
  const std::int64_t room = padded - *covered;
  result.windows = room / result.stride + 1;
  if (rounding != Rounding::floor && room % result.stride != 0) {
    // The window that would follow begins at windows·stride of the padded input.
    const bool inside = result.windows <= (extent + result.before - 1) / result.stride;
    if (rounding == Rounding::ceil || inside) ++result.windows;
  }
  return result;
}

Result<Dim> Windows::count(std::size_t axis, const Dim& extent, Rounding rounding) const {
  if (extent.known()) {
    TRY_ASSIGN(const WindowAxis placed, place(axis, extent.value, rounding));
    return Dim(placed.windows);
  }
  if (strides[axis] != 1) return Dim();
  if (padding == Padding::same_upper || padding == Padding::same_lower) return extent;
  const auto covered = reach(kernel[axis], dilations[axis]);
  const bool given = padding == Padding::given;
  const bool level = covered && given && before[axis] < *covered && after[axis] < *covered && before[axis] + after[axis] == *covered - 1;
  return level ? extent : Dim();
}

}  // namespace pawl::ops
