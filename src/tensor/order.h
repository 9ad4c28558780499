// The order in which a tensor's axes lie in memory.
#pragma once

#include <vector>

#include "pawl/tensor.h"

namespace pawl {

/// A view with the axes in another order, the outermost first: axis i of it is axis order[i].
Tensor in_order(const Tensor& tensor, const std::vector<std::size_t>& order);
/// The inverse: order[i] of it is axis i.
Tensor from_order(const Tensor& tensor, const std::vector<std::size_t>& order);

/// The axes as they lie in memory, the outermost first; empty where that is the order they have, and where places
/// coincide or axes are reversed.
std::vector<std::size_t> order_in_memory(const Tensor& tensor);

/// New memory for a tensor whose axes lie in that order, without gaps; empty: in the order they have. Errors: limit.
Result<Tensor> allocate_in_order(DType dtype, const Dims& shape, const std::vector<std::size_t>& order);

}  // namespace pawl
