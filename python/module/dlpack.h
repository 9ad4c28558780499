// Tensors of other frameworks through DLPack, the exchange format of Python's array libraries
// (https://dmlc.github.io/dlpack/latest/), version 0 of its struct.
#pragma once

#include <pybind11/pybind11.h>

#include "pawl/tensor.h"

namespace pawl::python {

bool has_dlpack(pybind11::handle object);

/// A view of the object's memory, which is held until the last view is gone. Raises BadArgument for memory of a device,
/// BadType for element types that the library does not have.
Tensor tensor_from_dlpack(pybind11::handle object);

}  // namespace pawl::python
