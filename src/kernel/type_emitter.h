// Scalar operations that are only asked for their types.
#pragma once

#include "expr/emitter.h"

namespace pawl::kernel {

class TypeEmitter final : public expr::Emitter {
 public:
  expr::Value constant(DType dtype, double) override { return add(dtype); }
  expr::Value apply(expr::Op op, std::span<const expr::Value> operands, DType to) override {
    has_function_ = has_function_ || expr::facts_of(op).is_function;
    std::vector<DType> types;
    for (const expr::Value each : operands) types.push_back(type_of(each));
    return add(expr::result_type(op, types, to));
  }
  [[nodiscard]] DType type_of(expr::Value value) const override { return types_[value.index]; }
  expr::Value add(DType dtype) {
    types_.push_back(dtype);
    return {static_cast<std::uint32_t>(types_.size() - 1)};
  }
  /// Whether a formula of several operations was asked for: exp or the like.
  [[nodiscard]] bool has_function() const { return has_function_; }

 private:
  std::vector<DType> types_;
  bool has_function_ = false;
};

}  // namespace pawl::kernel
