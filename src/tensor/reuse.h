// Memory of tensors that are no longer needed.
#pragma once

#include <vector>

#include "pawl/tensor.h"

namespace pawl {

/// A dense tensor of uninitialised numbers: in the memory of the first of the values that is a dense tensor of this
/// type and size and that nobody else holds, which then is none, else in new memory. `spare` may be null. Errors:
/// limit.
Result<Tensor> take_or_allocate(std::vector<Value>* spare, DType dtype, const Dims& shape);

}  // namespace pawl
