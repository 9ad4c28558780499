#include "ops/schema.h"

#include <algorithm>
#include <tuple>

namespace pawl::ops {
namespace {

#include "ops/schema_tables.inc"

const Parameter* at(std::span<const Parameter> parameters, std::size_t i) {
  if (i < parameters.size()) return &parameters[i];
  if (parameters.empty() || parameters.back().occurs != Occurs::variadic) return nullptr;
  return &parameters.back();
}

/// The mask's bit for an element type; an unknown element type passes whenever the mask has any.
bool has(std::uint32_t mask, DType dtype) {
  return dtype == DType::undefined ? mask != 0 : ((mask >> static_cast<unsigned>(dtype)) & 1U) != 0;
}

DType element_dtype(const Type& type) { return type.element ? type.element->dtype : DType::undefined; }

bool is_sequence_of_maps(const Type& type) {
  return type.is_sequence() && type.element && type.element->kind == Type::Kind::map;
}

}  // namespace

bool TypeSet::admits(const Type& type) const {
  switch (type.kind) {
    case Type::Kind::unknown: return true;
    case Type::Kind::tensor: return has(tensor, type.dtype);
    case Type::Kind::sequence:
      return is_sequence_of_maps(type) ? map : has(sequence, element_dtype(type)) || (map && !type.element);
    case Type::Kind::map: return map;
    case Type::Kind::sparse_tensor: return false;
    case Type::Kind::optional: break;
  }
  if (!type.element || !type.element->known()) return (optional_tensor | optional_sequence) != 0;
  if (type.element->is_sequence()) return has(optional_sequence, element_dtype(*type.element));
  return has(optional_tensor, type.element->dtype);
}

const Parameter* Schema::input(std::size_t i) const { return at(inputs, i); }
const Parameter* Schema::output(std::size_t i) const { return at(outputs, i); }

const AttributeSpec* Schema::attribute(std::string_view attribute_name) const {
  for (const AttributeSpec& spec : attributes)
    if (spec.name == attribute_name) return &spec;
  return nullptr;
}

std::span<const Schema> all_schemas() { return kSchemas; }

const Schema* find_schema(std::string_view domain, std::string_view name, std::int64_t opset) {
  if (domain == "ai.onnx") domain = "";
  // The last row that is not after (domain, name, opset).
  const auto after =
      std::upper_bound(std::begin(kSchemas), std::end(kSchemas), std::tuple(domain, name, opset),
                       [](const auto& key, const Schema& row) {
                         return key < std::tuple(row.domain, row.name, static_cast<std::int64_t>(row.since));
                       });
  if (after == std::begin(kSchemas)) return nullptr;
  const Schema& row = *(after - 1);
  return row.domain == domain && row.name == name ? &row : nullptr;
}

}  // namespace pawl::ops
