// Codes of the floats with 16 bits or fewer. Sources: IEEE 754, ONNX's technical pages on float8, float6 and float4,
// and the tables in the description of Cast.
#include <algorithm>
#include <bit>

#include "base/try.h"
#include "tensor/scalar.h"

namespace pawl {
namespace {

/// What the codes past the largest finite number mean.
enum class Specials : std::uint8_t {
  ieee,      ///< the top exponent holds infinity (mantissa 0) and NaNs
  one_nan,   ///< FN: all ones is NaN, there is no infinity
  zero_nan,  ///< FNUZ: the code of negative zero is NaN, there is neither infinity nor negative zero
  none,      ///< every code is a finite number
};

/// A sign bit, then exponent bits, then mantissa bits; subnormals where the exponent bits are 0.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;

  [[nodiscard]] constexpr std::uint32_t sign_bit() const { return 1U << (exponent_bits + mantissa_bits); }
  [[nodiscard]] constexpr std::uint32_t top_exponent() const { return ((1U << exponent_bits) - 1) << mantissa_bits; }
  [[nodiscard]] constexpr std::uint32_t largest() const {
    switch (specials) {
      case Specials::ieee: return top_exponent() - 1;
      case Specials::one_nan: return sign_bit() - 2;
      case Specials::zero_nan:
      case Specials::none: break;
    }
    return sign_bit() - 1;
  }
  /// Float4 and float6 have no NaN; negative zero stands for it, as in the standard's own test data.
  [[nodiscard]] constexpr std::uint32_t nan(std::uint32_t sign) const {
    switch (specials) {
      case Specials::ieee: return sign | top_exponent() | (1U << (mantissa_bits - 1));
      case Specials::one_nan: return sign | (sign_bit() - 1);
      case Specials::zero_nan:
      case Specials::none: break;
    }
    return sign_bit();
  }
  [[nodiscard]] constexpr std::uint32_t zero(std::uint32_t sign) const {
    return specials == Specials::zero_nan ? 0 : sign;
  }
  [[nodiscard]] constexpr std::uint32_t overflow(std::uint32_t sign, Overflow mode) const {
    if (mode == Overflow::saturate || specials == Specials::none) return sign | largest();
    return specials == Specials::ieee ? sign | top_exponent() : nan(sign);
  }
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f16: return {5, 10, 15, Specials::ieee};
    case DType::bf16: return {8, 7, 127, Specials::ieee};
    case DType::f8e4m3fn: return {4, 3, 7, Specials::one_nan};
    case DType::f8e4m3fnuz: return {4, 3, 8, Specials::zero_nan};
    case DType::f8e5m2: return {5, 2, 15, Specials::ieee};
    case DType::f8e5m2fnuz: return {5, 2, 16, Specials::zero_nan};
    case DType::f6e2m3: return {2, 3, 1, Specials::none};
    case DType::f6e3m2: return {3, 2, 3, Specials::none};
    case DType::f4e2m1: return {2, 1, 1, Specials::none};
    default: break;
  }
  CHECK(false);
}

constexpr int kDoubleMantissa = 52;
constexpr int kDoubleBias = 1023;
constexpr std::uint64_t kDoubleHidden = std::uint64_t{1} << kDoubleMantissa;

constexpr std::uint16_t kE8M0Nan = 0xff;
constexpr std::uint16_t kE8M0Largest = 0xfe;
constexpr int kE8M0Bias = 127;

float decode_e8m0(std::uint16_t code) {
  if (code == kE8M0Nan) return std::numeric_limits<float>::quiet_NaN();
  // 2^-127 is a subnormal float.
  return std::bit_cast<float>(code == 0 ? 0x00400000U : static_cast<std::uint32_t>(code) << 23);
}

/// `sig` shifted right by `shift` > 0 places, rounded to nearest, ties to even.
std::uint64_t shift_rounded(std::uint64_t sig, int shift) {
  if (shift > kDoubleMantissa + 1) return 0;
  const std::uint64_t quotient = sig >> shift;
  const std::uint64_t rest = sig & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return quotient + (rest > half || (rest == half && (quotient & 1) != 0) ? 1 : 0);
}

}  // namespace

float decode_float(DType dtype, std::uint16_t code) {
  if (dtype == DType::bf16) return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
  if (dtype == DType::f8e8m0) return decode_e8m0(code);
  const Format format = format_of(dtype);
  const std::uint32_t sign = code & format.sign_bit();
  const std::uint32_t magnitude = code & (format.sign_bit() - 1);
  const float sign_factor = sign != 0 ? -1.0F : 1.0F;
  if (format.specials == Specials::zero_nan && sign != 0 && magnitude == 0)
    return std::numeric_limits<float>::quiet_NaN();
  if (format.specials == Specials::ieee && magnitude == format.top_exponent())
    return sign_factor * std::numeric_limits<float>::infinity();
  if (format.specials != Specials::none && format.specials != Specials::zero_nan && magnitude > format.largest())
    return std::copysign(std::numeric_limits<float>::quiet_NaN(), sign_factor);
  const std::uint32_t exponent = magnitude >> format.mantissa_bits;
  const std::uint32_t mantissa = magnitude & ((1U << format.mantissa_bits) - 1);
  if (exponent == 0) {
    const auto unit =
        std::bit_cast<float>(static_cast<std::uint32_t>(1 - format.bias - format.mantissa_bits + 127) << 23);
    return sign_factor * static_cast<float>(mantissa) * unit;
  }
  const std::uint32_t bits =
      ((exponent + 127 - static_cast<std::uint32_t>(format.bias)) << 23) | (mantissa << (23 - format.mantissa_bits));
  return sign_factor * std::bit_cast<float>(bits);
}

std::uint16_t encode_float(DType dtype, double value, Overflow overflow) {
  if (dtype == DType::f8e8m0) return encode_e8m0(value, PowerRounding::nearest, overflow);
  const Format format = format_of(dtype);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint32_t sign = (bits >> 63) != 0 ? format.sign_bit() : 0;
  if (std::isnan(value)) return static_cast<std::uint16_t>(format.nan(sign));
  if (std::isinf(value)) return static_cast<std::uint16_t>(format.overflow(sign, overflow));
  const auto field = static_cast<int>((bits >> kDoubleMantissa) & 0x7ff);
  if (field == 0) return static_cast<std::uint16_t>(format.zero(sign));
  const int exponent = field - kDoubleBias;
  const int smallest = 1 - format.bias;
  const std::uint64_t significand = (bits & (kDoubleHidden - 1)) | kDoubleHidden;
  const int shift = kDoubleMantissa - format.mantissa_bits + std::max(0, smallest - exponent);
  // The hidden bit of a normal number, or a carry out of the mantissa, adds one to the exponent bits.
  const std::uint64_t above =
      exponent > smallest ? static_cast<std::uint64_t>(exponent - smallest) << format.mantissa_bits : 0;
  const std::uint64_t magnitude = shift_rounded(significand, shift) + above;
  if (magnitude > format.largest()) return static_cast<std::uint16_t>(format.overflow(sign, overflow));
  if (magnitude == 0) return static_cast<std::uint16_t>(format.zero(sign));
  return static_cast<std::uint16_t>(sign | magnitude);
}

std::uint16_t encode_float(DType dtype, float value, Overflow overflow) {
  return encode_float(dtype, static_cast<double>(value), overflow);
}

std::uint16_t encode_e8m0(double value, PowerRounding rounding, Overflow overflow) {
  if (std::isnan(value) || value < 0) return kE8M0Nan;
  if (value < 0x1p-127) return overflow == Overflow::saturate ? 0 : kE8M0Nan;
  if (value > 0x1p127) return overflow == Overflow::saturate ? kE8M0Largest : kE8M0Nan;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<int>(bits >> kDoubleMantissa) - kDoubleBias;
  const std::uint64_t mantissa = bits & (kDoubleHidden - 1);
  const bool carry = (rounding == PowerRounding::up && mantissa != 0) ||
                     (rounding == PowerRounding::nearest && mantissa >= kDoubleHidden / 2);
  return static_cast<std::uint16_t>(exponent + kE8M0Bias + (carry ? 1 : 0));
}

}  // namespace pawl
