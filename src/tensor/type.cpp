#include "pawl/type.h"

#include "pawl/tensor.h"

namespace pawl {

std::optional<Dims> Type::static_shape() const {
  if (!shape) return std::nullopt;
  Dims dims;
  for (const Dim& dim : *shape) {
    if (!dim.known()) return std::nullopt;
    dims.push_back(dim.value);
  }
  return dims;
}

std::string to_string(const SymbolicShape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    const Dim& dim = shape[i];
    text += dim.known() ? std::to_string(dim.value) : dim.symbol.empty() ? "?" : dim.symbol;
  }
  return text + "]";
}

std::string to_string(const Type& type) {
  const std::string inner = type.element ? to_string(*type.element) : "?";
  switch (type.kind) {
    case Type::Kind::unknown: return "?";
    case Type::Kind::sequence: return "seq(" + inner + ")";
    case Type::Kind::optional: return "optional(" + inner + ")";
    case Type::Kind::map: return "map(" + std::string(name(type.dtype)) + ", " + inner + ")";
    case Type::Kind::tensor:
    case Type::Kind::sparse_tensor: break;
  }
  std::string text = type.dtype == DType::undefined ? "?" : std::string(name(type.dtype));
  if (!type.shape)
    text += "[]";
  else if (!type.shape->empty())
    text += to_string(*type.shape);
  return type.kind == Type::Kind::sparse_tensor ? "sparse_tensor(" + text + ")" : text;
}

Type type_of(const Value& value) {
  if (value.is_tensor()) {
    const Tensor& tensor = value.tensor();
    return tensor.defined() ? Type::tensor(tensor.dtype(), tensor.shape()) : Type{};
  }
  if (value.is_sequence()) {
    const Sequence& sequence = value.sequence();
    if (sequence.size() > 0) {
      Type element = type_of(sequence[0]);
      for (const Value& item : sequence.items()) {
        if (!item.is_tensor() || !element.is_tensor() || !element.shape) continue;
        const Dims& shape = item.tensor().shape();
        if (shape.size() != element.shape->size())
          element.shape.reset();
        else
          for (std::size_t i = 0; i < shape.size(); ++i)
            if ((*element.shape)[i].value != shape[i]) (*element.shape)[i] = Dim();
      }
      return Type::sequence(std::move(element));
    }
    return Type::sequence(sequence.element() == DType::undefined ? Type{} : Type::tensor(sequence.element()));
  }
  if (value.is_map()) return Type::map(value.map().keys.dtype(), Type::tensor(value.map().values.dtype(), Dims{}));
  return Type::optional(Type{});
}

}  // namespace pawl
