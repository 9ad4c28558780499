// The C++ type behind each DType. Small floats and sub-byte integers are stored as codes; arithmetic happens in float
// or int and is rounded back, once per operator.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "pawl/dtype.h"

namespace pawl {

/// Decodes a code of a format with at most 16 bits. Exact: every such number is a float.
float decode_float(DType format, std::uint16_t code);

/// How a value beyond the largest finite number of a small float is stored.
enum class Overflow : std::uint8_t {
  saturate,   ///< the largest finite number of its sign, for infinities too (Cast's `saturate = 1`)
  propagate,  ///< infinity where the format has it, else NaN; where it has neither, the largest finite number
};
/// Encodes by rounding to nearest, ties to even. NaN becomes the format's NaN with the same sign where it has one;
/// float4 and float6 have none and take negative zero. f16 and bf16 overflow to infinity under `propagate`.
std::uint16_t encode_float(DType format, float value, Overflow overflow);
/// As above without a double rounding through float.
std::uint16_t encode_float(DType format, double value, Overflow overflow);

/// Cast's `round_mode` for float8e8m0, whose numbers are the powers of two from 2^-127 to 2^127.
enum class PowerRounding : std::uint8_t { up, down, nearest };
/// Code of float8e8m0; a tie is rounded up. Negative numbers and NaN become NaN. What lies outside the format's range
/// (0 and infinity too) becomes the nearest end of it under `saturate`, else NaN.
std::uint16_t encode_e8m0(double value, PowerRounding rounding, Overflow overflow);

/// A float of at most 16 bits, kept as its code.
template <DType Format, class Code>
struct SmallFloat {
  Code code = 0;
  static constexpr DType kFormat = Format;

  SmallFloat() = default;
  explicit SmallFloat(float value) : code(static_cast<Code>(encode_float(Format, value, Overflow::propagate))) {}
  explicit SmallFloat(double value) : code(static_cast<Code>(encode_float(Format, value, Overflow::propagate))) {}
  static SmallFloat from_code(Code code) {
    SmallFloat result;
    result.code = code;
    return result;
  }
  explicit operator float() const { return decode_float(Format, code); }
  explicit operator double() const { return static_cast<double>(decode_float(Format, code)); }
};

using F16 = SmallFloat<DType::f16, std::uint16_t>;
using BF16 = SmallFloat<DType::bf16, std::uint16_t>;
using F8E4M3FN = SmallFloat<DType::f8e4m3fn, std::uint8_t>;
using F8E4M3FNUZ = SmallFloat<DType::f8e4m3fnuz, std::uint8_t>;
using F8E5M2 = SmallFloat<DType::f8e5m2, std::uint8_t>;
using F8E5M2FNUZ = SmallFloat<DType::f8e5m2fnuz, std::uint8_t>;
using F8E8M0 = SmallFloat<DType::f8e8m0, std::uint8_t>;
using F6E2M3 = SmallFloat<DType::f6e2m3, std::uint8_t>;
using F6E3M2 = SmallFloat<DType::f6e3m2, std::uint8_t>;
using F4E2M1 = SmallFloat<DType::f4e2m1, std::uint8_t>;

/// An integer of Bits < 8 bits, one per byte in memory; `value` is always in range.
template <int Bits, bool Signed>
struct SmallInt {
  using Byte = std::conditional_t<Signed, std::int8_t, std::uint8_t>;
  static constexpr int kMin = Signed ? -(1 << (Bits - 1)) : 0;
  static constexpr int kMax = Signed ? (1 << (Bits - 1)) - 1 : (1 << Bits) - 1;
  Byte value = 0;

  SmallInt() = default;
  /// Keeps the low bits, as an integer conversion does.
  explicit SmallInt(std::int64_t wide) {
    const auto low = static_cast<int>(wide & ((1 << Bits) - 1));
    value = static_cast<Byte>(Signed && low > kMax ? low - (1 << Bits) : low);
  }
  explicit operator std::int64_t() const { return value; }
};

using I4 = SmallInt<4, true>;
using U4 = SmallInt<4, false>;
using I2 = SmallInt<2, true>;
using U2 = SmallInt<2, false>;

template <class T>
inline constexpr bool kIsSmallFloat = false;
template <DType F, class C>
inline constexpr bool kIsSmallFloat<SmallFloat<F, C>> = true;
template <class T>
inline constexpr bool kIsSmallInt = false;
template <int B, bool S>
inline constexpr bool kIsSmallInt<SmallInt<B, S>> = true;
template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
/// float, double and every small float.
template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsSmallFloat<T>;
/// Integers of 2 to 64 bits; not bool.
template <class T>
inline constexpr bool kIsInteger = (std::is_integral_v<T> && !std::is_same_v<T, bool>) || kIsSmallInt<T>;

/// The type in which T is computed: float for small floats, std::int64_t for sub-byte integers, T otherwise.
template <class T>
using Compute = std::conditional_t<kIsSmallFloat<T>, float, std::conditional_t<kIsSmallInt<T>, std::int64_t, T>>;

template <class T>
inline constexpr DType dtype_of = DType::undefined;
template <DType F, class C>
inline constexpr DType dtype_of<SmallFloat<F, C>> = F;
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::u8;
template <>
inline constexpr DType dtype_of<std::uint16_t> = DType::u16;
template <>
inline constexpr DType dtype_of<std::uint32_t> = DType::u32;
template <>
inline constexpr DType dtype_of<std::uint64_t> = DType::u64;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::i8;
template <>
inline constexpr DType dtype_of<std::int16_t> = DType::i16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::i64;
template <>
inline constexpr DType dtype_of<bool> = DType::boolean;
template <>
inline constexpr DType dtype_of<std::string> = DType::string;
template <>
inline constexpr DType dtype_of<std::complex<float>> = DType::c64;
template <>
inline constexpr DType dtype_of<std::complex<double>> = DType::c128;
template <>
inline constexpr DType dtype_of<I4> = DType::i4;
template <>
inline constexpr DType dtype_of<U4> = DType::u4;
template <>
inline constexpr DType dtype_of<I2> = DType::i2;
template <>
inline constexpr DType dtype_of<U2> = DType::u2;

}  // namespace pawl
