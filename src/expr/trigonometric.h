// sin and cos. docs/numerics.md says how exact they are, and from where on they are not.
#pragma once

#include "expr/builder.h"
#include "expr/polynomials.h"

namespace pawl::expr::formulas {

/// size = n pi/2 + rest, n whole, |rest| <= pi/4; the low bits of `quadrant` are n.
template <class B, DType D>
struct Quadrant {
  BitsOf<B, D> quadrant;
  Term<B, D> rest;
};

/// Up to where the reduction is right; f32 by f32 only: 2^21. Beyond, sin is 0 and cos is 1.
inline constexpr double kLargestAngle = 0x1p48;

/// n times the parts of pi/2 is taken away; the first difference is exact, as both have their last bits in one place.
template <class B, DType D>
[[gnu::always_inline]] inline Quadrant<B, D> reduce_here(Term<B, D> size) {
  using P = polynomials::Of<D>;
  const double shift = 1.5 * Layout<D>::kWhole;
  const auto shifted = fma(size, P::kTwoOverPi, shift);
  const auto n = shifted - shift;
  const auto rest = fma(n, -P::kHalfPi[1], fma(n, -P::kHalfPi[0], size));
  return {bits(shifted), fma(n, -P::kHalfPi[2], rest)};
}

/// f32 is reduced in f64, where there is one: two parts of pi/2 leave 2^-107, times 2^48 far below a float's precision.
template <class B>
[[gnu::always_inline]] inline Quadrant<B, DType::f32> reduce_in_f64(Term<B, DType::f32> size) {
  using P = polynomials::Of<DType::f64>;
  const auto wide = cast<DType::f64>(size);
  const double shift = 1.5 * Layout<DType::f64>::kWhole;
  const auto shifted = fma(wide, P::kTwoOverPi, shift);
  const auto n = shifted - shift;
  const auto rest = fma(n, -P::kHalfPi[1], fma(n, -P::kHalfPi[0], wide));
  return {cast<DType::u32>(bits(shifted)), cast<DType::f32>(rest)};
}

template <class B, DType D>
[[gnu::always_inline]] inline Quadrant<B, D> reduce_angle(Term<B, D> size) {
  constexpr bool kWide = D == DType::f32 && B::kHasF64;
  const double most = D == DType::f64 || kWide ? kLargestAngle : 0x1p21;
  const auto bounded = select(size < most, size, size * 0.0);
  if constexpr (kWide)
    return reduce_in_f64(bounded);
  else
    return reduce_here(bounded);
}

/// sin(rest + n pi/2), without the sign that bit 1 of n gives.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> sin_or_cos(const Quadrant<B, D>& angle) {
  using P = polynomials::Of<D>;
  const auto& rest = angle.rest;
  const auto z = rest * rest;
  const auto sin = fma(rest * z, horner(P::kSin, z), rest);
  const auto cos = fma(z * z, horner(P::kCos, z), fma(z, -0.5, 1.0));
  return select((angle.quadrant & 1) == 0, sin, cos);
}

/// Bit 1 of n at the place of the sign.
template <DType D, class B>
[[gnu::always_inline]] inline BitsOf<B, D> sign_of_quadrant(BitsOf<B, D> quadrant) {
  return (quadrant & 2) << (Layout<D>::kDouble ? 62 : 30);
}

/// The sign of x is put in last, so that of 0 too.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> sin(Term<B, D> x) {
  const auto angle = reduce_angle(absolute(x));
  const auto sign = sign_of_quadrant<D>(angle.quadrant) ^ (bits(x) & Layout<D>::kSign);
  return from_bits<D>(bits(sin_or_cos(angle)) ^ sign);
}

template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> cos(Term<B, D> x) {
  auto angle = reduce_angle(absolute(x));
  angle.quadrant = angle.quadrant + 1;
  return from_bits<D>(bits(sin_or_cos(angle)) ^ sign_of_quadrant<D>(angle.quadrant));
}

}  // namespace pawl::expr::formulas
