// Concat and Tile: tensors put side by side.
#include "ops/concat.h"

#include <algorithm>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "tensor/order.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

/// Concat-1 may leave the axis to its default.
std::int64_t concat_axis(int since, const Attributes& attributes) {
  return attributes.integer("axis", since < 4 ? 1 : 0);
}

Result<void> infer_concat(InferContext& context) {
  std::optional<SymbolicShape> result;
  std::int64_t total = 0;
  bool certain = true;
  std::size_t axis = 0;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    const SymbolicShape* shape = context.shape(i);
    if (shape == nullptr) {
      certain = false;
      continue;
    }
    if (!result) {
      TRY_ASSIGN(axis, resolve_axis(concat_axis(context.since(), context.attributes), shape->size()));
      result = *shape;
    }
    if (shape->size() != result->size())
      return fail(Code::bad_shape, "{} and {} cannot be concatenated: their ranks differ", to_string(*result),
                  to_string(*shape));
    for (std::size_t k = 0; k < shape->size(); ++k) {
      if (k == axis) continue;
      const std::optional<Dim> extent = agree_dim((*result)[k], (*shape)[k]);
      if (!extent) {
        return fail(Code::bad_shape, "{} and {} cannot be concatenated: they differ in axis {}, which is not {}",
                    to_string(*result), to_string(*shape), k, axis);
      }
      (*result)[k] = *extent;
    }
    const Dim& extent = (*shape)[axis];
    certain = certain && extent.known() && !__builtin_add_overflow(total, extent.value, &total);
  }
  if (!result) return {};
  if (context.inputs.size() > 1) (*result)[axis] = certain ? Dim(total) : Dim();
  context.set_shape(0, std::move(*result));
  return {};
}

Result<void> eval_concat(EvalContext& context) {
  std::vector<Tensor> parts;
  parts.reserve(context.inputs.size());
  for (std::size_t i = 0; i < context.inputs.size(); ++i) parts.push_back(context.tensor(i));
  TRY_ASSIGN(const std::size_t axis,
             resolve_axis(concat_axis(context.since(), context.attributes), parts[0].shape().size()));
  TRY_ASSIGN(context.outputs[0], concat(parts, axis));
  return {};
}

/// Repeats per axis. Tile-1 repeats one axis, both given as scalars in the type of the data.
Result<Dims> tile_repeats(int since, const Dims& first, const Dims& second, std::size_t rank) {
  Dims repeats = first;
  if (since < 6) {
    if (first.size() != 1 || second.size() != 1) return fail(Code::bad_shape, "tiles and axis must be scalars");
    TRY_ASSIGN(const std::size_t axis, resolve_axis(second[0], rank));
    repeats = Dims(rank, 1);
    repeats[axis] = first[0];
  }
  if (repeats.size() != rank) return fail(Code::bad_shape, "{} repeats for rank {}", repeats.size(), rank);
  for (const std::int64_t count : repeats)
    if (count < 0) return fail(Code::bad_value, "repeats {} has a negative number", to_string(repeats));
  return repeats;
}

Result<void> infer_tile(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  TRY_ASSIGN(const std::optional<Dims> first, constant_integers(context, 1));
  TRY_ASSIGN(const std::optional<Dims> second, constant_integers(context, 2));
  if (shape == nullptr) return {};
  if (!first || (context.since() < 6 && !second)) {
    context.set_shape(0, unknown_dims(shape->size()));
    return {};
  }
  TRY_ASSIGN(const Dims repeats, tile_repeats(context.since(), *first, second.value_or(Dims()), shape->size()));
  SymbolicShape result = *shape;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (repeats[i] == 1) continue;
    std::int64_t extent = 0;
    if (repeats[i] != 0 && !result[i].known())
      result[i] = Dim();
    else if (repeats[i] != 0 && __builtin_mul_overflow(result[i].value, repeats[i], &extent))
      return fail(Code::limit, "an axis of {} cannot be repeated {} times", result[i].value, repeats[i]);
    else
      result[i] = Dim(extent);
  }
  context.set_shape(0, std::move(result));
  return {};
}

Result<void> eval_tile(EvalContext& context) {
  TRY_ASSIGN(const Dims first, integers_of(context.tensor(1)));
  Dims second;
  if (context.has_input(2)) {
    TRY_ASSIGN(second, integers_of(context.tensor(2)));
  }
  const Tensor& data = context.tensor(0);
  TRY_ASSIGN(const Dims repeats, tile_repeats(context.since(), first, second, data.shape().size()));
  // Each axis of n becomes [repeats, n], the first of them without a stride.
  Dims shape;
  Dims blocks;
  Dims strides;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    std::int64_t extent = 0;
    if (__builtin_mul_overflow(data.shape()[i], repeats[i], &extent))
      return fail(Code::limit, "an axis of {} cannot be repeated {} times", data.shape()[i], repeats[i]);
    shape.push_back(extent);
    blocks.push_back(repeats[i]);
    blocks.push_back(data.shape()[i]);
    strides.push_back(0);
    strides.push_back(data.strides()[i]);
  }
  TRY_ASSIGN(Tensor result, Tensor::allocate(data.dtype(), shape));
  Tensor blocked = result.reshaped(blocks);
  copy_elements(data.view(blocks, strides), blocked);
  context.outputs[0] = std::move(result);
  return {};
}

}  // namespace

Result<Tensor> concat(std::span<const Tensor> parts, std::size_t axis) {
  if (parts.size() == 1) return parts[0];
  Dims shape = parts[0].shape();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Dims& other = parts[i].shape();
    bool fits = other.size() == shape.size() && parts[i].dtype() == parts[0].dtype();
    for (std::size_t k = 0; fits && k < other.size(); ++k) fits = k == axis || other[k] == shape[k];
    if (!fits || __builtin_add_overflow(shape[axis], other[axis], &shape[axis])) {
      return fail(Code::bad_shape, "{}{} and {}{} cannot be concatenated along axis {}", name(parts[0].dtype()),
                  to_string(parts[0].shape()), name(parts[i].dtype()), to_string(other), axis);
    }
  }
  const Tensor& largest = *std::max_element(parts.begin(), parts.end(),
                                            [](const Tensor& a, const Tensor& b) { return a.size() < b.size(); });
  TRY_ASSIGN(Tensor result, allocate_in_order(parts[0].dtype(), shape, order_in_memory(largest)));
  std::int64_t start = 0;
  for (const Tensor& part : parts) {
    Tensor place = result.view(part.shape(), result.strides(), start * result.strides()[axis]);
    copy_elements(part, place);
    start += part.shape()[axis];
  }
  return result;
}

std::span<const OpDef> concat_ops() {
  static const OpDef rows[] = {
      {.name = "Concat", .since = {1, 4, 11, 13}, .infer = infer_concat, .eval = eval_concat, .axes = kConcatAxes},
      {.name = "Tile", .since = {1, 6, 13}, .infer = infer_tile, .eval = eval_tile, .axes = kTileAxes},
  };
  return rows;
}

}  // namespace pawl::ops
