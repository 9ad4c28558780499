#include "types.h"

#include <array>

namespace pawl::python {

namespace py = pybind11;

namespace {

/// NumPy's numbers of its own types.
enum : int {
  kBool = 0,
  kByte,
  kUByte,
  kShort,
  kUShort,
  kInt,
  kUInt,
  kLong,
  kULong,
  kLongLong,
  kULongLong,
  kFloat,
  kDouble,
  kCFloat = 14,
  kCDouble,
  kObject = 17,
  kBytes,
  kUnicode,
  kHalf = 23,
};

struct Named {
  DType dtype;
  const char* numpy;  ///< as NumPy names it, or ml_dtypes
  bool own;           ///< of NumPy itself
};

constexpr Named kTypes[] = {
    {DType::f32, "float32", true},
    {DType::u8, "uint8", true},
    {DType::i8, "int8", true},
    {DType::u16, "uint16", true},
    {DType::i16, "int16", true},
    {DType::i32, "int32", true},
    {DType::i64, "int64", true},
    {DType::string, "object", true},
    {DType::boolean, "bool", true},
    {DType::f16, "float16", true},
    {DType::f64, "float64", true},
    {DType::u32, "uint32", true},
    {DType::u64, "uint64", true},
    {DType::c64, "complex64", true},
    {DType::c128, "complex128", true},
    {DType::bf16, "bfloat16", false},
    {DType::f8e4m3fn, "float8_e4m3fn", false},
    {DType::f8e4m3fnuz, "float8_e4m3fnuz", false},
    {DType::f8e5m2, "float8_e5m2", false},
    {DType::f8e5m2fnuz, "float8_e5m2fnuz", false},
    {DType::u4, "uint4", false},
    {DType::i4, "int4", false},
    {DType::f4e2m1, "float4_e2m1fn", false},
    {DType::f8e8m0, "float8_e8m0fnu", false},
    {DType::u2, "uint2", false},
    {DType::i2, "int2", false},
    {DType::f6e2m3, "float6_e2m3fn", false},
    {DType::f6e3m2, "float6_e3m2fn", false},
};

/// Bytes with a name: ONNX's way to tell types that NumPy does not have.
py::dtype raw_dtype(DType dtype) {
  const char* bits = size_of(dtype) == 2 ? "uint16" : "uint8";
  const std::string_view field = name(dtype);
  py::dict fields;
  fields[py::str(field.data(), field.size())] = py::make_tuple(py::dtype(bits), 0);
  return py::dtype::from_args(py::make_tuple(py::dtype(bits), fields));
}

class Types {
 public:
  Types() {
    // Not installed, or not for this NumPy: then without.
    auto extra = py::reinterpret_steal<py::object>(PyImport_ImportModule("ml_dtypes"));
    if (!extra) {
      PyErr_Clear();
      extra = py::none();
    }
    for (const Named& row : kTypes) {
      py::dtype& slot = numpy_[static_cast<std::size_t>(row.dtype)];
      if (row.own)
        slot = py::dtype(row.numpy);
      else if (py::hasattr(extra, row.numpy))
        slot = py::dtype::from_args(extra.attr(row.numpy));
      else
        slot = raw_dtype(row.dtype);
    }
  }
  [[nodiscard]] const py::dtype& of(DType dtype) const { return numpy_[static_cast<std::size_t>(dtype)]; }

 private:
  std::array<py::dtype, kDTypeCount> numpy_;
};

/// Never destroyed: the interpreter may be gone by then.
const Types& types() {
  static const auto* const made = new Types;
  return *made;
}

DType by_name(const py::dtype& dtype) {
  const auto name = dtype.attr("name").cast<std::string>();
  for (const Named& row : kTypes)
    if (!row.own && name == row.numpy) return row.dtype;
  return DType::undefined;
}

/// Of bytes with a field: the type that it names.
DType by_field(const py::dtype& dtype) {
  const py::tuple names = dtype.attr("names");
  if (names.size() != 1) return DType::undefined;
  const DType found = dtype_from_name(names[0].cast<std::string>());
  return found != DType::undefined && size_of(found) == static_cast<std::size_t>(dtype.itemsize()) ? found
                                                                                                   : DType::undefined;
}

DType integer_of(bool is_signed, py::ssize_t size) {
  switch (size) {
    case 1: return is_signed ? DType::i8 : DType::u8;
    case 2: return is_signed ? DType::i16 : DType::u16;
    case 4: return is_signed ? DType::i32 : DType::u32;
    default: return is_signed ? DType::i64 : DType::u64;
  }
}

}  // namespace

DType dtype_of_numpy(const py::dtype& dtype) {
  const int number = dtype.num();
  if (number == kFloat) return DType::f32;
  if (dtype.has_fields()) return by_field(dtype);
  if (number >= kByte && number <= kULongLong) return integer_of(number % 2 == 1, dtype.itemsize());
  switch (number) {
    case kBool: return DType::boolean;
    case kDouble: return DType::f64;
    case kHalf: return DType::f16;
    case kCFloat: return DType::c64;
    case kCDouble: return DType::c128;
    case kObject:
    case kBytes:
    case kUnicode: return DType::string;
    default: return by_name(dtype);
  }
}

const py::dtype& numpy_dtype(DType dtype) { return types().of(dtype); }

std::string type_name(const Type& type) {
  const std::string element = type.element != nullptr ? type_name(*type.element) : "";
  switch (type.kind) {
    case Type::Kind::tensor: return "tensor(" + std::string(name(type.dtype)) + ")";
    case Type::Kind::sparse_tensor: return "sparse_tensor(" + std::string(name(type.dtype)) + ")";
    case Type::Kind::sequence: return "seq(" + element + ")";
    case Type::Kind::optional: return "optional(" + element + ")";
    case Type::Kind::map: return "map(" + std::string(name(type.dtype)) + "," + element + ")";
    case Type::Kind::unknown: break;
  }
  return "";
}

}  // namespace pawl::python
