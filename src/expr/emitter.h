// Where scalar operations go: a kernel that is being built, or whatever else understands them.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "expr/op.h"

namespace pawl::expr {

/// A value of whoever emits it.
struct Value {
  std::uint32_t index = UINT32_MAX;
};

class Emitter {
 public:
  virtual ~Emitter() = default;
  /// A float, or an integer that a double holds, or 0 and 1 of boolean.
  virtual Value constant(DType dtype, double value) = 0;
  /// Operands as facts_of(op) and result_type() say; `to` is the type that cast and bits give.
  virtual Value apply(Op op, std::span<const Value> operands, DType to) = 0;
  [[nodiscard]] virtual DType type_of(Value value) const = 0;

  Value apply(Op op, std::initializer_list<Value> operands) { return apply(op, std::vector<Value>(operands)); }
  Value apply(Op op, const std::vector<Value>& operands) {
    return apply(op, std::span<const Value>(operands), DType::undefined);
  }
  Value cast(Value value, DType to) {
    const Value operands[] = {value};
    return type_of(value) == to ? value : apply(Op::cast, operands, to);
  }
};

}  // namespace pawl::expr
