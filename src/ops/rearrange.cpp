// Operators that move elements to other places of an image or a batch: DepthToSpace, SpaceToDepth, ReverseSequence,
// CenterCropPad.
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

/// A dense tensor seen with other extents and the axes in another order, then made dense under `shape`.
Result<Tensor> shuffle(const Tensor& dense, const Dims& blocks, const Dims& order, const Dims& shape) {
  const Tensor blocked = dense.reshaped(blocks);
  Dims extents;
  Dims strides;
  for (const std::int64_t axis : order) {
    extents.push_back(blocks[static_cast<std::size_t>(axis)]);
    strides.push_back(blocked.strides()[static_cast<std::size_t>(axis)]);
  }
  TRY_ASSIGN(const Tensor moved, blocked.view(std::move(extents), std::move(strides)).to_dense());
  return moved.reshaped(shape);
}

/// True for "DCR", the depth-first order; an attribute of DepthToSpace since 11 and of SpaceToDepth since 28.
Result<bool> depth_first(const Attributes& attributes) {
  const std::string mode = attributes.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return fail(Code::bad_value, "\"{}\" is neither DCR nor CRD", mode);
  return mode == "DCR";
}

Result<std::int64_t> block_size(const Attributes& attributes) {
  const std::int64_t size = attributes.integer("blocksize", 0);
  if (size <= 0 || size > (1 << 20)) return fail(Code::bad_value, "a blocksize of {}", size);
  return size;
}

Dim times(const Dim& dim, std::int64_t factor) {
  std::int64_t product = 0;
  if (factor == 1) return dim;
  return dim.known() && !__builtin_mul_overflow(dim.value, factor, &product) ? Dim(product) : Dim();
}

/// Errors: bad_shape, when the extent is not a multiple of the divisor.
Result<Dim> divided(const Dim& dim, std::int64_t divisor, std::string_view what) {
  if (divisor == 1) return dim;
  if (!dim.known()) return Dim();
  if (dim.value % divisor != 0)
    return fail(Code::bad_shape, "{} of {} is not a multiple of {}", what, dim.value, divisor);
  return Dim(dim.value / divisor);
}

Result<SymbolicShape> depth_to_space_shape(const SymbolicShape& shape, std::int64_t block) {
  if (shape.size() != 4) return fail(Code::bad_shape, "an image has rank 4, and {} does not", to_string(shape));
  TRY_ASSIGN(Dim depth, divided(shape[1], block * block, "a depth"));
  return SymbolicShape{shape[0], std::move(depth), times(shape[2], block), times(shape[3], block)};
}

Result<SymbolicShape> space_to_depth_shape(const SymbolicShape& shape, std::int64_t block) {
  if (shape.size() != 4) return fail(Code::bad_shape, "an image has rank 4, and {} does not", to_string(shape));
  TRY_ASSIGN(Dim height, divided(shape[2], block, "a height"));
  TRY_ASSIGN(Dim width, divided(shape[3], block, "a width"));
  return SymbolicShape{shape[0], times(shape[1], block * block), std::move(height), std::move(width)};
}

using ShapeRule = Result<SymbolicShape> (*)(const SymbolicShape&, std::int64_t);

Result<void> infer_blocks(InferContext& context, ShapeRule rule) {
  TRY_ASSIGN(const std::int64_t block, block_size(context.attributes));
  TRY(depth_first(context.attributes));
  if (context.shape(0) == nullptr) {
    context.set_shape(0, unknown_dims(4));
    return {};
  }
  TRY_ASSIGN(SymbolicShape shape, rule(*context.shape(0), block));
  context.set_shape(0, std::move(shape));
  return {};
}

Result<Dims> checked_extents(const SymbolicShape& shape) {
  Dims extents;
  for (const Dim& dim : shape) {
    if (!dim.known()) return fail(Code::limit, "the result is too large");
    extents.push_back(dim.value);
  }
  return extents;
}

Result<void> infer_depth_to_space(InferContext& context) { return infer_blocks(context, depth_to_space_shape); }
Result<void> infer_space_to_depth(InferContext& context) { return infer_blocks(context, space_to_depth_shape); }

Result<void> eval_depth_to_space(EvalContext& context) {
  TRY_ASSIGN(const Tensor data, context.dense(0));
  TRY_ASSIGN(const std::int64_t b, block_size(context.attributes));
  TRY_ASSIGN(const bool depth_outside, depth_first(context.attributes));
  TRY_ASSIGN(const SymbolicShape shape, depth_to_space_shape(symbolic(data.shape()), b));
  TRY_ASSIGN(const Dims to, checked_extents(shape));
  const Dims& from = data.shape();
  const Dims blocks =
      depth_outside ? Dims{from[0], b, b, to[1], from[2], from[3]} : Dims{from[0], to[1], b, b, from[2], from[3]};
  const Dims order = depth_outside ? Dims{0, 3, 4, 1, 5, 2} : Dims{0, 1, 4, 2, 5, 3};
  TRY_ASSIGN(context.outputs[0], shuffle(data, blocks, order, to));
  return {};
}

Result<void> eval_space_to_depth(EvalContext& context) {
  TRY_ASSIGN(const Tensor data, context.dense(0));
  TRY_ASSIGN(const std::int64_t b, block_size(context.attributes));
  TRY_ASSIGN(const bool depth_outside, depth_first(context.attributes));
  TRY_ASSIGN(const SymbolicShape shape, space_to_depth_shape(symbolic(data.shape()), b));
  TRY_ASSIGN(const Dims to, checked_extents(shape));
  const Dims& from = data.shape();
  const Dims blocks{from[0], from[1], to[2], b, to[3], b};
  const Dims order = depth_outside ? Dims{0, 3, 5, 1, 2, 4} : Dims{0, 1, 3, 5, 2, 4};
  TRY_ASSIGN(context.outputs[0], shuffle(data, blocks, order, to));
  return {};
}

Result<void> eval_reverse_sequence(EvalContext& context) {
  const Tensor& data = context.tensor(0);
  TRY_ASSIGN(const std::size_t time, resolve_axis(context.attributes.integer("time_axis", 0), data.shape().size()));
  TRY_ASSIGN(const std::size_t batch, resolve_axis(context.attributes.integer("batch_axis", 1), data.shape().size()));
  if (time == batch) return fail(Code::bad_shape, "axis {} cannot be both time and batch", time);
  TRY_ASSIGN(const Dims lengths, context.integers(1));
  const std::int64_t extent = data.shape()[time];
  if (static_cast<std::int64_t>(lengths.size()) != data.shape()[batch])
    return fail(Code::bad_shape, "{} sequence_lens for a batch of {}", lengths.size(), data.shape()[batch]);
  for (const std::int64_t length : lengths)
    if (length < 0 || length > extent)
      return fail(Code::bad_value, "a sequence of {} in an axis of {}", length, extent);
  TRY_ASSIGN(Tensor result, data.clone());
  const std::size_t axis = time > batch ? time - 1 : time;
  for (std::size_t i = 0; i < lengths.size() && result.size() > 0; ++i) {
    const Tensor from = data.select(static_cast<std::int64_t>(batch), static_cast<std::int64_t>(i));
    const Tensor to = result.select(static_cast<std::int64_t>(batch), static_cast<std::int64_t>(i));
    if (lengths[i] == 0) continue;
    Dims shape = from.shape();
    Dims strides = from.strides();
    shape[axis] = lengths[i];
    strides[axis] = -strides[axis];
    Tensor place = to.view(shape, to.strides());
    copy_elements(from.view(shape, strides, (lengths[i] - 1) * from.strides()[axis]), place);
  }
  context.outputs[0] = std::move(result);
  return {};
}

/// The axes of CenterCropPad; all of them where the node names none.
Result<Dims> center_axes(const Attributes& attributes, std::size_t rank) {
  if (attributes.has("axes")) return resolve_axes(attributes.integers("axes"), rank);
  Dims axes;
  for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

Result<void> check_center(const Dims& axes, const Dims& wanted) {
  if (axes.size() != wanted.size()) return fail(Code::bad_shape, "{} extents for {} axes", wanted.size(), axes.size());
  for (const std::int64_t extent : wanted)
    if (extent < 0) return fail(Code::bad_value, "shape {} has a negative extent", to_string(wanted));
  return {};
}

Result<void> infer_center(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  TRY_ASSIGN(const Dims axes, center_axes(context.attributes, shape->size()));
  TRY_ASSIGN(const std::optional<Dims> wanted, constant_integers(context, 1));
  if (wanted) TRY(check_center(axes, *wanted));
  SymbolicShape result = *shape;
  for (std::size_t i = 0; i < axes.size(); ++i)
    result[static_cast<std::size_t>(axes[i])] = wanted ? Dim((*wanted)[i]) : Dim();
  context.set_shape(0, std::move(result));
  return {};
}

Result<void> eval_center(EvalContext& context) {
  const Tensor data = take_tensor(context, 0);
  TRY_ASSIGN(const Dims axes, center_axes(context.attributes, data.shape().size()));
  TRY_ASSIGN(const Dims wanted, context.integers(1));
  TRY(check_center(axes, wanted));
  Dims shape = data.shape();
  for (std::size_t i = 0; i < axes.size(); ++i) shape[static_cast<std::size_t>(axes[i])] = wanted[i];
  // What both have in common, around the middle of each; of an odd rest the greater half comes after it.
  Dims common = shape;
  std::int64_t from = 0;
  bool cut = true;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    common[i] = std::min(shape[i], data.shape()[i]);
    from += (data.shape()[i] - common[i]) / 2 * data.strides()[i];
    cut = cut && common[i] == shape[i];
  }
  const Tensor kept = data.view(common, data.strides(), from);
  if (cut) {
    context.outputs[0] = kept;
    return {};
  }
  TRY_ASSIGN(Tensor result, zeros(data.dtype(), shape));
  std::int64_t to = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) to += (shape[i] - common[i]) / 2 * result.strides()[i];
  Tensor place = result.view(common, result.strides(), to);
  copy_elements(kept, place);
  context.outputs[0] = std::move(result);
  return {};
}

}  // namespace

std::span<const OpDef> rearrange_ops() {
  static const OpDef rows[] = {
      {.name = "DepthToSpace",
       .since = {1, 11, 13, 28},
       .infer = infer_depth_to_space,
       .eval = eval_depth_to_space,
       .axes = kRowsAxes},
      {.name = "SpaceToDepth",
       .since = {1, 13, 28},
       .infer = infer_space_to_depth,
       .eval = eval_space_to_depth,
       .axes = kRowsAxes},
      {.name = "ReverseSequence",
       .since = {10, 28},
       .infer = infer_same,
       .eval = eval_reverse_sequence,
       .axes = kReverseAxes},
      {.name = "CenterCropPad", .since = {18}, .infer = infer_center, .eval = eval_center, .axes = kCenterAxes},
  };
  return rows;
}

}  // namespace pawl::ops
