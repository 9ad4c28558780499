// Concatenation, for the operators that end in it.
#pragma once

#include <span>

#include "pawl/tensor.h"

namespace pawl::ops {

/// The parts side by side along `axis`, which must be an axis of the first (there is one at least), in the order in
/// memory that the largest one has. One part alone is itself. Errors: bad_shape, limit.
Result<Tensor> concat(std::span<const Tensor> parts, std::size_t axis);

}  // namespace pawl::ops
