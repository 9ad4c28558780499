// Static types of graph values: what is known of a value before it is computed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pawl/dims.h"
#include "pawl/dtype.h"

namespace pawl {

/// One extent: a number, a symbol ("batch"), or unknown (neither).
struct Dim {
  static constexpr std::int64_t kUnknown = -1;
  std::int64_t value = kUnknown;
  std::string symbol;

  Dim() = default;
  Dim(std::int64_t extent) : value(extent) {}
  static Dim named(std::string symbol) {
    Dim dim;
    dim.symbol = std::move(symbol);
    return dim;
  }

  [[nodiscard]] bool known() const { return value >= 0; }
  /// The same number, or the same symbol. Two unknown extents are never the same.
  [[nodiscard]] bool same(const Dim& other) const {
    return known() ? value == other.value : !symbol.empty() && !other.known() && symbol == other.symbol;
  }
};

using SymbolicShape = std::vector<Dim>;

/// The type of a value. A tensor without `shape` has an unknown rank; one with dtype undefined an unknown element type.
struct Type {
  enum class Kind : std::uint8_t { unknown, tensor, sequence, optional, map, sparse_tensor };
  Kind kind = Kind::unknown;
  DType dtype = DType::undefined;       ///< tensor, sparse_tensor: element type. map: key type.
  std::optional<SymbolicShape> shape;   ///< tensor, sparse_tensor
  std::shared_ptr<const Type> element;  ///< sequence, optional: element type. map: value type. Null: unknown.

  static Type tensor(DType dtype) {
    Type type;
    type.kind = Kind::tensor;
    type.dtype = dtype;
    return type;
  }
  static Type tensor(DType dtype, SymbolicShape shape) {
    Type type = tensor(dtype);
    type.shape = std::move(shape);
    return type;
  }
  static Type tensor(DType dtype, const Dims& shape) {
    return tensor(dtype, SymbolicShape(shape.begin(), shape.end()));
  }
  static Type sequence(Type element) { return wrap(Kind::sequence, std::move(element)); }
  static Type optional(Type element) { return wrap(Kind::optional, std::move(element)); }
  static Type map(DType key, Type value) {
    Type type = wrap(Kind::map, std::move(value));
    type.dtype = key;
    return type;
  }

  [[nodiscard]] bool is_tensor() const { return kind == Kind::tensor; }
  [[nodiscard]] bool is_sequence() const { return kind == Kind::sequence; }
  [[nodiscard]] bool is_optional() const { return kind == Kind::optional; }
  [[nodiscard]] bool known() const { return kind != Kind::unknown; }
  /// The shape as numbers when every extent is a number.
  [[nodiscard]] std::optional<Dims> static_shape() const;

 private:
  static Type wrap(Kind kind, Type element) {
    Type type;
    type.kind = kind;
    type.element = std::make_shared<const Type>(std::move(element));
    return type;
  }
};

/// ONNX text syntax: "float[N,3]", "float" (a scalar), "float[]" (unknown rank), "seq(int64[?])", "optional(float[2])",
/// "map(int64, float)"; "?" when nothing is known.
std::string to_string(const Type& type);
std::string to_string(const SymbolicShape& shape);

class Value;
/// The type of an actual value, with its real shape; of an empty sequence, what the sequence says of itself.
Type type_of(const Value& value);

}  // namespace pawl
