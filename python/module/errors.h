// Errors of the library as Python's exceptions.
#pragma once

#include <pybind11/pybind11.h>

#include "pawl/error.h"

namespace pawl::python {

/// Raises the exception of pawl.Error's family that stands for the code.
[[noreturn]] void raise(const Error& error);
[[noreturn]] void raise(Code code, const std::string& message);

/// The value, or the error as an exception.
template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) raise(result.error());
  return std::move(result).value();
}
inline void value_of(const Result<void>& result) {
  if (!result.ok()) raise(result.error());
}

/// The exception that is being raised as words, which it no longer is.
std::string words_of(pybind11::error_already_set& raised);

}  // namespace pawl::python
