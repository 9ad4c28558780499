#include "ops/extents.h"

#include <cstring>

#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {

Result<std::size_t> resolve_axis(std::int64_t axis, std::size_t rank) {
  const auto limit = static_cast<std::int64_t>(rank);
  if (axis < -limit || axis >= limit) return fail(Code::bad_shape, "axis {} is out of range for rank {}", axis, rank);
  return static_cast<std::size_t>(axis < 0 ? axis + limit : axis);
}

Result<Dims> resolve_axes(std::span<const std::int64_t> axes, std::size_t rank) {
  Dims resolved;
  Dims seen(rank, 0);
  for (const std::int64_t axis : axes) {
    TRY_ASSIGN(const std::size_t at, resolve_axis(axis, rank));
    if (seen[at] != 0) return fail(Code::bad_value, "axis {} is given twice in axes {}", at, to_string(axes));
    seen[at] = 1;
    resolved.push_back(static_cast<std::int64_t>(at));
  }
  return resolved;
}

// More numbers than this in one list of axes, extents or indices are a mistake or an attack.
constexpr std::int64_t kMaxIntegers = std::int64_t{1} << 31;

Result<Dims> integers_of(const Tensor& tensor) {
  if (tensor.size() > kMaxIntegers)
    return fail(Code::limit, "{} numbers are more than {}", tensor.size(), kMaxIntegers);
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  if (dense.dtype() == DType::i64) return Dims(dense.values<std::int64_t>());
  Dims values(static_cast<std::size_t>(dense.size()), 0);
  TRY(dispatch<Join<Floats, TypeList<std::int32_t>>>(dense.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    const auto from = dense.values<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto number = static_cast<double>(from[i]);
      if (!(std::abs(number) < 0x1p53) || number != std::trunc(number))
        return fail(Code::bad_value, "{} is not a whole number", number);
      values[i] = static_cast<std::int64_t>(number);
    }
    return {};
  }));
  return values;
}

Result<std::optional<Dims>> constant_integers(const InferContext& context, std::size_t i) {
  const Tensor* constant = context.constant(i);
  if (constant == nullptr) return std::optional<Dims>();
  TRY_ASSIGN(Dims values, integers_of(*constant));
  return std::optional<Dims>(std::move(values));
}

// A declared length is only a claim: ranks beyond this are not worth believing before the values are there.
constexpr std::int64_t kMaxListed = 1 << 16;

std::optional<std::size_t> known_count(const InferContext& context, std::size_t i) {
  if (const Tensor* constant = context.constant(i)) return static_cast<std::size_t>(constant->size());
  const SymbolicShape* shape = context.shape(i);
  if (shape == nullptr || shape->size() > 1) return std::nullopt;
  if (shape->empty()) return std::size_t{1};
  if (!shape->front().known() || shape->front().value > kMaxListed) return std::nullopt;
  return static_cast<std::size_t>(shape->front().value);
}

Result<std::int64_t> integer_scalar(const EvalContext& context, std::size_t i, std::string_view what) {
  if (context.tensor(i).size() != 1)
    return fail(Code::bad_shape, "{} must be one number, and has shape {}", what, to_string(context.tensor(i).shape()));
  TRY_ASSIGN(const Dims values, integers_of(context.tensor(i)));
  return values[0];
}

Result<std::int64_t> bounded_size(const Dims& shape) {
  for (const std::int64_t extent : shape)
    if (extent < 0) return fail(Code::bad_value, "shape {} has a negative extent", to_string(shape));
  const std::optional<std::int64_t> size = checked_size(shape);
  if (!size || *size > kMaxElements)
    return fail(Code::limit, "shape {} has more than {} elements", to_string(shape), kMaxElements);
  return *size;
}

Result<Tensor> zeros(DType dtype, Dims shape) {
  TRY_ASSIGN(Tensor result, Tensor::allocate(dtype, std::move(shape)));
  // New strings are empty; of every other type that has a zero, its code is 0.
  if (dtype != DType::string && result.size() > 0)
    std::memset(result.mutable_bytes(), 0, static_cast<std::size_t>(result.size()) * size_of(dtype));
  return result;
}

}  // namespace pawl::ops
