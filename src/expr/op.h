// Scalar operations: what one lane computes. The second half of the language of kernels; the first, loops and memory,
// is in kernel/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "pawl/dtype.h"

namespace pawl::expr {

/// Operands have one type, and so has the result, where nothing else is said. Types: f32, f64, the integers, boolean.
/// 16-bit floats are only cast: they are stored, and computed with as f32.
enum class Op : std::uint8_t {
  // numbers; integers wrap
  add,
  subtract,
  multiply,
  divide,    ///< floats; integers where the divisor is a constant other than 0: toward zero, the lowest by -1 is itself
  fma,       ///< a * b + c, rounded once; floats
  negate,    ///< floats: the sign bit flips, of NaN too
  absolute,  ///< integers: the lowest stays
  minimum,   ///< NaN if an operand is NaN; of equal ones the first
  maximum,
  // floats
  sqrt,
  floor,
  ceil,
  round_even,
  truncate,
  // floats, by the formulas of functions.h
  exp,
  exp_minus_1,
  log,
  log_1_plus,
  tanh,
  sigmoid,  ///< 1 / (1 + exp(-x))
  erf,
  sin,
  cos,
  pow,
  // integers and booleans
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,   ///< by less than the width
  shift_right,  ///< signed: the sign comes in
  // any type → boolean; with NaN false
  equal,
  less,
  less_equal,
  // others
  select,  ///< boolean a: b, else c
  cast,    ///< to another type; casts from floats to integers as docs/element-semantics.md says
  bits,    ///< the same bits as a type of equal size
};
inline constexpr int kOps = static_cast<int>(Op::bits) + 1;

struct OpFacts {
  std::string_view name;
  int arity = 1;
  bool is_function = false;  ///< computed by a formula of several operations
};
const OpFacts& facts_of(Op op);

/// The type of a result; undefined where the operands have no such operation. `to` is the type that cast and bits give.
DType result_type(Op op, std::span<const DType> operands, DType to = DType::undefined);

}  // namespace pawl::expr
