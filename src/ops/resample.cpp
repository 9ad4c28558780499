#include "ops/resample.h"

#include <algorithm>
#include <cmath>

#include "ops/extents.h"
#include "ops/indices.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

/// The place of output coordinate `x` in the input, which may be outside of it.
double source_of(const ResampledAxis& axis, Transform transform, std::int64_t at) {
  const auto x = static_cast<double>(at);
  const auto last = static_cast<double>(axis.from - 1);
  // As the conformance data has it: with scales, the extent before it was rounded down.
  const double unrounded = axis.scale * static_cast<double>(axis.from);
  switch (transform) {
    case Transform::half_pixel: return (x + 0.5) / axis.scale - 0.5;
    case Transform::half_pixel_symmetric: {
      const double middle = static_cast<double>(axis.from) / 2;
      return middle * (1 - static_cast<double>(axis.to) / unrounded) + (x + 0.5) / axis.scale - 0.5;
    }
    case Transform::pytorch_half_pixel: return axis.to > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
    case Transform::align_corners: return unrounded == 1 ? 0 : x * last / (unrounded - 1);
    case Transform::asymmetric: return x / axis.scale;
    case Transform::tf_half_pixel_for_nn: return (x + 0.5) / axis.scale;
    case Transform::tf_crop_and_resize:
      if (axis.to == 1) return 0.5 * (axis.start + axis.end) * last;
      return axis.start * last + x * (axis.end - axis.start) * last / static_cast<double>(axis.to - 1);
  }
  return 0;
}

std::int64_t rounded(double x, Rounding rounding, double scale) {
  switch (rounding) {
    case Rounding::prefer_floor: return static_cast<std::int64_t>(std::ceil(x - 0.5));
    case Rounding::prefer_ceil: return static_cast<std::int64_t>(std::floor(x + 0.5));
    case Rounding::floor: return static_cast<std::int64_t>(std::floor(x));
    case Rounding::ceil: return static_cast<std::int64_t>(std::ceil(x));
    case Rounding::by_scale: return static_cast<std::int64_t>(scale < 1 ? std::ceil(x) : std::floor(x));
  }
  return 0;
}

/// An element of the input and its share in an element of the output.
struct Tap {
  std::int64_t from = 0;
  double weight = 0;
};

/// All taps of one axis, `per_element` for each output coordinate; `outside[i]` where extrapolation stands instead.
struct AxisTaps {
  std::size_t per_element = 1;
  std::vector<Tap> taps;
  std::vector<bool> outside;
};

/// The weight of an element at distance x, for a filter that is not stretched.
double filter(const Resampling& how, double x) {
  x = std::abs(x);
  if (how.interpolation == Interpolation::linear) return x < 1 ? 1 - x : 0;
  const double a = how.cubic_a;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

std::int64_t clamp_index(std::int64_t index, std::int64_t extent) {
  return std::clamp<std::int64_t>(index, 0, extent - 1);
}

/// Elements on each side that the filter reaches. Stretched by 1 / scale where antialiasing shrinks the axis.
std::int64_t reach_of(const ResampledAxis& axis, const Resampling& how) {
  const int support = how.interpolation == Interpolation::linear ? 1 : 2;
  const double stretch = how.antialias ? std::min(axis.scale, 1.0) : 1.0;
  return -static_cast<std::int64_t>(std::floor(-support / stretch));
}

void add_taps(AxisTaps& result, const ResampledAxis& axis, const Resampling& how, double x, std::int64_t reach) {
  const double stretch = how.antialias ? std::min(axis.scale, 1.0) : 1.0;
  // x lies in (base, base + 1].
  const auto base = static_cast<std::int64_t>(std::ceil(x)) - 1;
  const std::size_t first = result.taps.size();
  double sum = 0;
  for (std::int64_t i = 1 - reach; i <= reach; ++i) {
    const std::int64_t at = base + i;
    const bool inside = at >= 0 && at < axis.from;
    const double weight = inside || !how.exclude_outside ? filter(how, stretch * (static_cast<double>(at) - x)) : 0;
    result.taps.push_back({clamp_index(at, axis.from), weight});
    sum += weight;
  }
  if (!(how.exclude_outside || how.antialias) || sum == 0) return;
  for (std::size_t i = first; i < result.taps.size(); ++i) result.taps[i].weight /= sum;
}

/// Coordinates beyond this are as far outside as any.
constexpr double kFar = 0x1p52;
constexpr std::int64_t kMaxTaps = std::int64_t{1} << 26;

Result<AxisTaps> taps_of(const ResampledAxis& axis, const Resampling& how) {
  AxisTaps result;
  std::int64_t reach = 0;
  if (how.interpolation != Interpolation::nearest) {
    if (how.antialias && axis.scale * static_cast<double>(kMaxTaps) < 1)
      return fail(Code::limit, "a scale of {} needs too many elements for each of the result", axis.scale);
    reach = reach_of(axis, how);
    result.per_element = static_cast<std::size_t>(2 * reach);
  }
  if (axis.to > kMaxTaps / static_cast<std::int64_t>(result.per_element))
    return fail(Code::limit, "an axis of {} cannot be resampled to {}: too many weights", axis.from, axis.to);
  for (std::int64_t i = 0; i < axis.to; ++i) {
    const double source = source_of(axis, how.transform, i);
    const bool inside = source >= 0 && source <= static_cast<double>(axis.from - 1);
    result.outside.push_back(how.transform == Transform::tf_crop_and_resize && !inside);
    const double x = std::isnan(source) ? 0 : std::clamp(source, -kFar, kFar);
    if (how.interpolation == Interpolation::nearest) {
      result.taps.push_back({clamp_index(rounded(x, how.rounding, axis.scale), axis.from), 1});
    } else {
      add_taps(result, axis, how, x, reach);
    }
  }
  return result;
}

bool unchanged(const ResampledAxis& axis, Transform transform) {
  return axis.from == axis.to && axis.scale == 1 && transform != Transform::tf_crop_and_resize;
}

/// One axis of a dense double tensor.
Result<Tensor> resample_axis(const Tensor& data, std::size_t axis, std::int64_t to, const AxisTaps& taps) {
  Dims shape = data.shape();
  shape[axis] = to;
  TRY_ASSIGN(Tensor result, Tensor::allocate(DType::f64, shape));
  Dims outer = shape;
  outer[axis] = 1;
  const std::int64_t from_stride = data.strides()[axis];
  const std::int64_t to_stride = result.strides()[axis];
  const auto* from = data.data<double>();
  auto* target = result.mutable_data<double>();
  if (result.size() == 0) return result;
  walk<2>(outer, {&data.strides(), &result.strides()}, [&](std::int64_t a, std::int64_t b) {
    const Tap* tap = taps.taps.data();
    for (std::int64_t i = 0; i < to; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < taps.per_element; ++k, ++tap)
        if (tap->weight != 0) sum += tap->weight * from[a + tap->from * from_stride];
      target[b + i * to_stride] = sum;
    }
  });
  return result;
}

/// Writes the extrapolation value over everything that is outside along some axis.
void extrapolate(Tensor& result, const std::vector<AxisTaps>& taps, const Tensor& value) {
  for (std::size_t axis = 0; axis < taps.size(); ++axis) {
    for (std::size_t i = 0; i < taps[axis].outside.size(); ++i) {
      if (!taps[axis].outside[i]) continue;
      Tensor slice = result.select(static_cast<std::int64_t>(axis), static_cast<std::int64_t>(i));
      copy_elements(broadcast_view(value, slice.shape()), slice);
    }
  }
}

/// An axis without input has nothing to give to an output.
Result<void> check_axes(const std::vector<ResampledAxis>& axes) {
  for (const ResampledAxis& axis : axes)
    if (axis.from == 0 && axis.to > 0) return fail(Code::bad_shape, "an empty axis cannot be resized to {}", axis.to);
  return {};
}

/// Copies the nearest element for each of the output; bytes are enough for that.
Result<Tensor> resample_nearest(const Tensor& data, const std::vector<AxisTaps>& taps, const Dims& shape) {
  TRY_ASSIGN(Tensor result, Tensor::allocate(data.dtype(), shape));
  if (result.size() == 0) return result;
  const ElementCopy copy(data.dtype());
  std::byte* to = result.mutable_bytes();
  Dims index(shape.size(), 0);
  std::int64_t from = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) from += taps[k].taps[0].from * data.strides()[k];
  const std::int64_t count = result.size();
  for (std::int64_t i = 0; i < count; ++i, to += copy.width()) {
    copy(to, data.bytes(), from);
    for (std::size_t k = shape.size(); k-- > 0;) {
      const auto at = static_cast<std::size_t>(index[k]);
      const bool wraps = index[k] + 1 == shape[k];
      const std::size_t next = wraps ? 0 : at + 1;
      from += (taps[k].taps[next].from - taps[k].taps[at].from) * data.strides()[k];
      index[k] = static_cast<std::int64_t>(next);
      if (!wraps) break;
    }
  }
  return result;
}

/// Complex numbers are resampled as pairs of reals.
Result<Tensor> resample_complex(const Tensor& data, std::vector<ResampledAxis> axes, const Resampling& how) {
  TRY_ASSIGN(const Tensor dense, data.to_dense());
  const DType part = data.dtype() == DType::c64 ? DType::f32 : DType::f64;
  Dims pairs = data.shape();
  pairs.push_back(2);
  axes.push_back({2, 2, 1.0, 0.0, 1.0});
  TRY_ASSIGN(const Tensor result, resample(Tensor::borrow(part, pairs, dense.bytes()), axes, how));
  Dims shape = result.shape();
  shape.erase(shape.size() - 1);
  TRY_ASSIGN(Tensor complex, Tensor::allocate(data.dtype(), shape));
  std::copy_n(result.bytes(), static_cast<std::size_t>(complex.size()) * size_of(data.dtype()),
              complex.mutable_bytes());
  return complex;
}

template <class T>
T stored(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (std::isnan(value)) return 0;
    const double whole = std::trunc(value);
    if (whole <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    if (whole >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(whole);
  } else {
    return T(value);
  }
}

using Resampled = Join<Numbers, TypeList<bool>>;

}  // namespace

Result<Tensor> to_double(const Tensor& data) {
  TRY_ASSIGN(const Tensor dense, data.to_dense());
  TRY_ASSIGN(Tensor result, Tensor::allocate(DType::f64, data.shape()));
  TRY(dispatch<Resampled>(data.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    const std::span<const T> from = dense.values<T>();
    auto* to = result.mutable_data<double>();
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<double>(from[i]);
    return {};
  }));
  return result;
}

Result<Tensor> from_double(const Tensor& data, DType dtype) {
  TRY_ASSIGN(Tensor result, Tensor::allocate(dtype, data.shape()));
  TRY(dispatch<Resampled>(dtype, [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    const std::span<const double> from = data.values<double>();
    T* to = result.mutable_data<T>();
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = stored<T>(from[i]);
    return {};
  }));
  return result;
}

Result<Tensor> resample(const Tensor& data, const std::vector<ResampledAxis>& axes, const Resampling& how) {
  TRY(check_axes(axes));
  Dims shape;
  for (const ResampledAxis& axis : axes) shape.push_back(axis.to);
  if (checked_size(shape) == 0) return Tensor::allocate(data.dtype(), shape);
  const bool nearest = how.interpolation == Interpolation::nearest;
  if (!nearest && (data.dtype() == DType::c64 || data.dtype() == DType::c128)) return resample_complex(data, axes, how);
  std::vector<AxisTaps> taps(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!nearest && unchanged(axes[i], how.transform)) continue;
    TRY_ASSIGN(taps[i], taps_of(axes[i], how));
  }
  if (nearest) {
    TRY_ASSIGN(Tensor result, resample_nearest(data, taps, shape));
    if (how.transform != Transform::tf_crop_and_resize) return result;
    TRY_ASSIGN(const Tensor value, from_double(Tensor::scalar(how.extrapolation), data.dtype()));
    extrapolate(result, taps, value);
    return result;
  }
  TRY_ASSIGN(Tensor result, to_double(data));
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (taps[i].taps.empty()) continue;
    TRY_ASSIGN(result, resample_axis(result, i, axes[i].to, taps[i]));
  }
  if (how.transform == Transform::tf_crop_and_resize) extrapolate(result, taps, Tensor::scalar(how.extrapolation));
  return from_double(result, data.dtype());
}

}  // namespace pawl::ops
