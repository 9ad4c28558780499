// GridSample: an image read at places that a grid of coordinates names.
#include <cmath>

#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/resample.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

enum class Padding : std::uint8_t { zeros, border, reflection };

struct Sampling {
  Interpolation interpolation = Interpolation::linear;
  Padding padding = Padding::zeros;
  bool align_corners = false;
};

/// GridSample-16 speaks of bilinear and bicubic, later versions, which know more than two axes, of linear and cubic.
Result<Sampling> sampling(int since, const Attributes& attributes) {
  Sampling how;
  const std::string mode = attributes.text("mode", since < 20 ? "bilinear" : "linear");
  if (mode == "nearest")
    how.interpolation = Interpolation::nearest;
  else if (mode == "cubic" || mode == "bicubic")
    how.interpolation = Interpolation::cubic;
  else if (mode != "linear" && mode != "bilinear")
    return fail(Code::bad_value, "\"{}\" is not a mode of GridSample", mode);
  const std::string padding = attributes.text("padding_mode", "zeros");
  if (padding == "border")
    how.padding = Padding::border;
  else if (padding == "reflection")
    how.padding = Padding::reflection;
  else if (padding != "zeros")
    return fail(Code::bad_value, "\"{}\" is not a padding_mode of GridSample", padding);
  how.align_corners = attributes.integer("align_corners", 0) != 0;
  return how;
}

/// Errors: bad_shape, unless X is [N, C, D1, …, Dk] and the grid [N, …, k] of the same rank.
Result<void> check_shapes(int since, const SymbolicShape& x, const SymbolicShape& grid) {
  const bool ranks = x.size() == grid.size() && x.size() >= 3 && (since >= 20 || x.size() == 4);
  const auto spatial = static_cast<std::int64_t>(x.size()) - 2;
  const auto differ = [](const Dim& a, const Dim& b) { return a.known() && b.known() && a.value != b.value; };
  if (!ranks || differ(x[0], grid[0]) || differ(grid.back(), Dim(spatial)))
    return fail(Code::bad_shape, "a grid of shape {} does not fit an image of shape {}", to_string(grid), to_string(x));
  return {};
}

Result<void> infer_grid_sample(InferContext& context) {
  TRY(sampling(context.since(), context.attributes));
  const SymbolicShape* x = context.shape(0);
  const SymbolicShape* grid = context.shape(1);
  if (x == nullptr || grid == nullptr) return {};
  TRY(check_shapes(context.since(), *x, *grid));
  SymbolicShape result{(*x)[0], (*x)[1]};
  result.insert(result.end(), grid->begin() + 1, grid->end() - 1);
  context.set_shape(0, std::move(result));
  return {};
}

/// Mirrors x at both ends of [low, high] until it is inside.
double reflect(double x, double low, double high) {
  const double range = high - low;
  if (!(range > 0)) return low;
  const double phase = std::fmod(std::abs(x - low), 2 * range);
  return low + (phase <= range ? phase : 2 * range - phase);
}

/// One axis of an image, and how coordinates on it are read.
struct SampledAxis {
  std::int64_t extent = 0;
  std::int64_t stride = 0;
  double low = 0;   ///< where the image begins
  double high = 0;  ///< where it ends
};

/// The element that stands at `index`, or -1 for a 0.
std::int64_t element_at(const SampledAxis& axis, Padding padding, std::int64_t index) {
  if (index >= 0 && index < axis.extent) return index;
  if (padding == Padding::zeros) return -1;
  if (padding == Padding::reflection)
    index = static_cast<std::int64_t>(reflect(static_cast<double>(index), axis.low, axis.high));
  return std::clamp<std::int64_t>(index, 0, axis.extent - 1);
}

/// An element of the image, as an offset, and its share in an element of the result.
struct Share {
  std::int64_t offset = 0;
  double weight = 0;
};

double cubic(double x) {
  constexpr double kA = -0.75;
  x = std::abs(x);
  if (x <= 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  return x < 2 ? ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA : 0;
}

/// Halves go to the even side.
double round_half_even(double x) {
  const double below = std::floor(x);
  const double rest = x - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

/// The elements along one axis that make up the value at x. Appends to `shares`.
void axis_shares(const SampledAxis& axis, const Sampling& how, double x, std::vector<Share>& shares) {
  shares.clear();
  if (how.interpolation == Interpolation::nearest) x = round_half_even(x);
  if (x < axis.low || x > axis.high) {
    if (how.padding == Padding::border) x = std::clamp(x, 0.0, static_cast<double>(axis.extent - 1));
    if (how.padding == Padding::reflection) x = reflect(x, axis.low, axis.high);
  }
  const auto add = [&](std::int64_t index, double weight) {
    const std::int64_t element = weight == 0 ? -1 : element_at(axis, how.padding, index);
    if (element >= 0) shares.push_back({element * axis.stride, weight});
  };
  // A nearest place that was reflected to a half is cut off.
  const auto base =
      static_cast<std::int64_t>(how.interpolation == Interpolation::nearest ? std::trunc(x) : std::floor(x));
  const double ratio = x - static_cast<double>(base);
  switch (how.interpolation) {
    case Interpolation::nearest: return add(base, 1);
    case Interpolation::linear: add(base, 1 - ratio); return add(base + 1, ratio);
    case Interpolation::cubic:
      for (std::int64_t i = -1; i <= 2; ++i) add(base + i, cubic(static_cast<double>(i) - ratio));
  }
}

/// From [-1, 1] to a coordinate in elements, in the precision of the grid. What is not a number is far outside.
template <class W>
double denormalized(W n, std::int64_t extent, bool align_corners) {
  constexpr double kFar = 0x1p40;
  const W length = static_cast<W>(extent);
  const W x = align_corners ? (n + 1) / 2 * (length - 1) : ((n + 1) * length - 1) / 2;
  return std::isnan(x) ? -kFar : std::clamp(static_cast<double>(x), -kFar, kFar);
}

/// Grid coordinates of one place of the result, last axis of the image first, as coordinates in elements.
Result<Tensor> coordinates(const Tensor& grid, const std::vector<SampledAxis>& axes, bool align_corners) {
  TRY_ASSIGN(const Tensor dense, grid.to_dense());
  TRY_ASSIGN(Tensor result, Tensor::allocate(DType::f64, grid.shape()));
  TRY(dispatch<Floats>(grid.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    using W = Compute<T>;
    const std::span<const T> from = dense.values<T>();
    auto* to = result.mutable_data<double>();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t axis = axes.size() - 1 - i % axes.size();
      to[i] = denormalized(static_cast<W>(from[i]), axes[axis].extent, align_corners);
    }
    return {};
  }));
  return result;
}

/// All elements that make up one place of the result: the products of the shares of every axis.
void all_shares(const std::vector<SampledAxis>& axes, const Sampling& how, const double* at, std::vector<Share>& shares,
                std::vector<Share>& along, std::vector<Share>& next) {
  shares.assign(1, {0, 1});
  for (std::size_t k = 0; k < axes.size(); ++k) {
    axis_shares(axes[k], how, at[axes.size() - 1 - k], along);
    next.clear();
    for (const Share& outer : shares)
      for (const Share& inner : along) next.push_back({outer.offset + inner.offset, outer.weight * inner.weight});
    shares.swap(next);
  }
}

std::vector<SampledAxis> sampled_axes(const Tensor& image, bool align_corners) {
  std::vector<SampledAxis> axes;
  for (std::size_t i = 2; i < image.shape().size(); ++i) {
    const auto extent = static_cast<double>(image.shape()[i]);
    const double border = align_corners ? 0.0 : -0.5;
    axes.push_back({image.shape()[i], image.strides()[i], border, extent - 1 - border});
  }
  return axes;
}

/// Each axis doubles the elements that make up one of the result, or quadruples them.
constexpr std::size_t kMaxAxes = 10;

/// `image` is of the result's type when nearest, else dense double; so is the result.
Result<Tensor> sample(const Tensor& image, const Tensor& places, const Sampling& how, const Dims& shape) {
  const std::vector<SampledAxis> axes = sampled_axes(image, how.align_corners);
  if (axes.size() > kMaxAxes) return fail(Code::limit, "{} image axes are more than {}", axes.size(), kMaxAxes);
  TRY_ASSIGN(const Tensor at, coordinates(places, axes, how.align_corners));
  TRY_ASSIGN(Tensor result, zeros(image.dtype(), shape));
  if (result.size() == 0 || image.size() == 0) return result;
  const std::int64_t per_channel = result.size() / (shape[0] * shape[1]);
  const ElementCopy copy(image.dtype());
  std::vector<Share> shares;
  std::vector<Share> along;
  std::vector<Share> next;
  for (std::int64_t n = 0; n < shape[0]; ++n) {
    for (std::int64_t i = 0; i < per_channel; ++i) {
      const double* place = at.data<double>() + (n * per_channel + i) * static_cast<std::int64_t>(axes.size());
      all_shares(axes, how, place, shares, along, next);
      for (std::int64_t c = 0; c < shape[1]; ++c) {
        const std::int64_t from = n * image.strides()[0] + c * image.strides()[1];
        const std::int64_t to = (n * shape[1] + c) * per_channel + i;
        if (how.interpolation != Interpolation::nearest) {
          double sum = 0;
          for (const Share& share : shares) sum += share.weight * image.data<double>()[from + share.offset];
          result.mutable_data<double>()[to] = sum;
        } else if (!shares.empty()) {
          copy(result.mutable_bytes() + to * copy.width(), image.bytes(), from + shares[0].offset);
        }
      }
    }
  }
  return result;
}

Result<void> eval_grid_sample(EvalContext& context) {
  TRY_ASSIGN(const Sampling how, sampling(context.since(), context.attributes));
  const Tensor& image = context.tensor(0);
  const Tensor& grid = context.tensor(1);
  TRY(check_shapes(context.since(), symbolic(image.shape()), symbolic(grid.shape())));
  Dims shape{image.shape()[0], image.shape()[1]};
  for (std::size_t i = 1; i + 1 < grid.shape().size(); ++i) shape.push_back(grid.shape()[i]);
  if (how.interpolation == Interpolation::nearest) {
    TRY_ASSIGN(context.outputs[0], sample(image, grid, how, shape));
    return {};
  }
  TRY_ASSIGN(const Tensor numbers, to_double(image));
  TRY_ASSIGN(const Tensor result, sample(numbers, grid, how, shape));
  TRY_ASSIGN(context.outputs[0], from_double(result, image.dtype()));
  return {};
}

}  // namespace

std::span<const OpDef> grid_sample_ops() {
  static const OpDef rows[] = {
      {.name = "GridSample",
       .since = {16, 20, 22},
       .infer = infer_grid_sample,
       .eval = eval_grid_sample,
       .axes = kGridSampleAxes},
  };
  return rows;
}

}  // namespace pawl::ops
