// Resampling along axes: where an output coordinate lies in the input, and which elements it is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "pawl/tensor.h"

namespace pawl::ops {

enum class Interpolation : std::uint8_t { nearest, linear, cubic };

/// How a coordinate of the output becomes one of the input (Resize's coordinate_transformation_mode).
enum class Transform : std::uint8_t {
  half_pixel,
  half_pixel_symmetric,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_crop_and_resize,
  tf_half_pixel_for_nn  ///< Resize-11 only
};

enum class Rounding : std::uint8_t {
  prefer_floor,
  prefer_ceil,
  floor,
  ceil,
  by_scale  ///< Resize-10 and Upsample: down when the axis grows, up when it shrinks
};

struct Resampling {
  Interpolation interpolation = Interpolation::nearest;
  Transform transform = Transform::half_pixel;
  Rounding rounding = Rounding::prefer_floor;
  bool antialias = false;        ///< the filter is stretched when an axis shrinks
  bool exclude_outside = false;  ///< elements outside have no weight, instead of that of the nearest inside
  double cubic_a = -0.75;
  double extrapolation = 0;  ///< stands where tf_crop_and_resize leaves the input
};

/// One axis. scale, the region and the extents are finite, scale is positive.
struct ResampledAxis {
  std::int64_t from = 0;
  std::int64_t to = 0;
  double scale = 1;
  double start = 0;  ///< the region that tf_crop_and_resize keeps, in units of the whole axis
  double end = 1;
};

/// Resamples every axis: `axes` are as many as the rank. Nearest takes any type; linear and cubic take numbers,
/// computed in double and stored as from_double() does. Errors: bad_shape, bad_type, limit.
Result<Tensor> resample(const Tensor& data, const std::vector<ResampledAxis>& axes, const Resampling& how);

/// The numbers (or booleans) of a tensor as dense doubles. Errors: bad_type, limit.
Result<Tensor> to_double(const Tensor& data);
/// Dense doubles as numbers (or booleans): rounded once; integers cut off and clamped, NaN gives 0; true where not 0.
Result<Tensor> from_double(const Tensor& data, DType dtype);

}  // namespace pawl::ops
