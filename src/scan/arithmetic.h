// Short names for emitting arithmetic, for the definitions of recurrence classes.
#pragma once

#include "base/try.h"
#include "graph/builder.h"

namespace pawl::scan {

/// Emits operators and remembers the first failure: later values are then invalid, and `status` says why.
class Arithmetic {
 public:
  explicit Arithmetic(graph::Builder& to) : to_(to) {}

  using V = graph::ValueId;
  V call(std::string_view op, std::vector<V> inputs, std::vector<ops::Attribute> attributes = {}) {
    for (const V input : inputs)
      if (!input.valid() && !status_.ok()) return {};
    if (!status_.ok()) return {};
    Result<std::vector<V>> made =
        to_.call(op, std::move(attributes), std::move(inputs), "m" + std::to_string(to_.graph().values.size()));
    if (made.ok()) return (*made)[0];
    status_ = std::move(made).error();
    return {};
  }
  V add(V a, V b) { return call("Add", {a, b}); }
  V sub(V a, V b) { return call("Sub", {a, b}); }
  V mul(V a, V b) { return call("Mul", {a, b}); }
  V div(V a, V b) { return call("Div", {a, b}); }
  V neg(V a) { return call("Neg", {a}); }
  V max(V a, V b) { return call("Max", {a, b}); }
  V min(V a, V b) { return call("Min", {a, b}); }
  V where(V c, V a, V b) { return call("Where", {c, a, b}); }
  V matmul(V a, V b) { return call("MatMul", {a, b}); }
  /// A list of axes, places or extents.
  V integers(const std::vector<std::int64_t>& list) { return to_.add_integers(list, "list"); }
  graph::Builder& builder() { return to_; }
  /// A scalar of that type. Errors: bad_type, for types that hold no numbers.
  V constant(DType dtype, double value);

  [[nodiscard]] const Result<void>& status() const { return status_; }
  /// The tuple, or the first failure.
  [[nodiscard]] Result<std::vector<V>> done(std::vector<V> tuple) const {
    if (!status_.ok()) return status_.error();
    return tuple;
  }

 private:
  graph::Builder& to_;
  Result<void> status_;
};

}  // namespace pawl::scan
