// pow. docs/numerics.md says how exact it is.
#pragma once

#include <limits>

#include "expr/builder.h"
#include "expr/exponential.h"
#include "expr/logarithm.h"
#include "expr/polynomials.h"

namespace pawl::expr::formulas {

/// The sum of two floats, the second of which is far smaller: twice the precision.
template <class B, DType D>
struct Pair {
  Term<B, D> high;
  Term<B, D> low;
};

/// |a| >= |b| or a = 0: their exact sum.
template <class B, DType D>
[[gnu::always_inline]] inline Pair<B, D> exact_sum(Term<B, D> a, Term<B, D> b) {
  const auto sum = a + b;
  return {sum, b - (sum - a)};
}
template <class B, DType D>
[[gnu::always_inline]] inline Pair<B, D> product(Pair<B, D> a, Pair<B, D> b) {
  const auto high = a.high * b.high;
  const auto exact_low = fma(a.high, b.high, -high);
  return {high, fma(a.high, b.low, fma(a.low, b.high, exact_low))};
}

/// log(x) of a positive x: k ln(2) + 2 s (1 + z / 3 + z^2 tail(z)), where s = f / (2 + f), z = s^2. Its error is 2^-63
/// (f64), far below the precision of one float: pow multiplies it by up to 2^10.
template <class B, DType D>
[[gnu::always_inline]] inline Pair<B, D> pair_log(Term<B, D> x) {
  using P = polynomials::Of<D>;
  const auto parts = take_apart_any(x);
  const auto f = parts.mantissa - 1.0;
  const auto below = exact_sum(f.number(2.0), f);
  const auto inverse = 1.0 / below.high;
  const auto s_high = f * inverse;
  const auto left = fma(-s_high, below.low, fma(-s_high, below.high, f));
  const Pair<B, D> s = {s_high, left * inverse};
  const auto z = product(s, s);
  const auto third = exact_sum(f.number(P::kThird[0]), fma(z.high, horner(P::kAtanhTail, z.high), P::kThird[1]));
  const Pair<B, D> twice = {s.high * 2.0, s.low * 2.0};
  const auto curve = product(twice, product(z, third));
  const auto sum = exact_sum(parts.k * P::kLn2Short[0], twice.high);
  const auto total = exact_sum(sum.high, curve.high);
  const auto low = fma(parts.k, P::kLn2Short[1], (sum.low + total.low) + (curve.low + twice.low));
  return exact_sum(total.high, low);
}

/// exp of a pair, of any size. Nothing but the last sum is rounded by much, so that whole powers of whole numbers are
/// whole numbers.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> pair_exp(Pair<B, D> x) {
  using P = polynomials::Of<D>;
  const auto bounded = at_least(D == DType::f64 ? -746 : -104, at_most(D == DType::f64 ? 710 : 89, x.high));
  const auto low = select(bounded == x.high, x.low, 0.0);
  const double shift = 1.5 * Layout<D>::kWhole + 2 * Layout<D>::kBias;
  const auto shifted = fma(bounded, P::kLog2E, shift);
  const auto n = shifted - shift;
  const auto high = fma(n, -P::kLn2[0], bounded);
  const auto small = fma(n, -P::kLn2[1], low);
  const auto rest = high + small;
  const auto lost = (high - rest) + small;
  const auto square = rest * rest;
  const auto half_low = fma(rest, rest, -square) * 0.5;
  // 1 + rest + rest^2 / 2, exactly, and what comes after it.
  const auto line = exact_sum(rest.number(1.0), rest);
  const auto curve = exact_sum(line.high, square * 0.5);
  const auto start = fma(square, P::kExpMinus1[0] - 0.5, fma(lost, rest, lost) + half_low);
  const auto tail = fma(square * rest, horner<1>(P::kExpMinus1, rest), start);
  return scaled(curve.high + (curve.low + (line.low + tail)), bits(shifted));
}

/// |x|^y for positive finite |x|, by pairs.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> pow_by_pairs(Term<B, D> size, Term<B, D> y) {
  const auto log = pair_log(size);
  const auto high = y * log.high;
  return pair_exp<B, D>({high, fma(y, log.low, fma(y, log.high, -high))});
}

/// The same for f32 in f64, whose precision suffices for log(x) * y, and whose range for every result.
template <class B>
[[gnu::always_inline]] inline Term<B, DType::f32> pow_in_f64(Term<B, DType::f32> size, Term<B, DType::f32> y) {
  using P = polynomials::Of<DType::f64>;
  using L = Layout<DType::f64>;
  const auto parts = take_apart(cast<DType::f64>(size));
  const auto f = parts.mantissa - 1.0;
  const auto s = f / (f + 2.0);
  const auto z = s * s;
  const auto log_of_mantissa = fma(s * z, horner(P::kAtanhShort, z), s + s);
  const auto log = fma(parts.k, P::kLn2[0], log_of_mantissa);
  const auto bounded = at_least(-104, at_most(89, cast<DType::f64>(y) * log));
  const double shift = 1.5 * L::kWhole + L::kBias;
  const auto shifted = fma(bounded, P::kLog2E, shift);
  const auto rest = fma(shifted - shift, -P::kLn2[0], bounded);
  const auto exp_of_rest = fma(fma(horner(P::kExpShort, rest), rest, 1.0), rest, 1.0);
  return cast<DType::f32>(exp_of_rest * power_of_2<DType::f64>(bits(shifted)));
}

/// y is bounded to where every |x| but 1 overflows or vanishes.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> positive_pow(Term<B, D> size, Term<B, D> y) {
  const double most = D == DType::f64 ? 0x1p70 : 0x1p40;
  const auto bounded = at_least(-most, at_most(most, y));
  if constexpr (D == DType::f32 && B::kHasF64)
    return pow_in_f64(size, bounded);
  else
    return pow_by_pairs(size, bounded);
}

/// As C's pow: 1 for y = 0 and for x = 1 even beside NaN; negative x with whole y only.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> pow(Term<B, D> x, Term<B, D> y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto size = absolute(x);
  const auto zero_or_infinite = select(y < 0.0, 1.0 / size, size);
  const auto finite = (0.0 < size) & (size < kInfinity);
  const auto special = select(size == size, zero_or_infinite, x);
  const auto of_size = select(finite, positive_pow(size, y), special);
  const auto y_is_whole = truncate(y) == y;
  const auto half = y * 0.5;
  const auto none = bits(x).number(0);
  const auto sign_if_odd = select(truncate(half) == half, none, bits(x) & Layout<D>::kSign);
  const auto is_signed = from_bits<D>(bits(of_size) ^ select(y_is_whole, sign_if_odd, none));
  const auto impossible = select(y_is_whole, is_signed, std::numeric_limits<double>::quiet_NaN());
  const auto any = select((x < 0.0) & finite, impossible, is_signed);
  // Squares are what most powers are; kernels whose exponent is the constant 2 multiply.
  const auto whole = select(y == 2.0, x * x, any);
  const auto defined = select(y == y, whole, y);
  return select((y == 0.0) | (x == 1.0), 1.0, defined);
}

}  // namespace pawl::expr::formulas
