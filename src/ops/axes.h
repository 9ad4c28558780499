// Axis numbers of attributes and inputs, checked against a rank.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/try.h"
#include "pawl/tensor.h"
#include "pawl/type.h"

namespace pawl::ops {

/// `axis` counted from the front; negative ones count from the back. Errors: bad_shape, naming the allowed range.
Result<std::size_t> resolve_axis(std::int64_t axis, std::size_t rank);

/// One flag per axis of a tensor of that rank, true for those listed. Errors: bad_shape when out of range or listed twice.
Result<std::vector<bool>> mark_axes(std::span<const std::int64_t> axes, std::size_t rank);

/// All elements of an int64 or int32 tensor of any strides, in row-major order. Errors: bad_type, limit.
Result<Dims> integers_of(const Tensor& tensor);

/// Product of extents[from … to); unknown when one of them is. Errors: limit, when it passes int64.
Result<Dim> product_of(std::span<const Dim> extents);

/// numpy's rule for one axis, as far as it is known: an extent of 1 stretches; nullopt when the two contradict each other.
std::optional<Dim> broadcast_dim(const Dim& a, const Dim& b);

/// The extent on which two values must agree, as far as it is known; nullopt when they contradict each other.
std::optional<Dim> agree_dim(const Dim& a, const Dim& b);

}  // namespace pawl::ops
