#include <new>

#include "onnx/encode_tensor.h"
#include "onnx/value_kinds.h"
#include "onnx/write.h"

namespace pawl::onnx {
namespace {

ValueKind kind_of(const Type& type) {
  switch (type.kind) {
    case Type::Kind::sequence: return ValueKind::sequence;
    case Type::Kind::optional: return ValueKind::optional;
    default: return ValueKind::tensor;
  }
}

/// The kind of what is inside a sequence or optional: as the type says, else as the value shows.
ValueKind element_kind(const Type& type, const Value* value) {
  if (type.element && type.element->known()) return kind_of(*type.element);
  return value != nullptr && value->is_sequence() ? ValueKind::sequence : ValueKind::tensor;
}

/// SequenceProto and OptionalProto have the fields of one kind at the same number.
std::uint32_t field_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::sequence: return 5;
    case ValueKind::optional: return 7;
    default: return 3;
  }
}

Result<void> write_value(std::string& bytes, pbf_writer& message, const Value& value, const Type& type,
                         const std::string& name);

Result<void> write_items(std::string& bytes, pbf_writer& message, std::span<const Value> items, const Type& type,
                         const std::string& name) {
  const ValueKind kind = element_kind(type, items.empty() ? nullptr : &items.front());
  if (!name.empty()) message.add_string(1, name);
  message.add_enum(2, static_cast<std::int32_t>(kind));
  const Type element = type.element ? *type.element : Type();
  const Type inner = element.known() || kind != ValueKind::sequence ? element : Type::sequence(Type());
  for (const Value& item : items) {
    TRY(write_message(bytes, message, field_of(kind),
                      [&](pbf_writer& sub) { return write_value(bytes, sub, item, inner, ""); }));
  }
  return {};
}

Result<void> write_value(std::string& bytes, pbf_writer& message, const Value& value, const Type& type,
                         const std::string& name) {
  if (value.is_map() || type.kind == Type::Kind::map || type.kind == Type::Kind::sparse_tensor)
    return fail(Code::unsupported,
                "value \"{}\" of type {} cannot be written: only tensors, sequences and optionals can", name,
                to_string(type));
  if (type.is_optional()) {
    const std::size_t count = value.is_none() ? 0 : 1;
    return write_items(bytes, message, std::span<const Value>(&value, count), type, name);
  }
  if (type.is_sequence() && value.is_sequence())
    return write_items(bytes, message, value.sequence().items(), type, name);
  if (!type.is_sequence() && value.is_tensor()) return encode_tensor(bytes, message, value.tensor(), name);
  return fail(Code::bad_type, "value \"{}\" is {} and cannot be written as {}", name, describe(value), to_string(type));
}

}  // namespace

Result<std::string> encode_value(const Value& value, const Type& type, const std::string& name) {
  try {
    std::string bytes;
    pbf_writer message(bytes);
    TRY(write_value(bytes, message, value, type, name));
    return bytes;
  } catch (const std::bad_alloc&) {
    return fail(Code::limit, "the encoded value does not fit into memory");
  }
}

}  // namespace pawl::onnx
