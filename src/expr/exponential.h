// exp and the functions made of it. docs/numerics.md says how exact they are.
#pragma once

#include "expr/builder.h"
#include "expr/polynomials.h"

namespace pawl::expr::formulas {

/// x = n ln(2) + rest, n whole, |rest| <= ln(2) / 2. The low bits of `exponent` are n + bias.
template <class B, DType D>
struct Powers {
  BitsOf<B, D> exponent;
  Term<B, D> rest;
  Term<B, D> n, high;  ///< rest is high - n kLn2[1], rounded
};

/// |x| < 2^kFraction / 4. Adding a number so large that nothing behind the point has room rounds to a whole number,
/// whose bits can be read at once.
template <class B, DType D>
[[gnu::always_inline]] inline Powers<B, D> split_powers(Term<B, D> x, unsigned bias) {
  using P = polynomials::Of<D>;
  const double shift = 1.5 * Layout<D>::kWhole + bias;
  const auto shifted = fma(x, P::kLog2E, shift);
  const auto n = shifted - shift;
  const auto high = fma(n, -P::kLn2[0], x);
  return {bits(shifted), fma(n, -P::kLn2[1], high), n, high};
}

/// 2^n where the low bits of `exponent` are n + Layout::kBias.
template <DType D, class B>
[[gnu::always_inline]] inline Term<B, D> power_of_2(BitsOf<B, D> exponent) {
  return from_bits<D>(exponent << Layout<D>::kFraction);
}

/// exp(rest) - 1. f64 adds what rest lost when it was rounded: tanh would come near 2 units without it.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> exp_minus_1_of_rest(const Powers<B, D>& powers) {
  using P = polynomials::Of<D>;
  const auto& rest = powers.rest;
  const auto square = rest * rest;
  const auto curve = horner(P::kExpMinus1, rest);
  if constexpr (D == DType::f32) return fma(square, curve, rest);
  const auto lost = fma(powers.n, -P::kLn2[1], powers.high - rest);
  return rest + fma(square, curve, lost);
}

/// x * 2^n by two factors, so that subnormal results are rounded once; `exponent` is n + 2 * kBias.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> scaled(Term<B, D> x, BitsOf<B, D> exponent) {
  const auto half = exponent >> 1;
  return x * power_of_2<D>(half) * power_of_2<D>(exponent - half);
}

/// exp of what `powers` has split with twice the bias.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> scaled_exp(const Powers<B, D>& powers) {
  const auto& rest = powers.rest;
  const auto exp_of_rest = fma(fma(horner(polynomials::Of<D>::kExp, rest), rest, 1.0), rest, 1.0);
  // Some machines do that in one instruction.
  if constexpr (requires { rest.builder->times_power_of_2(D, exp_of_rest.value, powers.n.value); })
    if (const auto direct = rest.builder->times_power_of_2(D, exp_of_rest.value, powers.n.value))
      return {rest.builder, *direct};
  return scaled(exp_of_rest, powers.exponent);
}

template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> exp(Term<B, D> x) {
  const auto bounded = at_least(D == DType::f64 ? -746 : -104, at_most(D == DType::f64 ? 710 : 89, x));
  return scaled_exp(split_powers(bounded, 2 * Layout<D>::kBias));
}

/// exp(x) - 1 where 2^n can neither overflow nor vanish: x from -100 to 80. May be -0 where x is 0.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> exp_minus_1_inside(Term<B, D> x) {
  const auto powers = split_powers(x, Layout<D>::kBias);
  const auto scale = power_of_2<D>(powers.exponent);
  return fma(exp_minus_1_of_rest(powers), scale, scale - 1.0);
}

/// As above with half the scale, doubled in the end: it overflows where it must.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> exp_minus_1(Term<B, D> x) {
  const auto bounded = at_least(D == DType::f64 ? -38 : -18, at_most(D == DType::f64 ? 710 : 89, x));
  const auto powers = split_powers(bounded, Layout<D>::kBias - 1);
  const auto scale = power_of_2<D>(powers.exponent);
  const auto y = fma(exp_minus_1_of_rest(powers), scale, scale - 0.5) * 2.0;
  return select(absolute(x) < 0x1p-100, x, y);
}

/// y >= 0 with the sign of x.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> with_sign_of(Term<B, D> y, Term<B, D> x) {
  return from_bits<D>(bits(y) | (bits(x) & Layout<D>::kSign));
}

/// x / (big + small), as if rounded once: a quotient of rounded numbers, and what it leaves of x divided again.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> quotient_by_sum(Term<B, D> x, double big, Term<B, D> small) {
  const auto sum = small + big;
  const auto lost = small - (sum - big);
  const auto inverse = 1.0 / sum;
  const auto y = x * inverse;
  const auto rest = fma(-y, lost, fma(-y, sum, x));
  return fma(rest, inverse, y);
}

/// With e = exp(2 |x|) - 1: e / (e + 2). From 10 (f64: 20) on it is 1.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> tanh(Term<B, D> x) {
  const auto size = at_most(D == DType::f64 ? 20 : 10, absolute(x));
  const auto e = exp_minus_1_inside(size * 2.0);
  return with_sign_of(quotient_by_sum(e, 2.0, e), x);
}

/// With e = exp(-|x|), which does not overflow: 1 / (1 + e) or e / (1 + e).
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> sigmoid(Term<B, D> x) {
  const auto bounded = at_least(D == DType::f64 ? -746 : -104, -absolute(x));
  const auto e = scaled_exp(split_powers(bounded, 2 * Layout<D>::kBias));
  return quotient_by_sum(select(x < 0.0, e, 1.0), 1.0, e);
}

/// 1 - exp(-u(a)), a = |x|, where u(a) / a is a polynomial, whose lowest coefficient is kErf[0] + kErf[1]. From 4
/// (f64: 6) on it is 1.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> erf(Term<B, D> x) {
  const auto size = at_most(D == DType::f64 ? 6 : 4, absolute(x));
  using P = polynomials::Of<D>;
  const auto u = fma(size, P::kErf[0], size * horner<1>(P::kErf, size));
  return with_sign_of(absolute(exp_minus_1_inside(-u)), x);
}

}  // namespace pawl::expr::formulas
