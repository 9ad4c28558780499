#include "backend/wgsl/operations.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/try.h"
#include "expr/types.h"

namespace pawl::wgsl {
namespace {

using expr::is_float;
using expr::is_signed;
using expr::Op;

std::string call(std::string_view function, std::span<const Term> x) {
  std::string text = fmt::format("{}(", function);
  for (std::size_t i = 0; i < x.size(); ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", x[i].text);
  return text + ")";
}

std::string infix(std::string_view sign, std::span<const Term> x) {
  return fmt::format("{} {} {}", x[0].text, sign, x[1].text);
}

/// The value, or x where that is NaN: a device may take a comparison and a choice for an extreme that knows no NaN.
std::string or_nan(const std::string& value, const Term& x) {
  return fmt::format("select({}, {}, is_nan({}))", value, x.text, x.text);
}

/// NaN if one is NaN; of equal ones the first.
std::string extreme(Op op, const Term& a, const Term& b) {
  const auto [smaller, larger] = op == Op::minimum ? std::pair(&b, &a) : std::pair(&a, &b);
  const std::string chosen = fmt::format("select({}, {}, {} < {})", a.text, b.text, smaller->text, larger->text);
  if (!is_float(a.dtype)) return chosen;
  return or_nan(or_nan(chosen, b), a);
}

/// Truncated; what is out of range and NaN as docs/element-semantics.md says.
std::string integer_of(const Term& x, DType to) {
  if (to == DType::u32) return fmt::format("u32_of({})", x.text);
  return fmt::format("i32_of({})", x.text);
}

Result<std::string> cast(const Term& x, DType to) {
  if (type_word(to).empty()) return fail(Code::unsupported, "WGSL has no type {}", name(to));
  if (to == DType::boolean)
    return fmt::format("{} != {}", x.text, x.dtype == DType::boolean ? "false" : literal(x.dtype, 0));
  if (x.dtype == DType::boolean) return fmt::format("select({}, {}, {})", literal(to, 0), literal(to, 1), x.text);
  if (is_float(x.dtype) && expr::is_integer(to)) return integer_of(x, to);
  return fmt::format("{}({})", type_word(to), x.text);
}

}  // namespace

std::string_view type_word(DType dtype) {
  switch (dtype) {
    case DType::f32: return "f32";
    case DType::f16: return "f16";
    case DType::i32: return "i32";
    case DType::u32: return "u32";
    case DType::boolean: return "bool";
    default: return "";
  }
}

std::string_view element_word(DType dtype) { return dtype == DType::boolean ? "u32" : type_word(dtype); }

std::string literal_bits(DType dtype, std::int64_t bits) {
  switch (dtype) {
    case DType::boolean: return bits != 0 ? "true" : "false";
    case DType::u32: return fmt::format("{}u", static_cast<std::uint32_t>(bits));
    case DType::i32: return fmt::format("i32({})", static_cast<std::int32_t>(bits));
    default: return literal(dtype, static_cast<double>(bits));
  }
}

std::string literal(DType dtype, double value) {
  if (!is_float(dtype) && dtype != DType::f16) return literal_bits(dtype, static_cast<std::int64_t>(value));
  // Denormals may be flushed by a shader's compiler, and -0 is folded to 0 by some.
  if (!std::isfinite(value) || (value == 0 && std::signbit(value)) || (value != 0 && std::abs(value) < 0x1p-126)) {
    const auto number = static_cast<float>(value);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    return fmt::format("{}(bits_of({}u))", type_word(dtype), bits);
  }
  return fmt::format("{}({:a})", type_word(dtype), value);
}

Result<std::string> expression(Op op, std::span<const Term> x, DType to) {
  const Term& a = x[0];
  const bool is_bool = a.dtype == DType::boolean;
  switch (op) {
    case Op::add: return infix("+", x);
    case Op::subtract: return infix("-", x);
    case Op::multiply: return infix("*", x);
    case Op::divide: return infix("/", x);
    case Op::fma: return call("fma", x);
    case Op::negate:
      return is_signed(a.dtype) || is_float(a.dtype) ? fmt::format("-{}", a.text) : fmt::format("0u - {}", a.text);
    case Op::absolute: return a.dtype == DType::u32 ? a.text : call("abs", x);
    case Op::minimum:
    case Op::maximum: return extreme(op, a, x[1]);
    case Op::sqrt: return call("sqrt", x);
    case Op::floor: return call("floor", x);
    case Op::ceil: return call("ceil", x);
    case Op::round_even: return call("round", x);
    case Op::truncate: return call("trunc", x);
    case Op::bit_and: return infix("&", x);
    case Op::bit_or: return infix("|", x);
    case Op::bit_xor: return infix(is_bool ? "!=" : "^", x);
    case Op::bit_not: return fmt::format("{}{}", is_bool ? "!" : "~", a.text);
    case Op::shift_left: return fmt::format("{} << (u32({}) & 31u)", a.text, x[1].text);
    case Op::shift_right: return fmt::format("{} >> (u32({}) & 31u)", a.text, x[1].text);
    // A shader's compiler takes NaN for nothing that there is, and a value for equal to itself.
    case Op::equal:
      return is_float(a.dtype) && a.text == x[1].text ? fmt::format("!is_nan({})", a.text) : infix("==", x);
    case Op::less: return infix("<", x);
    case Op::less_equal: return infix("<=", x);
    case Op::select: return fmt::format("select({}, {}, {})", x[2].text, x[1].text, a.text);
    case Op::cast: return cast(a, to);
    case Op::bits: return fmt::format("bitcast<{}>({})", type_word(to), a.text);
    default: return fail(Code::internal, "{} is no primitive operation", expr::facts_of(op).name);
  }
}

}  // namespace pawl::wgsl
