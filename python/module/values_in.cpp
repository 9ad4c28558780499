// From Python to the library.
#include "dlpack.h"
#include "errors.h"
#include "tensor/element_bytes.h"
#include "types.h"
#include "values.h"

namespace pawl::python {

namespace py = pybind11;

namespace {

constexpr int kObject = 17;

/// "input "x": …"
std::string at(const Port& port, const std::string& words) { return "input \"" + port.name + "\": " + words; }

std::string class_of(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

[[noreturn]] void refuse(const Port& port, py::handle object) {
  raise(Code::bad_type, at(port, "expected " + to_string(port.type) + ", found an object of type " + class_of(object)));
}

std::string string_of(const Port& port, py::handle item) {
  if (PyUnicode_Check(item.ptr())) {
    const auto bytes =
        py::reinterpret_steal<py::object>(PyUnicode_AsEncodedString(item.ptr(), "utf-8", "surrogateescape"));
    if (!bytes) throw py::error_already_set();
    return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
  }
  if (PyBytes_Check(item.ptr()))
    return {PyBytes_AS_STRING(item.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(item.ptr()))};
  raise(Code::bad_type, at(port, "strings are str or bytes, not " + class_of(item)));
}

Tensor strings_of(const Port& port, py::array array) {
  if (array.dtype().num() != kObject) array = array.attr("astype")(py::dtype("object"));
  const py::list items = array.attr("ravel")().attr("tolist")();
  Tensor tensor = value_of(Tensor::allocate(
      DType::string, Dims(std::span<const std::int64_t>(array.shape(), static_cast<std::size_t>(array.ndim())))));
  std::size_t i = 0;
  for (std::string& string : tensor.mutable_values<std::string>()) string = string_of(port, items[i++]);
  return tensor;
}

bool is_native(const py::dtype& dtype) { return dtype.byteorder() != '>'; }

/// Strides in elements; false where they are no multiples of an element.
bool strides_of(const py::array& array, Dims& strides) {
  const py::ssize_t width = array.itemsize();
  strides.resize(static_cast<std::size_t>(array.ndim()));
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (array.strides()[axis] % width != 0) return false;
    strides[axis] = array.strides()[axis] / width;
  }
  return true;
}

Tensor view_array(const Port& port, py::array array, py::list& kept) {
  DType dtype = dtype_of_numpy(array.dtype());
  if (dtype == DType::undefined)
    raise(Code::bad_type, at(port, "expected " + to_string(port.type) + ", found an array of " +
                                       py::str(array.dtype()).cast<std::string>()));
  if (dtype == DType::string) return strings_of(port, std::move(array));
  Dims strides;
  if (!is_native(array.dtype())) array = array.attr("astype")(array.dtype().attr("newbyteorder")("="));
  if (!strides_of(array, strides)) {
    array = py::array(array.attr("copy")());
    strides_of(array, strides);
  }
  kept.append(array);
  const auto rank = static_cast<std::size_t>(array.ndim());
  Tensor tensor = Tensor::borrow(dtype, Dims(std::span<const std::int64_t>(array.shape(), rank)), array.data());
  if (!(tensor.strides() == strides)) tensor = tensor.view(tensor.shape(), std::move(strides));
  if (size_of(dtype) == 1)
    if (const Result<void> fits = check_element_bytes(tensor); !fits.ok())
      raise(fits.error().code, at(port, fits.error().message));
  return tensor;
}

/// The type of the tensors in a value of this type; null where there are none.
const Type* tensor_type(const Type& type) {
  if (type.is_tensor()) return &type;
  if (type.is_optional() && type.element != nullptr) return tensor_type(*type.element);
  return nullptr;
}

/// Numbers and strings, and lists of them, of the port's element type.
Tensor convert(const Port& port, py::handle object, py::list& kept) {
  const Type* declared = tensor_type(port.type);
  if (declared == nullptr || declared->dtype == DType::undefined) refuse(port, object);
  try {
    const py::object array =
        py::module_::import("numpy").attr("array")(object, py::arg("dtype") = numpy_dtype(declared->dtype));
    return view_array(port, array, kept);
  } catch (py::error_already_set& raised) {
    if (!raised.matches(PyExc_ValueError) && !raised.matches(PyExc_TypeError) && !raised.matches(PyExc_OverflowError))
      throw;
    if (py::hasattr(raised.value(), "code")) throw;
    raise(raised.matches(PyExc_TypeError) ? Code::bad_type : Code::bad_value,
          at(port, "expected " + to_string(port.type) + ": " + words_of(raised)));
  }
}

Port item_port(const Port& port) {
  Port item = port;
  item.type = port.type.element != nullptr ? *port.type.element : Type();
  return item;
}

Value sequence_of(const Port& port, py::handle object, py::list& kept) {
  const Port item = item_port(port);
  std::vector<Value> items;
  for (const py::handle each : py::reinterpret_borrow<py::iterable>(object))
    items.push_back(to_value(each, item, kept));
  DType element = item.type.is_tensor() ? item.type.dtype : DType::undefined;
  return Sequence(element, std::move(items));
}

/// The dict's keys in ascending order with their values, as two tensors of shape [n].
Value map_of(const Port& port, py::handle object, py::list& kept) {
  const auto dict = py::reinterpret_borrow<py::dict>(object);
  const py::list keys = py::module_::import("builtins").attr("sorted")(dict);
  py::list values;
  for (const py::handle key : keys) values.append(dict[key]);
  Port part = port;
  const DType key_type = port.type.dtype != DType::undefined ? port.type.dtype : DType::i64;
  part.type = Type::tensor(key_type, Dims{static_cast<std::int64_t>(keys.size())});
  Tensor key = convert(part, keys, kept);
  const Type* declared = port.type.element != nullptr ? tensor_type(*port.type.element) : nullptr;
  part.type = Type::tensor(declared != nullptr ? declared->dtype : DType::f32);
  return Map{value_of(key.clone()), value_of(convert(part, values, kept).clone())};
}

bool is_kind(const Type& type, Type::Kind kind) {
  return type.kind == kind || (type.is_optional() && type.element != nullptr && is_kind(*type.element, kind));
}

const Type& without_optional(const Type& type) {
  return type.is_optional() && type.element != nullptr ? without_optional(*type.element) : type;
}

bool is_number(py::handle object) {
  return PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr()) || PyComplex_Check(object.ptr()) ||
         PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr());
}

}  // namespace

Value to_value(py::handle object, const Port& port, py::list& kept) {
  if (py::isinstance<py::array>(object)) return view_array(port, py::reinterpret_borrow<py::array>(object), kept);
  if (object.is_none()) return {};
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) {
    Port inner = port;
    inner.type = without_optional(port.type);
    return is_kind(port.type, Type::Kind::sequence) ? sequence_of(inner, object, kept) : convert(port, object, kept);
  }
  if (PyDict_Check(object.ptr())) {
    if (!is_kind(port.type, Type::Kind::map)) refuse(port, object);
    return map_of(port, object, kept);
  }
  if (is_number(object)) return convert(port, object, kept);
  // NumPy's scalars have a type of their own.
  if (py::hasattr(object, "dtype") && py::hasattr(object, "__array__") && !has_dlpack(object))
    return view_array(port, object.attr("__array__")(), kept);
  if (has_dlpack(object)) {
    try {
      return tensor_from_dlpack(object);
    } catch (py::error_already_set& raised) {
      if (py::hasattr(raised.value(), "code")) throw;
      raise(Code::bad_argument, at(port, words_of(raised)));
    }
  }
  refuse(port, object);
}

}  // namespace pawl::python
