// AffineGrid: the coordinates of an affine transformation, for GridSample.
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/resample.h"

namespace pawl::ops {
namespace {

/// The extents of the images that an AffineGrid is for: [N, C, H, W] or [N, C, D, H, W].
Result<Dims> grid_size(const Dims& size) {
  if (size.size() != 4 && size.size() != 5)
    return fail(Code::bad_shape, "size must be [N,C,H,W] or [N,C,D,H,W], not {}", to_string(size));
  TRY(bounded_size(size));
  Dims shape{size[0]};
  for (std::size_t i = 2; i < size.size(); ++i) shape.push_back(size[i]);
  shape.push_back(static_cast<std::int64_t>(size.size()) - 2);
  return shape;
}

Result<void> infer_affine_grid(InferContext& context) {
  TRY_ASSIGN(const std::optional<Dims> size, constant_integers(context, 1));
  if (size) {
    TRY_ASSIGN(const Dims shape, grid_size(*size));
    context.set_shape(0, symbolic(shape));
  } else if (const auto count = known_count(context, 1)) {
    context.set_shape(0, unknown_dims(*count));
  }
  return {};
}

/// The normalized coordinate of element i of an axis. The single element of an axis of 1 is at its start when corners
/// align.
double normalized(std::int64_t i, std::int64_t extent, bool align_corners) {
  const auto x = static_cast<double>(i);
  const auto length = static_cast<double>(extent);
  if (!align_corners) return (2 * x + 1) / length - 1;
  return extent == 1 ? -1 : 2 * x / (length - 1) - 1;
}

Result<void> eval_affine_grid(EvalContext& context) {
  TRY_ASSIGN(const Dims size, context.integers(1));
  TRY_ASSIGN(const Dims shape, grid_size(size));
  const std::int64_t axes = shape.back();
  const Tensor& theta = context.tensor(0);
  if (theta.shape() != Dims{shape[0], axes, axes + 1})
    return fail(Code::bad_shape, "theta has shape {}, which does not fit size {}", to_string(theta.shape()),
                to_string(size));
  const bool align_corners = context.attributes.integer("align_corners", 0) != 0;
  TRY_ASSIGN(const Tensor matrices, to_double(theta));
  TRY_ASSIGN(Tensor result, Tensor::allocate(DType::f64, shape));
  auto* to = result.mutable_data<double>();
  const std::int64_t places = shape[0] == 0 || result.size() == 0 ? 0 : result.size() / (shape[0] * axes);
  for (std::int64_t n = 0; n < shape[0] && places > 0; ++n) {
    const double* matrix = matrices.data<double>() + n * axes * (axes + 1);
    for (std::int64_t place = 0; place < places; ++place) {
      // Coordinates in the order x, y, z: the last axis first.
      std::array<double, 3> at{};
      std::int64_t left = place;
      for (std::int64_t k = 0; k < axes; ++k) {
        const std::int64_t extent = shape[static_cast<std::size_t>(axes - k)];
        at[static_cast<std::size_t>(k)] = normalized(left % extent, extent, align_corners);
        left /= extent;
      }
      for (std::int64_t row = 0; row < axes; ++row, matrix += axes + 1, ++to) {
        *to = matrix[axes];
        for (std::int64_t k = 0; k < axes; ++k) *to += matrix[k] * at[static_cast<std::size_t>(k)];
      }
      matrix -= axes * (axes + 1);
    }
  }
  TRY_ASSIGN(context.outputs[0], from_double(result, theta.dtype()));
  return {};
}

}  // namespace

std::span<const OpDef> affine_grid_ops() {
  static const OpDef rows[] = {
      {.name = "AffineGrid",
       .since = {20},
       .infer = infer_affine_grid,
       .eval = eval_affine_grid,
       .axes = kAffineGridAxes},
  };
  return rows;
}

}  // namespace pawl::ops
