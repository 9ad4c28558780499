// Slice and Split: parts of a tensor, as views.
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"

namespace pawl::ops {
namespace {

/// What Slice takes of one axis: element start + i * step for 0 <= i < length. The step of a part with fewer than two
/// elements is 1.
struct Part {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t length = 0;
};

/// Negative positions count from the end; both ends are clamped, so that every int64 is a valid one. step is not 0.
Part part_of(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (extent == 0) return {};
  const bool up = step > 0;
  const auto clamp = [&](std::int64_t position, std::int64_t low) {
    if (position < 0) position += extent;
    return std::max(low, std::min(position, up ? extent : extent - 1));
  };
  const std::int64_t from = clamp(start, 0);
  const std::int64_t to = clamp(end, up ? 0 : -1);
  if (up ? from >= to : from <= to) return {};
  const std::uint64_t distance = static_cast<std::uint64_t>(up ? to - from : from - to);
  const std::uint64_t stride = up ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const auto length = static_cast<std::int64_t>((distance - 1) / stride + 1);
  return {from, length > 1 ? step : 1, length};
}

/// The operands of Slice, in whatever version they came. Nullopt where they are given and not known.
struct SliceOperands {
  std::optional<Dims> starts, ends, axes, steps;
};

Result<void> check_slice(const SliceOperands& slice) {
  if (slice.starts && slice.ends && slice.starts->size() != slice.ends->size())
    return fail(Code::bad_shape, "{} starts and {} ends", slice.starts->size(), slice.ends->size());
  if (slice.starts && slice.axes && slice.starts->size() != slice.axes->size())
    return fail(Code::bad_shape, "{} starts and {} axes", slice.starts->size(), slice.axes->size());
  if (slice.starts && slice.steps && slice.starts->size() != slice.steps->size())
    return fail(Code::bad_shape, "{} starts and {} steps", slice.starts->size(), slice.steps->size());
  if (slice.steps)
    for (const std::int64_t step : *slice.steps)
      if (step == 0) return fail(Code::bad_value, "a step of 0");
  return {};
}

/// Axes 0, 1, … where the node names none.
Dims first_axes(std::size_t count) {
  Dims axes;
  for (std::size_t i = 0; i < count; ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

SliceOperands attribute_operands(const Attributes& attributes) {
  SliceOperands slice;
  slice.starts = Dims(attributes.integers("starts"));
  slice.ends = Dims(attributes.integers("ends"));
  slice.axes = attributes.has("axes") ? Dims(attributes.integers("axes")) : first_axes(slice.starts->size());
  slice.steps = Dims(slice.starts->size(), 1);
  return slice;
}

/// One extent of the result. Where the extent is a symbol it is kept by a whole part, forwards or backwards.
Dim sliced(const Dim& extent, std::int64_t start, std::int64_t end, std::int64_t step) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (extent.known()) return Dim(part_of(extent.value, start, end, step).length);
  const bool whole = step == 1 && start == 0 && end == kMost;
  const bool reversed =
      step == -1 && (start == -1 || start == kMost) && end == std::numeric_limits<std::int64_t>::min();
  return whole || reversed ? extent : Dim();
}

Result<SliceOperands> static_operands(const InferContext& context) {
  if (context.since() < 10) return attribute_operands(context.attributes);
  SliceOperands slice;
  TRY_ASSIGN(slice.starts, constant_integers(context, 1));
  TRY_ASSIGN(slice.ends, constant_integers(context, 2));
  TRY_ASSIGN(slice.axes, constant_integers(context, 3));
  TRY_ASSIGN(slice.steps, constant_integers(context, 4));
  const std::optional<std::size_t> count = known_count(context, 1);
  if (!context.has_input(3) && count) slice.axes = first_axes(*count);
  if (!context.has_input(4) && count) slice.steps = Dims(*count, 1);
  return slice;
}

Result<void> infer_slice(InferContext& context) {
  TRY_ASSIGN(const SliceOperands slice, static_operands(context));
  TRY(check_slice(slice));
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  if (!slice.axes) {
    context.set_shape(0, unknown_dims(shape->size()));
    return {};
  }
  TRY_ASSIGN(const Dims axes, resolve_axes(*slice.axes, shape->size()));
  SymbolicShape result = *shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Dim& dim = result[static_cast<std::size_t>(axes[i])];
    dim = slice.starts && slice.ends && slice.steps
              ? sliced(dim, (*slice.starts)[i], (*slice.ends)[i], (*slice.steps)[i])
              : Dim();
  }
  context.set_shape(0, std::move(result));
  return {};
}

Result<SliceOperands> operands(const EvalContext& context) {
  if (context.since() < 10) return attribute_operands(context.attributes);
  SliceOperands slice;
  TRY_ASSIGN(slice.starts, context.integers(1));
  TRY_ASSIGN(slice.ends, context.integers(2));
  slice.axes = first_axes(slice.starts->size());
  slice.steps = Dims(slice.starts->size(), 1);
  if (context.has_input(3)) {
    TRY_ASSIGN(slice.axes, context.integers(3));
  }
  if (context.has_input(4)) {
    TRY_ASSIGN(slice.steps, context.integers(4));
  }
  return slice;
}

Result<void> eval_slice(EvalContext& context) {
  TRY_ASSIGN(const SliceOperands slice, operands(context));
  TRY(check_slice(slice));
  const Tensor data = take_tensor(context, 0);
  TRY_ASSIGN(const Dims axes, resolve_axes(*slice.axes, data.shape().size()));
  Dims shape = data.shape();
  Dims strides = data.strides();
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    const Part part = part_of(shape[axis], (*slice.starts)[i], (*slice.ends)[i], (*slice.steps)[i]);
    shape[axis] = part.length;
    offset += part.start * strides[axis];
    strides[axis] *= part.step;
  }
  context.outputs[0] = data.view(std::move(shape), std::move(strides), offset);
  return {};
}

/// Extents of the parts of an axis of `extent`, all alike but the last, which may be smaller when `uneven`.
Result<Dims> even_parts(std::int64_t extent, std::int64_t count, bool uneven) {
  const std::int64_t chunk = extent / count + (extent % count != 0 ? 1 : 0);
  std::int64_t last = 0;
  const bool fits = !__builtin_mul_overflow(chunk, count - 1, &last) && last <= extent;
  if (!fits || (!uneven && extent % count != 0))
    return fail(Code::bad_shape, "an axis of {} cannot be split into {} parts", extent, count);
  Dims parts(static_cast<std::size_t>(count), chunk);
  parts.back() = extent - last;
  return parts;
}

Result<void> check_parts(const Dims& parts, std::int64_t extent, std::size_t outputs) {
  if (parts.size() != outputs)
    return fail(Code::bad_shape, "split {} has {} parts for {} outputs", to_string(parts), parts.size(), outputs);
  std::int64_t left = extent;
  for (const std::int64_t part : parts) {
    if (part < 0) return fail(Code::bad_value, "split {} has a negative part", to_string(parts));
    if (part > left) return fail(Code::bad_shape, "split {} does not add up to {}", to_string(parts), extent);
    left -= part;
  }
  if (left != 0) return fail(Code::bad_shape, "split {} does not add up to {}", to_string(parts), extent);
  return {};
}

/// The number of equal parts when no sizes are given. Errors: bad_model, bad_shape.
Result<std::int64_t> part_count(int since, const Attributes& attributes, std::size_t outputs) {
  if (since < 18) return static_cast<std::int64_t>(outputs);
  if (!attributes.has("num_outputs")) return fail(Code::bad_model, "Split needs split or num_outputs");
  const std::int64_t count = attributes.integer("num_outputs", 0);
  if (count != static_cast<std::int64_t>(outputs))
    return fail(Code::bad_shape, "num_outputs is {}, and the node has {} outputs", count, outputs);
  return count;
}

Result<void> infer_split(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), shape->size()));
  const std::size_t outputs = context.outputs.size();
  const Dim& extent = (*shape)[axis];
  const bool from_input = context.has_input(1);
  std::optional<Dims> parts;
  if (context.attributes.has("split")) parts = Dims(context.attributes.integers("split"));
  if (from_input) {
    TRY_ASSIGN(parts, constant_integers(context, 1));
  }
  if (!parts && !from_input) {
    TRY_ASSIGN(const std::int64_t count, part_count(context.since(), context.attributes, outputs));
    if (extent.known()) {
      TRY_ASSIGN(parts, even_parts(extent.value, count, context.since() >= 18));
    }
  }
  if (parts && extent.known()) TRY(check_parts(*parts, extent.value, outputs));
  if (parts && parts->size() != outputs)
    return fail(Code::bad_shape, "split has {} parts for {} outputs", parts->size(), outputs);
  for (std::size_t i = 0; i < outputs; ++i) {
    SymbolicShape part = *shape;
    part[axis] = parts ? Dim((*parts)[i]) : Dim();
    context.set_shape(i, std::move(part));
  }
  return {};
}

Result<void> eval_split(EvalContext& context) {
  const Tensor& data = context.tensor(0);
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), data.shape().size()));
  const std::size_t outputs = context.outputs.size();
  const std::int64_t extent = data.shape()[axis];
  Dims parts;
  if (context.has_input(1)) {
    TRY_ASSIGN(parts, integers_of(context.tensor(1)));
  } else if (context.attributes.has("split")) {
    parts = Dims(context.attributes.integers("split"));
  } else {
    TRY_ASSIGN(const std::int64_t count, part_count(context.since(), context.attributes, outputs));
    TRY_ASSIGN(parts, even_parts(extent, count, context.since() >= 18));
  }
  TRY(check_parts(parts, extent, outputs));
  std::int64_t start = 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    Dims shape = data.shape();
    shape[axis] = parts[i];
    context.outputs[i] = data.view(std::move(shape), data.strides(), start * data.strides()[axis]);
    start += parts[i];
  }
  return {};
}

}  // namespace

std::span<const OpDef> slice_ops() {
  static const OpDef rows[] = {
      {.name = "Slice", .since = {1, 10, 11, 13}, .infer = infer_slice, .eval = eval_slice, .axes = kSliceAxes},
      {.name = "Split", .since = {1, 2, 11, 13, 18}, .infer = infer_split, .eval = eval_split, .axes = kSplitAxes},
  };
  return rows;
}

}  // namespace pawl::ops
