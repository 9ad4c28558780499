// From the library to Python.
#include "errors.h"
#include "types.h"
#include "values.h"

namespace pawl::python {

namespace py = pybind11;

namespace {

py::object string_object(const std::string& bytes) {
  auto text = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
  if (!text) throw py::error_already_set();
  return text;
}

py::object strings_array(const Tensor& tensor) {
  py::array array(numpy_dtype(DType::string), py::array::ShapeContainer(tensor.shape().begin(), tensor.shape().end()));
  auto** slots = static_cast<PyObject**>(array.mutable_data());
  for (const std::string& string : tensor.values<std::string>()) {
    PyObject* before = *slots;
    *slots++ = string_object(string).release().ptr();
    Py_XDECREF(before);
  }
  return array;
}

/// The elements of a tensor of shape [n] as Python's own objects.
py::list list_of(const Tensor& tensor) { return to_python(value_of(tensor.to_dense())).attr("tolist")(); }

}  // namespace

py::object to_python(Tensor tensor) {
  if (!tensor.defined()) return py::none();
  if (tensor.dtype() == DType::string) return strings_array(value_of(tensor.to_dense()));
  const py::dtype& dtype = numpy_dtype(tensor.dtype());
  const auto width = static_cast<py::ssize_t>(size_of(tensor.dtype()));
  py::array::ShapeContainer shape(tensor.shape().begin(), tensor.shape().end());
  py::array::StridesContainer strides(tensor.strides().begin(), tensor.strides().end());
  for (py::ssize_t& stride : *strides) stride *= width;
  auto owned = std::make_unique<Tensor>(std::move(tensor));
  const void* data = owned->bytes();
  const py::capsule keeper(owned.get(), [](void* held) { delete static_cast<Tensor*>(held); });
  static_cast<void>(owned.release());
  return py::array(dtype, std::move(shape), std::move(strides), data, keeper);
}

py::object to_python(Value value) {
  if (value.is_tensor()) return to_python(std::move(value.tensor()));
  if (value.is_sequence()) {
    py::list items;
    for (const Value& item : value.sequence().items()) items.append(to_python(item));
    return items;
  }
  if (value.is_map()) {
    const py::list keys = list_of(value.map().keys);
    const py::list values = list_of(value.map().values);
    py::dict dict;
    for (std::size_t i = 0; i < keys.size(); ++i) dict[keys[i]] = values[i];
    return dict;
  }
  return py::none();
}

}  // namespace pawl::python
