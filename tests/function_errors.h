// How far the functions of expr/scalar.h are from the true values, in units in the last place of the result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/op.h"

namespace pawl::expr {

struct Errors {
  double largest = 0;  ///< infinite where one is NaN, infinite or of another sign and the other is not
  double at[2] = {};   ///< the operands of the largest
  std::int64_t inputs = 0;
};

inline constexpr Op kFunctions[] = {Op::exp,     Op::exp_minus_1, Op::log, Op::log_1_plus, Op::tanh,
                                    Op::sigmoid, Op::erf,         Op::sin, Op::cos,        Op::pow};

/// The C library's function in long double, which has 11 bits more than f64 (and 40 more than f32).
long double true_value(Op op, long double x, long double y = 0);

/// f32 of one operand: every `step`-th of all 2^32 bit patterns, and all special and nearby ones. sin and cos: up to
/// 2^48, or 2^21 for the formula that has no f64. f64, and pow: about 2^32 / step numbers, random in their bits and in
/// each range where the function does something, and the same special ones. sin and cos: up to 2^48. f16 and bf16:
/// every operand; of pow every first one, with 16 others each.
Errors errors_of(Op op, DType dtype, std::uint64_t step, bool with_f64 = true);

/// Operations of a function's formula by their kind: "12 arithmetic, 2 divide, …".
struct Cost {
  int arithmetic = 0;  ///< add, multiply, fma, …, of floats
  int divide = 0;
  int integer = 0;  ///< of bits
  int choice = 0;   ///< comparisons and selects
  int cast = 0;     ///< between types of different size
  [[nodiscard]] int total() const { return arithmetic + divide + integer + choice + cast; }
};
Cost cost_of(Op op, DType dtype, bool with_f64 = true);

}  // namespace pawl::expr
