// log and the functions made of it. docs/numerics.md says how exact they are.
#pragma once

#include <limits>

#include "expr/builder.h"
#include "expr/exponential.h"
#include "expr/polynomials.h"

namespace pawl::expr::formulas {

/// x = 2^k * mantissa, mantissa from sqrt(1/2) to sqrt(2).
template <class B, DType D>
struct Parts {
  BitsOf<B, D> exponent;  ///< k + kBias
  Term<B, D> k;
  Term<B, D> mantissa;
};

/// x is positive and normal. Its exponent is made a float by putting its bits behind those of 2^kFraction.
template <class B, DType D>
[[gnu::always_inline]] inline Parts<B, D> take_apart(Term<B, D> x) {
  using L = Layout<D>;
  constexpr std::uint64_t kOne = std::uint64_t{L::kBias} << L::kFraction;
  constexpr std::uint64_t kRootOfHalf = L::kDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  constexpr std::uint64_t kWholeBits = (std::uint64_t{L::kBias} + L::kFraction) << L::kFraction;
  const auto moved = bits(x) + (kOne - kRootOfHalf);
  const auto exponent = moved >> L::kFraction;
  const auto k = from_bits<D>(exponent | kWholeBits) - (L::kWhole + L::kBias);
  return {exponent, k, from_bits<D>((moved & L::kFractionMask) + kRootOfHalf)};
}

/// As above for every positive number.
template <class B, DType D>
[[gnu::always_inline]] inline Parts<B, D> take_apart_any(Term<B, D> x) {
  using L = Layout<D>;
  const auto subnormal = x < L::kSmallestNormal;
  Parts<B, D> parts = take_apart(select(subnormal, x * L::kWhole, x));
  parts.k = select(subnormal, parts.k - static_cast<double>(L::kFraction), parts.k);
  return parts;
}

/// k ln(2) + log(1 + f), f from sqrt(1/2) - 1 to sqrt(2) - 1. f32: a polynomial. f64: by atanh, which needs a
/// division and half as many terms.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> log_of_parts(Term<B, D> k, Term<B, D> f) {
  using P = polynomials::Of<D>;
  const auto small = k * P::kLn2[1];
  if constexpr (D == DType::f32) {
    const auto tail = fma(fma(horner(P::kLog, f), f, -0.5), f * f, small);
    return fma(k, P::kLn2[0], f + tail);
  } else {
    const auto s = f / (f + 2.0);
    const auto z = s * s;
    const auto half_square = f * f * 0.5;
    const auto tail = fma(s, fma(z, horner(P::kAtanh, z), half_square), small) - half_square;
    return fma(k, P::kLn2[0], f + tail);
  }
}

/// y = log(x), or where x is not between 0 and infinity what it is then.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> log_or_special(Term<B, D> x, Term<B, D> y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto finite = select(x < kInfinity, y, x);
  const auto positive = select(x < 0.0, std::numeric_limits<double>::quiet_NaN(), finite);
  return select(x == 0.0, -kInfinity, positive);
}

template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> log(Term<B, D> x) {
  const auto parts = take_apart_any(x);
  return log_or_special(x, log_of_parts(parts.k, parts.mantissa - 1.0));
}

/// log(u), u = 1 + x rounded; what was lost is added to the mantissa: scaled by 2^(1-k) and a half, as 2^-128 has no
/// bits.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> log_1_plus(Term<B, D> x) {
  using L = Layout<D>;
  const auto u = x + 1.0;
  const auto back = u - x;
  const auto lost = (x - (u - back)) + (1.0 - back);
  const auto parts = take_apart(u);
  const auto scale = power_of_2<D>(parts.exponent.number(2 * L::kBias + 1) - parts.exponent);
  const auto f = fma(lost * 0.5, scale, parts.mantissa - 1.0);
  return select(absolute(x) < 0x1p-100, x, log_or_special(u, log_of_parts(parts.k, f)));
}

}  // namespace pawl::expr::formulas
