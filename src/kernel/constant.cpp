#include "kernel/constant.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "expr/types.h"
#include "tensor/scalar.h"

namespace pawl::kernel {
namespace {

using expr::is_signed;

bool is_float(DType dtype) { return expr::is_float(expr::computed_type(dtype)); }

/// The bits of an element, the rest 0.
std::uint64_t low_bits(std::uint64_t bits, DType dtype) {
  const std::size_t size = size_of(dtype);
  return size == 8 ? bits : bits & ((std::uint64_t{1} << (8 * size)) - 1);
}

/// The integer that the bits of an element of this type mean.
std::int64_t extended(std::uint64_t bits, DType dtype) {
  const auto unused = static_cast<int>(64 - 8 * size_of(dtype));
  if (!is_signed(dtype)) return static_cast<std::int64_t>(low_bits(bits, dtype));
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

double rounded(DType dtype, double value) {
  if (dtype == DType::f32) return static_cast<double>(static_cast<float>(value));
  if (expr::is_stored(dtype))
    return static_cast<double>(decode_float(dtype, encode_float(dtype, value, Overflow::propagate)));
  return value;
}

/// The integer that a double is; nothing where it is none of 64 bits.
std::optional<std::uint64_t> whole(double value) {
  if (value >= -0x1p63 && value < 0x1p63 && std::trunc(value) == value)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  if (value >= 0x1p63 && value < 0x1p64) return static_cast<std::uint64_t>(value);
  return std::nullopt;
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

std::string_view type_word(DType dtype) {
  switch (dtype) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::i8: return "i8";
    case DType::i16: return "i16";
    case DType::i32: return "i32";
    case DType::i64: return "i64";
    case DType::u8: return "u8";
    case DType::u16: return "u16";
    case DType::u32: return "u32";
    case DType::u64: return "u64";
    case DType::boolean: return "bool";
    default: return "";
  }
}

Constant float_constant(DType dtype, double value) {
  if (is_float(dtype)) return {{}, dtype, rounded(dtype, value)};
  if (dtype == DType::boolean) return {{}, dtype, value != 0 ? 1.0 : 0.0};
  const std::optional<std::uint64_t> bits = whole(value);
  CHECK(bits.has_value());
  return integer_constant(dtype, static_cast<std::int64_t>(*bits));
}

Constant integer_constant(DType dtype, std::int64_t value) {
  if (dtype == DType::boolean) return {{}, dtype, value != 0 ? 1.0 : 0.0};
  if (is_float(dtype)) return {{}, dtype, rounded(dtype, static_cast<double>(value))};
  const std::int64_t kept = extended(static_cast<std::uint64_t>(value), dtype);
  const auto real =
      dtype == DType::u64 ? static_cast<double>(static_cast<std::uint64_t>(kept)) : static_cast<double>(kept);
  const std::optional<std::uint64_t> back = whole(real);
  if (back == static_cast<std::uint64_t>(kept)) return {{}, dtype, real};
  return {{}, dtype, kept};
}

bool holds(const Constant& constant) {
  const DType dtype = constant.dtype;
  if (type_word(dtype).empty()) return false;
  if (const auto* integer = std::get_if<std::int64_t>(&constant.value))
    return !is_float(dtype) && dtype != DType::boolean &&
           extended(static_cast<std::uint64_t>(*integer), dtype) == *integer;
  const double real = std::get<double>(constant.value);
  if (is_float(dtype)) return same_number(rounded(dtype, real), real);
  if (dtype == DType::boolean) return real == 0 || real == 1;
  const std::optional<std::uint64_t> bits = whole(real);
  if (!bits || (dtype == DType::u64 ? real < 0 : real >= 0x1p63)) return false;
  return extended(*bits, dtype) == static_cast<std::int64_t>(*bits);
}

std::uint64_t bits_of(const Constant& constant) {
  const DType dtype = constant.dtype;
  if (const auto* integer = std::get_if<std::int64_t>(&constant.value))
    return low_bits(static_cast<std::uint64_t>(*integer), dtype);
  const double real = std::get<double>(constant.value);
  if (dtype == DType::f64) return std::bit_cast<std::uint64_t>(real);
  if (dtype == DType::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(real));
  if (is_float(dtype)) return encode_float(dtype, real, Overflow::propagate);
  return low_bits(whole(real).value_or(0), dtype);
}

std::string number_text(const Constant& constant) {
  const DType dtype = constant.dtype;
  if (!is_float(dtype)) {
    const std::uint64_t bits = bits_of(constant);
    return is_signed(dtype) ? fmt::to_string(extended(bits, dtype)) : fmt::to_string(bits);
  }
  const double real = std::get<double>(constant.value);
  if (std::isnan(real)) return std::signbit(real) ? "-nan" : "nan";
  return dtype == DType::f64 ? fmt::format("{}", real) : fmt::format("{}", static_cast<float>(real));
}

}  // namespace pawl::kernel
