// Scalar arithmetic as operators mean it: integers wrap, NaN is kept, nothing is undefined behaviour.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "expr/scalar.h"

namespace pawl::ops {

/// Integers of any width: computed modulo 2^64 and cut to T.
template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}
template <class T>
T difference(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  else
    return a - b;
}
template <class T>
T product(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}
template <class T>
T negated(T a) {
  if constexpr (std::is_integral_v<T>)
    return difference(T{0}, a);
  else
    return -a;
}

/// Integers are truncated toward zero; the smallest one divided by -1 is itself. An integer `b` must not be 0.
template <class T>
T quotient(T a, T b) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return b == -1 ? negated(a) : static_cast<T>(a / b);
  else
    return static_cast<T>(a / b);
}

template <class T>
bool is_nan(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(a);
  else
    return false;
}

/// NaN when either is.
template <class T>
T larger(T a, T b) {
  return a >= b || is_nan(a) ? a : b;
}
template <class T>
T smaller(T a, T b) {
  return a <= b || is_nan(a) ? a : b;
}

/// base^exponent modulo 2^64.
template <class T>
T integer_power(T base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  auto square = static_cast<std::uint64_t>(base);
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

/// log(1 + e^x), without overflow.
template <class T>
T softplus(T x) {
  return (x > 0 ? x : T{0}) + expr::log_1_plus(expr::exp(-std::abs(x)));
}

}  // namespace pawl::ops
