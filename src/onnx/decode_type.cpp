#include "onnx/decode_parts.h"

namespace pawl::onnx {
namespace {

Result<void> read_dtype(Fields& fields, const char* field, DType& dtype) {
  std::int64_t number = 0;
  TRY(fields.read(field, number));
  if (number != 0 && !is_dtype(number))
    return fail(Code::bad_file, "{} {} is not an element type of ONNX", field, number);
  dtype = static_cast<DType>(number);
  return {};
}

/// A negative number stands for an unknown extent, as some exporters write it.
Result<Dim> decode_dim(Fields fields) {
  Dim dim;
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: dim.symbol.clear(); return fields.read("dim_value", dim.value);
      case 2: dim.value = Dim::kUnknown; return fields.read("dim_param", dim.symbol);
      default: return fields.skip();
    }
  }));
  if (dim.value < 0) dim.value = Dim::kUnknown;
  return dim;
}

Result<SymbolicShape> decode_shape(Fields fields) {
  SymbolicShape shape;
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    return number == 1 ? fields.append("dim", "TensorShapeProto.Dimension", shape, decode_dim) : fields.skip();
  }));
  return shape;
}

/// TypeProto.Tensor and TypeProto.SparseTensor, which have the same fields.
Result<Type> decode_tensor_type(Fields fields, Type::Kind kind) {
  Type type;
  type.kind = kind;
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return read_dtype(fields, "elem_type", type.dtype);
      case 2: return fields.read("shape", "TensorShapeProto", type.shape, decode_shape);
      default: return fields.skip();
    }
  }));
  return type;
}

Result<void> read_element(Fields& fields, const char* field, int depth, Type& type) {
  Type element;
  TRY(fields.read(field, "TypeProto", element, [&](Fields sub) { return decode_type(sub, depth + 1); }));
  type.element = std::make_shared<const Type>(std::move(element));
  return {};
}

/// TypeProto.Sequence and TypeProto.Optional, which have the same field.
Result<Type> decode_wrapped_type(Fields fields, Type::Kind kind, int depth) {
  Type type;
  type.kind = kind;
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    return number == 1 ? read_element(fields, "elem_type", depth, type) : fields.skip();
  }));
  return type;
}

Result<Type> decode_map_type(Fields fields, int depth) {
  Type type;
  type.kind = Type::Kind::map;
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return read_dtype(fields, "key_type", type.dtype);
      case 2: return read_element(fields, "value_type", depth, type);
      default: return fields.skip();
    }
  }));
  return type;
}

}  // namespace

Result<Type> decode_type(Fields fields, int depth) {
  if (depth >= kMaxNesting) return fail(Code::limit, "types are nested deeper than {}", kMaxNesting);
  Type type;
  const auto tensor = [](Type::Kind kind) { return [kind](Fields sub) { return decode_tensor_type(sub, kind); }; };
  const auto wrapped = [depth](Type::Kind kind) {
    return [kind, depth](Fields sub) { return decode_wrapped_type(sub, kind, depth); };
  };
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.read("tensor_type", "TypeProto.Tensor", type, tensor(Type::Kind::tensor));
      case 4: return fields.read("sequence_type", "TypeProto.Sequence", type, wrapped(Type::Kind::sequence));
      case 5:
        return fields.read("map_type", "TypeProto.Map", type, [&](Fields sub) { return decode_map_type(sub, depth); });
      case 7: return fail(Code::unsupported, "opaque types are not supported");
      case 8:
        return fields.read("sparse_tensor_type", "TypeProto.SparseTensor", type, tensor(Type::Kind::sparse_tensor));
      case 9: return fields.read("optional_type", "TypeProto.Optional", type, wrapped(Type::Kind::optional));
      default: return fields.skip();
    }
  }));
  return type;
}

}  // namespace pawl::onnx
