// Element types between NumPy and the library.
#pragma once

#include <pybind11/numpy.h>

#include "pawl/type.h"

namespace pawl::python {

/// The element type of an array; undefined where the library has none like it. Objects, str and bytes are strings.
DType dtype_of_numpy(const pybind11::dtype& dtype);

/// NumPy's type for elements of this type: its own, or ml_dtypes' where that is installed, or bytes (uint8, uint16)
/// with the type's name as their only field. Strings are objects.
const pybind11::dtype& numpy_dtype(DType dtype);

/// "tensor(float)", "seq(tensor(int64))", "map(int64,tensor(float))", "optional(tensor(float))".
std::string type_name(const Type& type);

}  // namespace pawl::python
