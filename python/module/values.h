// Values between Python and the library.
#pragma once

#include <pybind11/numpy.h>

#include "pawl/model.h"
#include "pawl/tensor.h"

namespace pawl::python {

/// What a run is given. Arrays are viewed, where their layout allows, and held in `kept`, which must outlive the value.
/// Raises BadType for objects that are no value of the port's kind, BadValue for bytes that are no bool.
Value to_value(pybind11::handle object, const Port& port, pybind11::list& kept);

/// A tensor as an array that shares its memory and keeps it; sequences as lists, maps as dicts, none as None. Strings
/// are copied into arrays of objects.
pybind11::object to_python(Value value);
pybind11::object to_python(Tensor tensor);

}  // namespace pawl::python
