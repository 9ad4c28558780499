#include "ops/number_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "tensor/scalar.h"

namespace pawl::ops {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// True and the sign removed when there was one.
bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

bool same_word(std::string_view text, std::string_view lower_case) {
  if (text.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower_case[i]) return false;
  }
  return true;
}

/// True when a number beyond the range is too large, false when it is too small: the sign of its decimal exponent.
bool is_huge(std::string_view digits) {
  const std::size_t e = digits.find_first_of("eE");
  const std::string_view mantissa = digits.substr(0, e);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const std::size_t dot = std::min(mantissa.find('.'), mantissa.size());
  auto exponent = first < dot ? static_cast<std::int64_t>(dot - first) : -static_cast<std::int64_t>(first - dot);
  if (e != std::string_view::npos) {
    std::string_view power = digits.substr(e + 1);
    const bool negative = take_sign(power);
    std::int64_t shift = 0;
    if (std::from_chars(power.data(), power.data() + power.size(), shift).ec != std::errc()) return !negative;
    if (__builtin_add_overflow(exponent, negative ? -shift : shift, &exponent)) return !negative;
  }
  return exponent > 0;
}

/// Decimal digits without the point, and the power of ten of the first one.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

Decimal decimal_of(std::string_view scientific) {
  Decimal decimal;
  const std::size_t e = scientific.find('e');
  for (const char c : scientific.substr(0, e))
    if (c != '.') decimal.digits.push_back(c);
  std::string_view power = scientific.substr(e + 1);
  const bool negative = take_sign(power);
  std::from_chars(power.data(), power.data() + power.size(), decimal.exponent);
  if (negative) decimal.exponent = -decimal.exponent;
  return decimal;
}

std::string_view written(std::array<char, 64>& buffer, const std::to_chars_result& result) {
  return {buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data())};
}

/// The shortest decimal of a positive finite number of the format.
Decimal shortest(DType format, double value) {
  std::array<char, 64> buffer;
  char* const end = buffer.data() + buffer.size();
  constexpr auto kScientific = std::chars_format::scientific;
  if (format == DType::f64) return decimal_of(written(buffer, std::to_chars(buffer.data(), end, value, kScientific)));
  const auto single = static_cast<float>(value);
  if (format == DType::f32) return decimal_of(written(buffer, std::to_chars(buffer.data(), end, single, kScientific)));
  const auto encode = [&](double number) {
    return format == DType::f8e8m0 ? encode_e8m0(number, PowerRounding::nearest, Overflow::saturate)
                                   : encode_float(format, number, Overflow::saturate);
  };
  // Beyond the largest number everything is encoded as the largest.
  const double largest = decode_float(format, encode(std::numeric_limits<double>::infinity()));
  std::string_view text;
  for (int precision = 0; precision <= 16; ++precision) {
    text = written(buffer, std::to_chars(buffer.data(), end, value, kScientific, precision));
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    if (back <= largest && encode(back) == encode(value)) break;
  }
  return decimal_of(text);
}

std::string plain(const Decimal& decimal) {
  const auto count = static_cast<int>(decimal.digits.size());
  if (decimal.exponent < 0)
    return "0." + std::string(static_cast<std::size_t>(-decimal.exponent - 1), '0') + decimal.digits;
  const int whole = decimal.exponent + 1;
  if (count <= whole) return decimal.digits + std::string(static_cast<std::size_t>(whole - count), '0') + ".0";
  return decimal.digits.substr(0, static_cast<std::size_t>(whole)) + "." +
         decimal.digits.substr(static_cast<std::size_t>(whole));
}

}  // namespace

template <class T>
std::optional<T> read_real(std::string_view text) {
  text = trimmed(text);
  const bool negative = take_sign(text);
  const T sign = negative ? T{-1} : T{1};
  if (same_word(text, "inf") || same_word(text, "infinity")) return sign * std::numeric_limits<T>::infinity();
  if (same_word(text, "nan")) return std::copysign(std::numeric_limits<T>::quiet_NaN(), sign);
  if (text.empty() || (text[0] != '.' && (text[0] < '0' || text[0] > '9'))) return std::nullopt;
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range)
    return sign * (is_huge(text) ? std::numeric_limits<T>::infinity() : T{0});
  if (error != std::errc()) return std::nullopt;
  return sign * value;
}

template std::optional<float> read_real<float>(std::string_view);
template std::optional<double> read_real<double>(std::string_view);

template <class T>
std::optional<T> read_integer(std::string_view text) {
  text = trimmed(text);
  const bool negative = take_sign(text);
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude);
  if (end != text.data() + text.size() || error != std::errc()) return std::nullopt;
  constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
  const std::uint64_t limit = negative ? kSignBit : (std::is_signed_v<T> ? kSignBit - 1 : ~std::uint64_t{0});
  if (magnitude > limit) return std::nullopt;
  return static_cast<T>(negative ? 0 - magnitude : magnitude);
}

template std::optional<std::int64_t> read_integer<std::int64_t>(std::string_view);
template std::optional<std::uint64_t> read_integer<std::uint64_t>(std::string_view);

std::string write_real(DType format, double value) {
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  if (value == 0) return sign + "0.0";
  const Decimal decimal = shortest(format, std::abs(value));
  if (decimal.exponent >= -4 && decimal.exponent < 16) return sign + plain(decimal);
  const std::string rest = decimal.digits.size() > 1 ? "." + decimal.digits.substr(1) : "";
  return fmt::format("{}{}{}e{}{:02}", sign, decimal.digits[0], rest, decimal.exponent < 0 ? '-' : '+',
                     std::abs(decimal.exponent));
}

}  // namespace pawl::ops
