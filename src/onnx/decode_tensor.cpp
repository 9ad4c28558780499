#include "onnx/decode_tensor.h"

#include "onnx/tensor_data.h"
#include "tensor/walk.h"

namespace pawl::onnx {
namespace {

/// A TensorProto as the file has it.
struct TensorFields {
  std::string name;
  std::vector<std::int64_t> dims;
  std::int64_t data_type = 0;
  TypedData typed;
  std::optional<std::string_view> raw;
  std::int64_t data_location = 0;  // 1: external
  ExternalData external;
  bool has_segment = false;
};

Result<void> read_external(Fields& fields, ExternalData& place) {
  std::string_view bytes;
  TRY(fields.read("external_data", bytes));
  Fields entry(bytes, "StringStringEntryProto");
  std::string key;
  std::string value;
  TRY(entry.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return entry.read("key", key);
      case 2: return entry.read("value", value);
      default: return entry.skip();
    }
  }));
  if (key == "location") place.location = std::move(value);
  if (key == "offset") place.offset = std::move(value);
  if (key == "length") place.length = std::move(value);
  return {};
}

Result<TensorFields> gather(Fields fields) {
  TensorFields tensor;
  TypedData& typed = tensor.typed;
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.read("dims", tensor.dims);
      case 2: return fields.read("data_type", tensor.data_type);
      case 3: tensor.has_segment = true; return fields.skip();
      case 4: return fields.read("float_data", Scalar::fixed32, typed.floats);
      case 5: return fields.read("int32_data", Scalar::varint, typed.int32s);
      case 6: return fields.read("string_data", typed.strings.emplace_back());
      case 7: return fields.read("int64_data", Scalar::varint, typed.int64s);
      case 8: return fields.read("name", tensor.name);
      case 9: return fields.read("raw_data", tensor.raw.emplace());
      case 10: return fields.read("double_data", Scalar::fixed64, typed.doubles);
      case 11: return fields.read("uint64_data", Scalar::varint, typed.uint64s);
      case 13: return read_external(fields, tensor.external);
      case 14: return fields.read("data_location", tensor.data_location);
      default: return fields.skip();
    }
  }));
  return tensor;
}

Result<TensorHead> head_of(const TensorFields& fields) {
  TensorHead head;
  head.name = fields.name;
  if (!is_dtype(fields.data_type)) {
    return fail(Code::bad_file, "tensor \"{}\" has data_type {}, which {}", fields.name, fields.data_type,
                fields.data_type == 0 ? "means none" : "is not an element type of ONNX");
  }
  head.dtype = static_cast<DType>(fields.data_type);
  TRY_ASSIGN(head.shape, checked_shape(fields.name, fields.dims));
  head.count = static_cast<std::size_t>(*checked_size(head.shape));
  return head;
}

Result<Tensor> elements_of(const TensorFields& fields, const TensorHead& head, Source& source) {
  if (fields.has_segment)
    return fail(Code::unsupported, "tensor \"{}\" is stored in segments, which is not supported", head.name);
  if (fields.data_location == 1) {
    if ((fields.raw && !fields.raw->empty()) || !fields.typed.empty())
      return fail(Code::bad_file, "tensor \"{}\" has data of its own besides its external data", head.name);
    return tensor_from_external(head, fields.external, source);
  }
  if (fields.data_location != 0)
    return fail(Code::bad_file, "tensor \"{}\" has data_location {}, which ONNX does not define", head.name,
                fields.data_location);
  const bool has_raw = fields.raw && !fields.raw->empty();
  if (has_raw && !fields.typed.empty())
    return fail(Code::bad_file, "tensor \"{}\" has both raw_data and typed data", head.name);
  // An empty raw_data counts only where it says something: for no elements, or to say that there are too few.
  if (has_raw || (fields.raw && fields.typed.empty() && head.dtype != DType::string))
    return tensor_from_raw(head, *fields.raw, source.owner(), source);
  return tensor_from_typed(head, fields.typed, source);
}

}  // namespace

Result<NamedTensor> decode_tensor(Fields fields, Source& source) {
  TRY_ASSIGN(TensorFields tensor, gather(fields));
  TRY_ASSIGN(const TensorHead head, head_of(tensor));
  NamedTensor result;
  TRY_ASSIGN(result.tensor, elements_of(tensor, head, source));
  if (tensor.raw) source.passed(*tensor.raw);
  result.name = std::move(tensor.name);
  if (tensor.data_location == 1) result.external_location = std::move(tensor.external.location);
  return result;
}

}  // namespace pawl::onnx
