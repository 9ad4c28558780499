#include "backend/cpu/operations.h"

#include <array>
#include <limits>

#include "backend/cpu/formulas.h"
#include "base/try.h"

namespace pawl::cpu {
namespace {

using expr::Op;

/// Floats: "fadd"; integers: "add"; integers with a sign of their own kind: "sdiv", "udiv".
std::string_view opcode(Op op, DType dtype) {
  const bool real = is_float(dtype), has_sign = is_signed(dtype);
  switch (op) {
    case Op::add: return real ? "fadd" : "add";
    case Op::subtract: return real ? "fsub" : "sub";
    case Op::multiply: return real ? "fmul" : "mul";
    case Op::divide: return real ? "fdiv" : has_sign ? "sdiv" : "udiv";
    case Op::bit_and: return "and";
    case Op::bit_or: return "or";
    case Op::bit_xor: return "xor";
    case Op::shift_left: return "shl";
    case Op::shift_right: return has_sign ? "ashr" : "lshr";
    case Op::equal: return real ? "fcmp oeq" : "icmp eq";
    case Op::less: return real ? "fcmp olt" : has_sign ? "icmp slt" : "icmp ult";
    default: return real ? "fcmp ole" : has_sign ? "icmp sle" : "icmp ule";
  }
}

Result<Ssa> divide(Instructions& out, const Ssa& a, const Ssa& b) {
  if (is_float(a.dtype)) return out.binary("fdiv", a, b);
  if (!b.constant || b.text == "0")
    return fail(Code::internal, "an integer is divided by what is not a constant other than 0");
  // The lowest number by -1 is itself.
  if (is_signed(a.dtype) && b.text == "-1") return out.binary("sub", literal_bits(a.dtype, 0, a.width), a);
  return out.binary(opcode(Op::divide, a.dtype), a, b);
}

/// The smaller or the larger; NaN if one is NaN; of equal ones the first.
Ssa extreme(Instructions& out, Op op, const Ssa& a, const Ssa& b) {
  const Ssa chosen = extreme_of_numbers(out, op, a, b);
  if (!is_float(a.dtype)) return chosen;
  return out.select(out.compare("fcmp uno", b, b), b, chosen);
}

Ssa negate(Instructions& out, const Ssa& x) {
  if (!is_float(x.dtype)) return out.binary("sub", literal_bits(x.dtype, 0, x.width), x);
  return out.emit(x.dtype, x.width, "fneg {} {}", type_of(x), operand(x));
}

Ssa absolute(Instructions& out, const Ssa& x) {
  if (is_float(x.dtype)) return out.intrinsic("fabs", {x});
  return is_signed(x.dtype) ? out.intrinsic("abs", {x}) : x;
}

Ssa shift(Instructions& out, Op op, const Ssa& x, const Ssa& by) {
  const Ssa within = literal_bits(x.dtype, static_cast<std::int64_t>(8 * size_of(x.dtype)) - 1, x.width);
  return out.binary(opcode(op, x.dtype), x, out.binary("and", by, within));
}

/// Rounding by arithmetic, for targets whose instructions have none. Beyond 2^23 (2^52) all floats are integers.
Ssa round_by_arithmetic(Instructions& out, Op op, const Ssa& x) {
  const Ssa large = literal(x.dtype, x.dtype == DType::f32 ? 0x1p23 : 0x1p52, x.width);
  const Ssa one = literal(x.dtype, 1, x.width);
  const Ssa size = out.intrinsic("fabs", {x});
  const Ssa nearest = out.binary("fsub", out.binary("fadd", size, large), large);
  const bool up = op == Op::ceil;
  const Ssa rounded = op == Op::truncate ? nearest : out.intrinsic("copysign", {nearest, x});
  Ssa result = rounded;
  if (op != Op::round_even) {
    const Ssa beyond = out.compare(up ? "fcmp olt" : "fcmp ogt", rounded, op == Op::truncate ? size : x);
    const Ssa back = out.binary(up ? "fadd" : "fsub", rounded, one);
    result = out.select(beyond, back, rounded);
  }
  const Ssa with_sign = out.intrinsic("copysign", {result, x});
  return out.select(out.compare("fcmp olt", size, large), with_sign, x);
}

Ssa round(Instructions& out, const Target& target, Op op, const Ssa& x) {
  if (!target.roundings) return round_by_arithmetic(out, op, x);
  switch (op) {
    case Op::floor: return out.intrinsic("floor", {x});
    case Op::ceil: return out.intrinsic("ceil", {x});
    case Op::round_even: return out.intrinsic("roundeven", {x});
    default: return out.intrinsic("trunc", {x});
  }
}

Ssa bits(Instructions& out, const Ssa& x, DType to) {
  if (register_type(x.dtype) == register_type(to)) return {x.text, to, x.width, x.constant};
  // A boolean is a byte in memory.
  if (to == DType::boolean) return out.compare("icmp ne", x, literal_bits(x.dtype, 0, x.width));
  if (x.dtype == DType::boolean) return out.convert("zext", x, to);
  return out.convert("bitcast", x, to);
}

Ssa half_of(Instructions& out, const Ssa& x, int side) {
  const int half = x.width / 2;
  // A vector of one lane is not a scalar.
  if (half == 1) return out.emit(x.dtype, 1, "extractelement {} {}, i64 {}", type_of(x), operand(x), side);
  std::string lanes;
  for (int i = 0; i < half; ++i) lanes += fmt::format("{}i32 {}", i == 0 ? "" : ", ", side * half + i);
  return out.emit(x.dtype, half, "shufflevector {} {}, {} poison, <{} x i32> <{}>", type_of(x), operand(x), type_of(x),
                  half, lanes);
}

}  // namespace

Ssa extreme_of_numbers(Instructions& out, Op op, const Ssa& a, const Ssa& b) {
  const auto less = opcode(Op::less, a.dtype);
  const Ssa second = op == Op::minimum ? out.compare(less, b, a) : out.compare(less, a, b);
  return out.select(second, b, a);
}

Result<Ssa> compute(Instructions& out, const Target& target, Op op, std::span<const Ssa> x, DType to) {
  const Ssa& a = x[0];
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor: return out.binary(opcode(op, a.dtype), a, x[1]);
    case Op::divide: return divide(out, a, x[1]);
    case Op::fma:
      if (!target.fused_multiply_add) return fail(Code::unsupported, "{} has no fused multiply-add", target.name);
      return out.intrinsic("fma", {a, x[1], x[2]});
    case Op::negate: return negate(out, a);
    case Op::absolute: return absolute(out, a);
    case Op::minimum:
    case Op::maximum: return extreme(out, op, a, x[1]);
    case Op::sqrt: return out.intrinsic("sqrt", {a});
    case Op::floor:
    case Op::ceil:
    case Op::round_even:
    case Op::truncate: return round(out, target, op, a);
    case Op::bit_not: return out.binary("xor", a, literal_bits(a.dtype, a.dtype == DType::boolean ? 1 : -1, a.width));
    case Op::shift_left:
    case Op::shift_right: return shift(out, op, a, x[1]);
    case Op::equal:
    case Op::less:
    case Op::less_equal: return out.compare(opcode(op, a.dtype), a, x[1]);
    case Op::select: return out.select(a, x[1], x[2]);
    case Op::cast: return cast(out, target, a, to);
    case Op::bits: return bits(out, a, to);
    default: return formula(out, target, op, x);
  }
}

Ssa identity_of(Op op, DType dtype, int width) {
  if (op == Op::add) return literal(dtype, is_float(dtype) ? -0.0 : 0.0, width);
  if (op == Op::multiply) return literal(dtype, 1, width);
  const bool largest = op == Op::minimum;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (is_float(dtype)) return literal(dtype, largest ? infinity : -infinity, width);
  const auto bits = static_cast<int>(8 * size_of(dtype));
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits);
  if (!is_signed(dtype)) return literal_bits(dtype, static_cast<std::int64_t>(largest ? all : 0), width);
  return literal_bits(dtype, static_cast<std::int64_t>(largest ? all >> 1 : all ^ (all >> 1)), width);
}

Result<Ssa> combine_lanes(Instructions& out, const Target& target, Op op, Ssa x) {
  while (x.width > 1) {
    std::array<Ssa, 2> halves{half_of(out, x, 0), half_of(out, x, 1)};
    TRY_ASSIGN(x, compute(out, target, op, halves, DType::undefined));
  }
  return x;
}

}  // namespace pawl::cpu
