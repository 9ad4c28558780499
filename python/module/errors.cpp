#include "errors.h"

namespace pawl::python {

namespace py = pybind11;

void raise(Code code, const std::string& message) { raise(Error{code, message, {}}); }

void raise(const Error& error) {
  // Names come from files and may be any bytes.
  const std::string message = error.to_string();
  const std::string_view code = name(error.code);
  const auto text = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  const py::object exception =
      py::module_::import("pawl._errors").attr("exception_of")(py::str(code.data(), code.size()), text);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw py::error_already_set();
}

std::string words_of(py::error_already_set& raised) { return py::str(raised.value()).cast<std::string>(); }

}  // namespace pawl::python
