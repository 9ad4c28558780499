// The standard's own facts about every operator in every version: arity, formal parameters, attributes, element types.
// The tables behind are generated from the schema list by tools/make_schemas.py.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "pawl/type.h"

namespace pawl::ops {

/// A set of value types. Bit n of a mask is DType n.
struct TypeSet {
  std::uint32_t tensor = 0;
  std::uint32_t sequence = 0;           ///< seq(tensor(…))
  std::uint32_t optional_tensor = 0;    ///< optional(tensor(…))
  std::uint32_t optional_sequence = 0;  ///< optional(seq(tensor(…)))
  bool map = false;                     ///< map(…) and seq(map(…))

  /// True when a value of `type` may stand here; what is unknown in `type` is given the benefit of the doubt.
  [[nodiscard]] bool admits(const Type& type) const;
};

enum class Occurs : std::uint8_t { single, optional, variadic };

struct Parameter {
  std::string_view name;
  std::string_view
      variable;  ///< type variable ("T"); parameters with the same one have the same type; "" for a fixed type
  TypeSet types;
  Occurs occurs = Occurs::single;
  bool heterogeneous = false;  ///< variadic, each value with a type of its own
};

enum class AttributeKind : std::uint8_t {
  real,
  integer,
  text,
  tensor,
  graph,
  type,
  sparse_tensor,
  reals,
  integers,
  texts,
  tensors
};

struct AttributeSpec {
  std::string_view name;
  AttributeKind kind;
  bool required = false;
};

struct Schema {
  std::string_view domain;
  std::string_view name;
  int since = 1;
  bool deprecated = false;
  std::uint32_t min_inputs = 0;
  std::uint32_t max_inputs = 0;  ///< 0x7fffffff: no bound
  std::uint32_t min_outputs = 0;
  std::uint32_t max_outputs = 0;
  std::span<const Parameter> inputs;
  std::span<const Parameter> outputs;
  std::span<const AttributeSpec> attributes;

  /// The formal parameter of actual argument i: the last one repeats when it is variadic; null past the end.
  [[nodiscard]] const Parameter* input(std::size_t i) const;
  [[nodiscard]] const Parameter* output(std::size_t i) const;
  [[nodiscard]] const AttributeSpec* attribute(std::string_view attribute_name) const;
};

/// The newest opset of domain "" that the tables know.
inline constexpr int kNewestOpset = 28;

/// The schema in force for a model that imports `opset` of `domain`: the greatest since <= opset; null when there is
/// none.
const Schema* find_schema(std::string_view domain, std::string_view name, std::int64_t opset);
/// Every schema, sorted by domain, name, since.
std::span<const Schema> all_schemas();

}  // namespace pawl::ops
