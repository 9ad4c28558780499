#include <array>
#include <new>

#include "onnx/decode_tensor.h"
#include "onnx/value_kinds.h"

namespace pawl::onnx {
namespace {

Result<Value> decode_any(Fields fields, const Type& type, Source& source, int depth);

const Type& element_of(const Type& type) {
  static const Type kUnknown;
  return type.element ? *type.element : kUnknown;
}

/// The element type for a message of that kind inside a value of type `outer`, where the file's kind and the type may
/// disagree.
Type narrowed(const Type& outer, ValueKind kind) {
  const Type& element = element_of(outer);
  if (kind == ValueKind::sequence) return element.is_sequence() ? element : Type::sequence(Type());
  if (kind == ValueKind::optional) return element.is_optional() ? element : Type::optional(Type());
  return element.is_tensor() ? element : Type::tensor(DType::undefined);
}

/// The values of a SequenceProto or OptionalProto, whose fields have the same numbers, each kind in a list of its own.
struct Contents {
  std::string name;
  std::int64_t kind = 0;
  std::array<std::vector<Value>, kValueKindCount> values;
};

Result<Contents> gather(Fields fields, const Type& type, Source& source, int depth) {
  Contents contents;
  const auto tensor = [&](Fields sub) -> Result<Value> {
    TRY_ASSIGN(NamedTensor named, decode_tensor(sub, source));
    return Value(std::move(named.tensor));
  };
  const auto sparse = [&](Fields sub) -> Result<Value> {
    TRY_ASSIGN(NamedTensor named, decode_sparse_tensor(sub, source));
    return Value(std::move(named.tensor));
  };
  const auto nested = [&](ValueKind kind) {
    return [&, kind](Fields sub) { return decode_any(sub, narrowed(type, kind), source, depth + 1); };
  };
  const auto list = [&](ValueKind kind) -> std::vector<Value>& {
    return contents.values[static_cast<std::size_t>(kind)];
  };
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.read("name", contents.name);
      case 2: return fields.read("elem_type", contents.kind);
      case 3: return fields.append("tensor", "TensorProto", list(ValueKind::tensor), tensor);
      case 4: return fields.append("sparse tensor", "SparseTensorProto", list(ValueKind::sparse_tensor), sparse);
      case 5: return fields.append("sequence", "SequenceProto", list(ValueKind::sequence), nested(ValueKind::sequence));
      case 6: return fail(Code::unsupported, "maps in files are not supported");
      case 7: return fields.append("optional", "OptionalProto", list(ValueKind::optional), nested(ValueKind::optional));
      default: return fields.skip();
    }
  }));
  return contents;
}

/// The values of the one kind that is there. Errors: bad_file, when it is not the kind that the file says.
Result<std::vector<Value>> only_kind(Contents contents) {
  if (contents.kind < 0 || contents.kind >= kValueKindCount)
    return fail(Code::bad_file, "value \"{}\" has elem_type {}, which ONNX does not define", contents.name,
                contents.kind);
  std::size_t found = static_cast<std::size_t>(contents.kind);
  for (std::size_t kind = 1; kind < contents.values.size(); ++kind) {
    if (contents.values[kind].empty()) continue;
    if (found == 0) found = kind;
    if (found != kind) return fail(Code::bad_file, "value \"{}\" holds things of more than one kind", contents.name);
  }
  return std::move(contents.values[found]);
}

Result<Value> decode_sequence(Fields fields, const Type& type, Source& source, int depth) {
  TRY_ASSIGN(Contents contents, gather(fields, type, source, depth));
  const std::string name = contents.name;
  TRY_ASSIGN(std::vector<Value> items, only_kind(std::move(contents)));
  DType element = element_of(type).is_tensor() ? element_of(type).dtype : DType::undefined;
  for (const Value& item : items) {
    if (!item.is_tensor()) break;
    if (element == DType::undefined) element = item.tensor().dtype();
    if (element != item.tensor().dtype())
      return fail(Code::bad_type, "sequence \"{}\" of {} holds a {} tensor", name, pawl::name(element),
                  pawl::name(item.tensor().dtype()));
  }
  return Value(Sequence(element, std::move(items)));
}

Result<Value> decode_optional(Fields fields, const Type& type, Source& source, int depth) {
  TRY_ASSIGN(Contents contents, gather(fields, type, source, depth));
  const std::string name = contents.name;
  TRY_ASSIGN(std::vector<Value> items, only_kind(std::move(contents)));
  if (items.size() > 1) return fail(Code::bad_file, "optional \"{}\" holds {} values", name, items.size());
  return items.empty() ? Value() : std::move(items.front());
}

Result<Value> decode_any(Fields fields, const Type& type, Source& source, int depth) {
  if (depth >= kMaxNesting) return fail(Code::limit, "values are nested deeper than {}", kMaxNesting);
  switch (type.kind) {
    case Type::Kind::sequence: return decode_sequence(fields, type, source, depth);
    case Type::Kind::optional: return decode_optional(fields, type, source, depth);
    case Type::Kind::map: return fail(Code::unsupported, "maps in files are not supported");
    case Type::Kind::sparse_tensor: {
      TRY_ASSIGN(NamedTensor named, decode_sparse_tensor(fields, source));
      return Value(std::move(named.tensor));
    }
    case Type::Kind::tensor:
    case Type::Kind::unknown: break;
  }
  TRY_ASSIGN(NamedTensor named, decode_tensor(fields, source));
  return Value(std::move(named.tensor));
}

const char* message_of(const Type& type) {
  switch (type.kind) {
    case Type::Kind::sequence: return "SequenceProto";
    case Type::Kind::optional: return "OptionalProto";
    case Type::Kind::sparse_tensor: return "SparseTensorProto";
    default: return "TensorProto";
  }
}

}  // namespace

Result<Value> decode_value(const Bytes& bytes, const Type& type) {
  try {
    Source source(bytes, {});
    const std::string_view text(reinterpret_cast<const char*>(bytes.data.data()), bytes.data.size());
    return decode_any(Fields(text, message_of(type)), type, source, 0);
  } catch (const std::bad_alloc&) {
    return fail(Code::limit, "the value does not fit into memory");
  }
}

}  // namespace pawl::onnx
