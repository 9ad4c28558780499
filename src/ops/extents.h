// Axes and extents as operators are given them: negative, in tensors, half known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ops/op.h"

namespace pawl::ops {

/// `axis` counted from the front: -rank <= axis < rank. Errors: bad_shape, naming both.
Result<std::size_t> resolve_axis(std::int64_t axis, std::size_t rank);

/// The same for a list. Errors: bad_shape; bad_value when an axis comes twice.
Result<Dims> resolve_axes(std::span<const std::int64_t> axes, std::size_t rank);

/// All elements of an int64 or int32 tensor, or of a float tensor of whole numbers: the first versions of Split and
/// Tile take extents in the type of the data. Errors: bad_type; bad_value when a float is not a whole number.
Result<Dims> integers_of(const Tensor& tensor);

/// The elements of input i where it is constant, else nullopt. Errors: bad_type.
Result<std::optional<Dims>> constant_integers(const InferContext& context, std::size_t i);

/// How many elements input i, a list, has; nullopt when that is not known.
std::optional<std::size_t> known_count(const InferContext& context, std::size_t i);

/// The only element of integer input i. Errors: bad_shape when it has another number of elements.
Result<std::int64_t> integer_scalar(const EvalContext& context, std::size_t i, std::string_view what);

/// The number of elements of `shape`. Errors: bad_value when an extent is negative; limit above kMaxElements, which
/// bounds tensors that repeat one element and therefore need no memory.
Result<std::int64_t> bounded_size(const Dims& shape);
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

/// A dense tensor of zeros, false or "". Errors: limit.
Result<Tensor> zeros(DType dtype, Dims shape);

/// `count` dims of which nothing is known.
inline SymbolicShape unknown_dims(std::size_t count) { return SymbolicShape(count); }

inline SymbolicShape symbolic(const Dims& shape) { return {shape.begin(), shape.end()}; }

/// Input i moved out where this node uses it last; the view that is made of it may then be alone with the memory.
inline Tensor take_tensor(EvalContext& context, std::size_t i) {
  Value value = context.take(i);
  return std::move(value.tensor());
}

}  // namespace pawl::ops
