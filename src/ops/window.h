// Windows that slide over spatial axes: what convolution and pooling share.
#pragma once

#include <vector>

#include "ops/op.h"

namespace pawl::ops {

/// One spatial axis. Window o covers the input positions o·stride - before + k·dilation, k = 0 … kernel-1.
struct WindowAxis {
  std::int64_t extent = 0;  ///< of the input
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t before = 0;   ///< padding in front
  std::int64_t after = 0;    ///< padding behind
  std::int64_t windows = 0;  ///< extent of the output
};

/// What ceil_mode does to a last window that is only partly filled.
enum class Rounding : std::uint8_t {
  floor,         ///< dropped
  ceil,          ///< kept
  ceil_clipped,  ///< kept, unless it begins behind the input and its padding in front
};

/// The attributes kernel_shape, strides, dilations, pads and auto_pad of a node, checked: one entry per spatial axis.
struct Windows {
  enum class Padding : std::uint8_t { given, same_upper, same_lower, valid };
  Dims kernel, strides, dilations, before, after;
  Padding padding = Padding::given;

  /// Windows of one axis of the input. Errors: bad_shape, when the kernel is larger than the padded input.
  [[nodiscard]] Result<WindowAxis> place(std::size_t axis, std::int64_t extent,
                                         Rounding rounding = Rounding::floor) const;
  /// The extent of the output along one axis, as far as it is known.
  [[nodiscard]] Result<Dim> count(std::size_t axis, const Dim& extent, Rounding rounding = Rounding::floor) const;
};

/// `kernel` is used where the node has no kernel_shape; where it has one, the two must agree (unless `kernel` is
/// empty). Errors: bad_value, bad_shape.
Result<Windows> read_windows(const Attributes& attributes, std::size_t spatial_rank, const Dims& kernel = {});

/// The attributes of ConvTranspose, checked: windows over the output, one for each element of the input.
struct Spread {
  Windows windows;
  Dims output_padding;
  Dims shape;  ///< output_shape, the spatial part of it; empty when not given

  /// One axis: `windows` is the extent of the input, `extent` that of the output. Errors: bad_shape, limit.
  [[nodiscard]] Result<WindowAxis> place(std::size_t axis, std::int64_t input) const;
};

/// As read_windows.
Result<Spread> read_spread(const Attributes& attributes, std::size_t spatial_rank, const Dims& kernel);

}  // namespace pawl::ops
