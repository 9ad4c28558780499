// Element type conversion, as Cast does it.
#pragma once

#include <limits>
#include <optional>
#include <type_traits>

#include "base/try.h"
#include "pawl/tensor.h"
#include "tensor/scalar.h"

namespace pawl::ops {

/// Cast's attributes: `saturate` and `round_mode`. They matter for float8 targets only.
struct Conversion {
  Overflow overflow = Overflow::saturate;
  PowerRounding rounding = PowerRounding::up;
};

/// A real number as an integer: truncated toward zero, then the low bits of T are kept. The standard leaves open what a
/// number out of range gives; here it is what x86 (and so numpy and others there) gives: the number passes through
/// int32 on the way to int32, int16, int8, uint16, uint8 and through int64 on the way to the other types, and what does
/// not fit there (NaN too) becomes the smallest int32 or int64. uint64 keeps its own range.
template <class T>
T truncated(double value) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (value >= 0x1p63 && value < 0x1p64) return static_cast<std::uint64_t>(value);
  }
  if constexpr (sizeof(T) < 4 || std::is_same_v<T, std::int32_t>) {
    if (value > -0x1p31 - 1 && value < 0x1p31) return static_cast<T>(static_cast<std::int32_t>(value));
    return static_cast<T>(std::numeric_limits<std::int32_t>::min());
  } else {
    if (value >= -0x1p63 && value < 0x1p63) return static_cast<T>(static_cast<std::int64_t>(value));
    return static_cast<T>(std::numeric_limits<std::int64_t>::min());
  }
}

/// Every element converted to `to`; all types but complex ones. The result is dense, or `x` itself when it has that
/// type. Strings are read as numbers ("1e-5", "+INF", "nan") and written with the fewest digits that give the number
/// back. Errors: bad_type; bad_value, for a string that is no number; limit.
Result<Tensor> convert(const Tensor& x, DType to, const Conversion& conversion = {});

/// The only element of a constant of numbers, where a double holds it; nothing otherwise, and for null.
std::optional<double> only_number(const Tensor* constant);

}  // namespace pawl::ops
