// Compress and NonZero: elements chosen by whether something holds.
#include "ops/extents.h"
#include "ops/families.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

Result<void> infer_compress(InferContext& context) {
  if (!context.attributes.has("axis")) {
    context.set_shape(0, unknown_dims(1));
    return {};
  }
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), shape->size()));
  SymbolicShape result = *shape;
  result[axis] = Dim();
  context.set_shape(0, std::move(result));
  return {};
}

/// Where the condition holds. Errors: bad_value for a place that an axis of `extent` does not have.
Result<std::vector<std::int64_t>> chosen(const Tensor& condition, std::int64_t extent) {
  if (condition.rank() != 1)
    return fail(Code::bad_shape, "condition must be a list, and has shape {}", to_string(condition.shape()));
  std::vector<std::int64_t> places;
  TRY_ASSIGN(const Tensor dense, condition.to_dense());
  const std::span<const bool> holds = dense.values<bool>();
  for (std::size_t i = 0; i < holds.size(); ++i)
    if (holds[i]) places.push_back(static_cast<std::int64_t>(i));
  if (!places.empty() && places.back() >= extent)
    return fail(Code::bad_value, "the condition chooses {} of an axis of {}", places.back(), extent);
  return places;
}

Result<void> eval_compress(EvalContext& context) {
  Tensor data = context.tensor(0);
  std::size_t axis = 0;
  if (context.attributes.has("axis")) {
    TRY_ASSIGN(axis, resolve_axis(context.attributes.integer("axis", 0), data.shape().size()));
  } else {
    TRY_ASSIGN(const Tensor dense, data.to_dense());
    data = dense.reshaped({dense.size()});
  }
  TRY_ASSIGN(const std::vector<std::int64_t> places, chosen(context.tensor(1), data.shape()[axis]));
  Dims shape = data.shape();
  shape[axis] = static_cast<std::int64_t>(places.size());
  TRY_ASSIGN(Tensor result, Tensor::allocate(data.dtype(), shape));
  for (std::size_t i = 0; i < places.size(); ++i) {
    Tensor place = result.select(static_cast<std::int64_t>(axis), static_cast<std::int64_t>(i));
    copy_elements(data.select(static_cast<std::int64_t>(axis), places[i]), place);
  }
  context.outputs[0] = std::move(result);
  return {};
}

Result<void> infer_non_zero(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  context.set_shape(0, {shape ? Dim(static_cast<std::int64_t>(shape->size())) : Dim(), Dim()});
  return {};
}

/// Places in row-major order of the elements of a dense tensor that are not 0, false or "". NaN is not 0.
Result<std::vector<std::int64_t>> non_zero_places(const Tensor& data) {
  return dispatch<Join<Numbers, TypeList<bool, std::string>, Complex>>(
      data.dtype(), [&](auto tag) -> Result<std::vector<std::int64_t>> {
        using T = typename decltype(tag)::type;
        std::vector<std::int64_t> places;
        const std::span<const T> values = data.values<T>();
        for (std::size_t i = 0; i < values.size(); ++i) {
          bool zero = false;
          if constexpr (std::is_same_v<T, std::string>)
            zero = values[i].empty();
          else
            zero = Compute<T>(values[i]) == Compute<T>(0);
          if (!zero) places.push_back(static_cast<std::int64_t>(i));
        }
        return places;
      });
}

Result<void> eval_non_zero(EvalContext& context) {
  TRY_ASSIGN(const Tensor data, context.dense(0));
  TRY_ASSIGN(const std::vector<std::int64_t> places, non_zero_places(data));
  const auto count = static_cast<std::int64_t>(places.size());
  // One row per axis: of a scalar there is none, which is not what numpy does.
  TRY_ASSIGN(Tensor result, Tensor::allocate(DType::i64, {data.rank(), count}));
  auto* to = result.mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t left = places[static_cast<std::size_t>(i)];
    for (std::size_t axis = data.shape().size(); axis-- > 0;) {
      to[static_cast<std::int64_t>(axis) * count + i] = left % data.shape()[axis];
      left /= data.shape()[axis];
    }
  }
  context.outputs[0] = std::move(result);
  return {};
}

}  // namespace

std::span<const OpDef> compress_ops() {
  static const OpDef rows[] = {
      {.name = "Compress", .since = {9, 11, 28}, .infer = infer_compress, .eval = eval_compress, .axes = kOpaqueAxes},
      {.name = "NonZero", .since = {9, 13}, .infer = infer_non_zero, .eval = eval_non_zero, .axes = kOpaqueAxes},
  };
  return rows;
}

}  // namespace pawl::ops
