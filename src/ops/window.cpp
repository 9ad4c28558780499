#include "ops/window.h"

namespace pawl::ops {
namespace {

/// An attribute with one number per axis, `otherwise` everywhere when it is absent.
Result<Dims> per_axis(const Attributes& attributes, std::string_view name, std::size_t count, std::int64_t otherwise,
                      std::int64_t least) {
  const auto values = attributes.integers(name);
  if (values.empty()) return Dims(count, otherwise);
  if (values.size() != count)
    return fail(Code::bad_value, "{} has {} numbers; {} are needed", name, values.size(), count);
  for (const std::int64_t value : values)
    if (value < least)
      return fail(Code::bad_value, "{} is {}; {} is the least allowed", name, to_string(values), least);
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
  if (__builtin_mul_overflow(kernel - 1, dilation, &result) || __builtin_add_overflow(result, 1, &result))
    return std::nullopt;
  return result;
}

}  // namespace

Result<Windows> read_windows(const Attributes& attributes, std::size_t spatial_rank, const Dims& kernel) {
  Windows windows;
  TRY_ASSIGN(windows.kernel, per_axis(attributes, "kernel_shape", spatial_rank, 0, 1));
  if (!attributes.has("kernel_shape"))
    windows.kernel = kernel;
  else if (!kernel.empty() && kernel != windows.kernel)
    return fail(Code::bad_shape, "kernel_shape {} differs from that of the weights, {}", to_string(windows.kernel),
                to_string(kernel));
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
    return fail(
        Code::bad_shape,
        "a kernel of {} with dilation {} does not fit into {} elements with {} + {} of padding on spatial axis {}",
        result.kernel, result.dilation, extent, result.before, result.after, axis);
  };
  const auto covered = reach(result.kernel, result.dilation);
  if (!covered) return too_large();
  if (padding == Padding::same_upper || padding == Padding::same_lower) {
    result.windows = extent == 0 ? 0 : (extent - 1) / result.stride + 1;
    std::int64_t padded = 0;
    if (extent > 0 && __builtin_add_overflow((result.windows - 1) * result.stride, *covered, &padded))
      return too_large();
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
    // The window that would follow begins here in the padded input.
    std::int64_t start = 0;
    if (__builtin_mul_overflow(result.windows, result.stride, &start))
      return fail(Code::limit, "a stride of {} over {} padded elements is too large", result.stride, padded);
    if (rounding == Rounding::ceil || start < extent + result.before) ++result.windows;
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
  const bool level = covered && given && before[axis] < *covered && after[axis] < *covered &&
                     before[axis] + after[axis] == *covered - 1;
  return level ? extent : Dim();
}

Result<Spread> read_spread(const Attributes& attributes, std::size_t spatial_rank, const Dims& kernel) {
  Spread spread;
  TRY_ASSIGN(spread.windows, read_windows(attributes, spatial_rank, kernel));
  TRY_ASSIGN(spread.output_padding, per_axis(attributes, "output_padding", spatial_rank, 0, 0));
  const auto shape = attributes.integers("output_shape");
  // Some exporters write the batch and the channels, too.
  if (shape.size() == spatial_rank + 2)
    spread.shape = Dims(shape.subspan(2));
  else if (!shape.empty()) {
    TRY_ASSIGN(spread.shape, per_axis(attributes, "output_shape", spatial_rank, 0, 0));
  }
  for (const std::int64_t extent : spread.shape)
    if (extent < 0) return fail(Code::bad_value, "output_shape is {}; 0 is the least allowed", to_string(shape));
  return spread;
}

Result<WindowAxis> Spread::place(std::size_t axis, std::int64_t input) const {
  WindowAxis result{.kernel = windows.kernel[axis],
                    .stride = windows.strides[axis],
                    .dilation = windows.dilations[axis],
                    .windows = input};
  // The extent that all copies of the kernel reach, and the output padding.
  const auto covered = reach(result.kernel, result.dilation);
  std::int64_t full = 0;
  if (!covered || __builtin_mul_overflow(result.stride, std::max<std::int64_t>(input - 1, 0), &full) ||
      __builtin_add_overflow(full, *covered, &full) || __builtin_add_overflow(full, output_padding[axis], &full))
    return fail(Code::limit, "the result is too large along spatial axis {}", axis);
  if (input == 0) full -= result.stride;
  const bool same = windows.padding == Windows::Padding::same_upper || windows.padding == Windows::Padding::same_lower;
  if (!shape.empty() || same) {
    if (!shape.empty())
      result.extent = shape[axis];
    else if (__builtin_mul_overflow(input, result.stride, &result.extent))
      return fail(Code::limit, "the result is too large along spatial axis {}", axis);
    const std::int64_t total = full - result.extent;
    const std::int64_t less = total >> 1, more = total - less;
    result.before = windows.padding == Windows::Padding::same_upper ? less : more;
    result.after = total - result.before;
    return result;
  }
  if (windows.padding == Windows::Padding::given) {
    result.before = windows.before[axis];
    result.after = windows.after[axis];
  }
  std::int64_t cut = 0;
  if (__builtin_add_overflow(result.before, result.after, &cut) || cut > full)
    return fail(Code::bad_shape, "{} + {} elements cannot be cut off from {} along spatial axis {}", result.before,
                result.after, full, axis);
  result.extent = full - cut;
  return result;
}

}  // namespace pawl::ops
