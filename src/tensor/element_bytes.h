// Memory of callers as elements: not every byte is one.
#pragma once

#include "pawl/tensor.h"

namespace pawl {

/// Errors: bad_value, where a bool or an element under 8 bits has a byte that it cannot have.
Result<void> check_element_bytes(const Tensor& tensor);

}  // namespace pawl
