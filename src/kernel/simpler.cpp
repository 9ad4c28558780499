// Operations that change nothing, and those of constants that are exact.
#include <cmath>

#include "expr/types.h"
#include "kernel/builder.h"
#include "kernel/constant.h"

namespace pawl::kernel {

using expr::Op;

const Constant* Builder::constant_of(Var var) const {
  const auto found = constants_.find(var.index);
  return found == constants_.end() ? nullptr : &found->second;
}

bool Builder::is_float(Var var) const { return expr::is_float(type(var)); }

/// The sign of zero counts.
bool Builder::is_number(Var var, double number) const {
  const Constant* constant = constant_of(var);
  if (constant == nullptr) return false;
  const auto* real = std::get_if<double>(&constant->value);
  return real != nullptr && *real == number && (!is_float(var) || std::signbit(*real) == std::signbit(number));
}

Var Builder::simpler_arithmetic(Op op, Var a, Var b) const {
  // x + 0 takes the sign of a negative zero away.
  const double nothing = is_float(a) ? -0.0 : 0.0;
  switch (op) {
    case Op::add:
      if (is_number(a, nothing)) return b;
      return is_number(b, nothing) ? a : Var{};
    case Op::multiply:
      if (is_number(a, 1)) return b;
      return is_number(b, 1) ? a : Var{};
    case Op::divide: return is_number(b, 1) ? a : Var{};
    case Op::subtract:
    case Op::shift_left:
    case Op::shift_right: return is_number(b, 0.0) ? a : Var{};
    case Op::bit_or:
    case Op::bit_xor:
      if (is_number(a, 0.0)) return b;
      if (is_number(b, 0.0)) return a;
      return op == Op::bit_or && a == b ? a : Var{};
    case Op::bit_and:
    case Op::minimum:
    case Op::maximum: return a == b ? a : Var{};
    default: return {};
  }
}

Var Builder::simpler_cast(Var from, DType to) {
  const Constant* constant = constant_of(from);
  if (constant == nullptr) return {};
  const auto* real = std::get_if<double>(&constant->value);
  if (real == nullptr) return {};
  const bool rounds = to == DType::f32 || to == DType::f64 || to == DType::f16 || to == DType::bf16;
  if (rounds || to == DType::boolean || holds({{}, to, *real})) return this->constant(to, *real);
  return {};
}

Var Builder::simpler(Op op, std::span<const Var> operands, DType to) {
  if (op == Op::cast) return simpler_cast(operands[0], to);
  if (op == Op::pow) return is_number(operands[1], 2) ? compute(Op::multiply, {operands[0], operands[0]}) : Var{};
  if (op == Op::bits) return type(operands[0]) == to ? operands[0] : Var{};
  if (op == Op::select) {
    if (operands[1] == operands[2]) return operands[1];
    if (constant_of(operands[0]) == nullptr) return {};
    return is_number(operands[0], 0.0) ? operands[2] : operands[1];
  }
  return operands.size() == 2 ? simpler_arithmetic(op, operands[0], operands[1]) : Var{};
}

}  // namespace pawl::kernel
