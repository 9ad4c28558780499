// Operators that read or change the shape of a tensor and leave its elements where they are: all results are views.
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

/// Shape-15 and later: the axes [start, end) whose extents are wanted, clamped as the standard says.
std::pair<std::size_t, std::size_t> shape_range(const Attributes& attributes, std::size_t rank) {
  const auto limit = static_cast<std::int64_t>(rank);
  const auto clamp = [&](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + limit : axis, 0, limit);
  };
  const std::int64_t start = clamp(attributes.integer("start", 0));
  const std::int64_t end = clamp(attributes.integer("end", limit));
  return {static_cast<std::size_t>(start), static_cast<std::size_t>(std::max(start, end))};
}

Result<void> infer_shape(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) {
    context.set_shape(0, unknown_dims(1));
    return {};
  }
  const auto [start, end] = shape_range(context.attributes, shape->size());
  const auto count = static_cast<std::int64_t>(end - start);
  context.set_shape(0, {Dim(count)});
  Dims extents;
  for (std::size_t i = start; i < end; ++i) {
    if (!(*shape)[i].known()) return {};
    extents.push_back((*shape)[i].value);
  }
  context.set_constant(0, Tensor::of<std::int64_t>({count}, std::span<const std::int64_t>(extents)));
  return {};
}

Result<void> eval_shape(EvalContext& context) {
  const Dims& shape = context.tensor(0).shape();
  const auto [start, end] = shape_range(context.attributes, shape.size());
  const std::span<const std::int64_t> extents(shape.begin() + start, end - start);
  context.outputs[0] = Tensor::of<std::int64_t>({static_cast<std::int64_t>(extents.size())}, extents);
  return {};
}

Result<void> infer_size(InferContext& context) {
  context.set_shape(0, {});
  if (!context.has_input(0)) return {};
  const std::optional<Dims> shape = context.inputs[0]->type.static_shape();
  if (!shape) return {};
  if (const auto size = checked_size(*shape)) context.set_constant(0, Tensor::scalar<std::int64_t>(*size));
  return {};
}

Result<void> eval_size(EvalContext& context) {
  context.outputs[0] = Tensor::scalar<std::int64_t>(context.tensor(0).size());
  return {};
}

/// The axes of Squeeze and Unsqueeze: an attribute until 11, an input since 13. Nullopt: none are given.
Result<std::optional<Dims>> given_axes(const EvalContext& context) {
  if (context.since() < 13) {
    if (!context.attributes.has("axes")) return std::optional<Dims>();
    return std::optional<Dims>(Dims(context.attributes.integers("axes")));
  }
  if (!context.has_input(1)) return std::optional<Dims>();
  TRY_ASSIGN(Dims axes, context.integers(1));
  return std::optional<Dims>(std::move(axes));
}

struct StaticAxes {
  bool given = false;                ///< the node has axes
  std::optional<Dims> axes;          ///< what they are
  std::optional<std::size_t> count;  ///< how many
};

Result<StaticAxes> static_axes(const InferContext& context) {
  StaticAxes result;
  if (context.since() < 13) {
    result.given = context.attributes.has("axes");
    if (result.given) result.axes = Dims(context.attributes.integers("axes"));
  } else {
    result.given = context.has_input(1);
    TRY_ASSIGN(result.axes, constant_integers(context, 1));
    result.count = known_count(context, 1);
  }
  if (result.axes) result.count = result.axes->size();
  return result;
}

/// For each axis of the input, 1 where Squeeze removes it. An axis may be named twice.
Result<Dims> squeezed(const Dims& axes, std::size_t rank) {
  Dims removed(rank, 0);
  for (const std::int64_t axis : axes) {
    TRY_ASSIGN(const std::size_t at, resolve_axis(axis, rank));
    removed[at] = 1;
  }
  return removed;
}

Result<void> infer_squeeze(InferContext& context) {
  TRY_ASSIGN(const StaticAxes known, static_axes(context));
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  SymbolicShape result;
  if (!known.given) {
    for (const Dim& dim : *shape) {
      if (!dim.known()) return {};
      if (dim.value != 1) result.push_back(dim);
    }
  } else if (known.axes) {
    TRY_ASSIGN(const Dims removed, squeezed(*known.axes, shape->size()));
    for (std::size_t i = 0; i < shape->size(); ++i) {
      const Dim& dim = (*shape)[i];
      if (!removed[i])
        result.push_back(dim);
      else if (dim.known() && dim.value != 1)
        return fail(Code::bad_shape, "axis {} of shape {} is not 1 and cannot be squeezed", i, to_string(*shape));
    }
  } else {
    return {};
  }
  context.set_shape(0, std::move(result));
  return {};
}

Result<void> eval_squeeze(EvalContext& context) {
  TRY_ASSIGN(const std::optional<Dims> axes, given_axes(context));
  const Tensor data = take_tensor(context, 0);
  Dims removed(data.shape().size(), 0);
  if (axes) {
    TRY_ASSIGN(removed, squeezed(*axes, data.shape().size()));
  } else {
    for (std::size_t i = 0; i < removed.size(); ++i) removed[i] = data.shape()[i] == 1 ? 1 : 0;
  }
  Dims shape;
  Dims strides;
  for (std::size_t i = 0; i < removed.size(); ++i) {
    if (removed[i] == 0) {
      shape.push_back(data.shape()[i]);
      strides.push_back(data.strides()[i]);
    } else if (data.shape()[i] != 1) {
      return fail(Code::bad_shape, "axis {} of shape {} is not 1 and cannot be squeezed", i, to_string(data.shape()));
    }
  }
  context.outputs[0] = data.view(std::move(shape), std::move(strides));
  return {};
}

/// For each axis of Unsqueeze's output, 1 where it is new. The axes count in the output's rank.
Result<Dims> unsqueezed(const Dims& axes, std::size_t rank) {
  Dims added(rank + axes.size(), 0);
  TRY_ASSIGN(const Dims resolved, resolve_axes(axes, added.size()));
  for (const std::int64_t axis : resolved) added[static_cast<std::size_t>(axis)] = 1;
  return added;
}

Result<void> infer_unsqueeze(InferContext& context) {
  TRY_ASSIGN(const StaticAxes known, static_axes(context));
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr || !known.count) return {};
  if (!known.axes) {
    context.set_shape(0, unknown_dims(shape->size() + *known.count));
    return {};
  }
  TRY_ASSIGN(const Dims added, unsqueezed(*known.axes, shape->size()));
  SymbolicShape result;
  std::size_t from = 0;
  for (const std::int64_t is_new : added) result.push_back(is_new != 0 ? Dim(1) : (*shape)[from++]);
  context.set_shape(0, std::move(result));
  return {};
}

Result<void> eval_unsqueeze(EvalContext& context) {
  TRY_ASSIGN(const std::optional<Dims> axes, given_axes(context));
  const Tensor data = take_tensor(context, 0);
  TRY_ASSIGN(const Dims added, unsqueezed(axes.value_or(Dims()), data.shape().size()));
  Dims shape;
  Dims strides;
  std::size_t from = 0;
  for (const std::int64_t is_new : added) {
    shape.push_back(is_new != 0 ? 1 : data.shape()[from]);
    strides.push_back(is_new != 0 ? 0 : data.strides()[from]);
    if (is_new == 0) ++from;
  }
  context.outputs[0] = data.view(std::move(shape), std::move(strides));
  return {};
}

/// The order of the axes: `perm`, or reversed where the node does not have it.
Result<Dims> permutation(const Attributes& attributes, std::size_t rank) {
  Dims perm(attributes.integers("perm"));
  if (!attributes.has("perm")) {
    for (std::size_t i = rank; i-- > 0;) perm.push_back(static_cast<std::int64_t>(i));
    return perm;
  }
  Dims seen(rank, 0);
  bool fits = perm.size() == rank;
  for (std::size_t i = 0; fits && i < rank; ++i) {
    fits = perm[i] >= 0 && perm[i] < static_cast<std::int64_t>(rank) && seen[static_cast<std::size_t>(perm[i])] == 0;
    if (fits) seen[static_cast<std::size_t>(perm[i])] = 1;
  }
  if (!fits) return fail(Code::bad_shape, "perm {} is not a permutation of the axes of rank {}", to_string(perm), rank);
  return perm;
}

Result<void> infer_transpose(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) {
    if (context.attributes.has("perm")) context.set_shape(0, unknown_dims(context.attributes.integers("perm").size()));
    return {};
  }
  TRY_ASSIGN(const Dims perm, permutation(context.attributes, shape->size()));
  SymbolicShape result;
  for (const std::int64_t axis : perm) result.push_back((*shape)[static_cast<std::size_t>(axis)]);
  context.set_shape(0, std::move(result));
  return {};
}

Result<void> eval_transpose(EvalContext& context) {
  const Tensor data = take_tensor(context, 0);
  TRY_ASSIGN(const Dims perm, permutation(context.attributes, data.shape().size()));
  Dims shape;
  Dims strides;
  for (const std::int64_t axis : perm) {
    shape.push_back(data.shape()[static_cast<std::size_t>(axis)]);
    strides.push_back(data.strides()[static_cast<std::size_t>(axis)]);
  }
  context.outputs[0] = data.view(std::move(shape), std::move(strides));
  return {};
}

Result<void> infer_expand(InferContext& context) {
  TRY_ASSIGN(const std::optional<Dims> wanted, constant_integers(context, 1));
  const std::optional<std::size_t> count = known_count(context, 1);
  const SymbolicShape* shape = context.shape(0);
  if (wanted)
    for (const std::int64_t extent : *wanted)
      if (extent < 0) return fail(Code::bad_value, "shape {} has a negative extent", to_string(*wanted));
  if (shape == nullptr || !count) return {};
  TRY_ASSIGN(SymbolicShape result, broadcast_shapes(*shape, wanted ? symbolic(*wanted) : unknown_dims(*count)));
  context.set_shape(0, std::move(result));
  return {};
}

Result<void> eval_expand(EvalContext& context) {
  TRY_ASSIGN(const Dims wanted, context.integers(1));
  TRY(bounded_size(wanted));
  const Tensor& data = context.tensor(0);
  TRY_ASSIGN(const Dims shape, broadcast_shapes(data.shape(), wanted));
  TRY(bounded_size(shape));
  context.outputs[0] = broadcast_view(data, shape);
  return {};
}

}  // namespace

std::span<const OpDef> shape_ops() {
  static const OpDef rows[] = {
      {.name = "Shape",
       .since = {1, 13, 15, 19, 21, 23, 24, 25},
       .infer = infer_shape,
       .eval = eval_shape,
       .axes = kShapeAxes},
      {.name = "Size", .since = {1, 13, 19, 21, 23, 24, 25}, .infer = infer_size, .eval = eval_size, .axes = kSizeAxes},
      {.name = "Squeeze",
       .since = {1, 11, 13, 21, 23, 24, 25},
       .infer = infer_squeeze,
       .eval = eval_squeeze,
       .axes = kSqueezeAxes},
      {.name = "Unsqueeze",
       .since = {1, 11, 13, 21, 23, 24, 25},
       .infer = infer_unsqueeze,
       .eval = eval_unsqueeze,
       .axes = kUnsqueezeAxes},
      {.name = "Transpose",
       .since = {1, 13, 21, 23, 24, 25},
       .infer = infer_transpose,
       .eval = eval_transpose,
       .axes = kTransposeAxes},
      {.name = "Expand", .since = {8, 13}, .infer = infer_expand, .eval = eval_expand, .axes = kExpandAxes},
  };
  return rows;
}

}  // namespace pawl::ops
