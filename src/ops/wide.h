// The arithmetic of sums and products: floats in double, integers modulo 2^64. Results are rounded, or wrapped, to the
// element type once per operator.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "pawl/tensor.h"
#include "tensor/dispatch.h"

namespace pawl::ops {

/// The accumulator of element type T. The low bits of a sum or product modulo 2^64 are those modulo 2^n.
template <class T>
using Wide = std::conditional_t<kIsFloat<T>, double, std::uint64_t>;

template <class T>
Wide<T> to_wide(T value) {
  if constexpr (kIsInteger<T>)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  else
    return static_cast<double>(value);
}

template <class T>
T from_wide(Wide<T> value) {
  if constexpr (kIsInteger<T> && !std::is_integral_v<T>)
    return T(static_cast<std::int64_t>(value));
  else
    return static_cast<T>(value);
}

/// Truncates toward zero and clamps to T's range; NaN becomes 0. For the integer results of real functions.
template <class T>
T truncate_to(double value) {
  static_assert(std::is_integral_v<T>);
  if (!(value == value)) return 0;
  // The bounds as doubles: the upper one may round up to 2^n, which is out of range itself.
  if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

/// The same numbers as doubles, dense; float64 itself when it is that already. Any float or integer type.
Result<Tensor> as_doubles(const Tensor& tensor);

/// Doubles, of any strides, rounded to a dense tensor of another float type.
Result<Tensor> rounded(const Tensor& doubles, DType dtype);

/// A dense tensor of doubles, all zero.
Result<Tensor> zero_doubles(const Dims& shape);

}  // namespace pawl::ops
