// Casts. Out-of-range numbers have defined results, so that nothing here is undefined in LLVM either.
#include <cmath>

#include "backend/cpu/operations.h"

namespace pawl::cpu {
namespace {

using expr::Op;

/// Steps on the bits of floats: integer operations with literals.
class BitText {
 public:
  BitText(Instructions& out, Ssa bits) : out_(out), bits_(std::move(bits)) {}
  BitText operator&(std::int64_t mask) const { return with("and", mask); }
  BitText operator|(std::int64_t mask) const { return with("or", mask); }
  BitText operator+(std::int64_t number) const { return with("add", number); }
  BitText operator>>(int by) const { return with("lshr", by); }
  BitText operator<<(int by) const { return with("shl", by); }
  BitText operator+(const BitText& other) const { return {out_, out_.binary("add", bits_, other.bits_)}; }
  BitText operator-(const BitText& other) const { return {out_, out_.binary("sub", bits_, other.bits_)}; }
  BitText operator|(const BitText& other) const { return {out_, out_.binary("or", bits_, other.bits_)}; }
  /// Unsigned.
  [[nodiscard]] Ssa above(std::int64_t number) const { return out_.compare("icmp ugt", bits_, like(number)); }
  [[nodiscard]] Ssa as(std::string_view opcode, DType to) const { return out_.convert(opcode, bits_, to); }
  [[nodiscard]] BitText instead_where(const Ssa& condition, const BitText& other) const {
    return {out_, out_.select(condition, other.bits_, bits_)};
  }
  [[nodiscard]] const Ssa& value() const { return bits_; }

 private:
  [[nodiscard]] Ssa like(std::int64_t number) const { return literal_bits(bits_.dtype, number, bits_.width); }
  [[nodiscard]] BitText with(std::string_view opcode, std::int64_t number) const {
    return {out_, out_.binary(opcode, bits_, like(number))};
  }
  Instructions& out_;
  Ssa bits_;
};

BitText bits_of(Instructions& out, const Ssa& x) {
  return {out, out.convert("bitcast", x, x.dtype == DType::f32 ? DType::u32 : DType::u64)};
}

/// The half-open range [low, high) that an instruction converts; elsewhere `out_of_range`.
Ssa to_integer(Instructions& out, const Ssa& x, std::string_view opcode, DType to, double low, double high,
               const Ssa& out_of_range) {
  const Ssa above = out.compare("fcmp oge", x, literal(x.dtype, low, x.width));
  const Ssa below = out.compare("fcmp olt", x, literal(x.dtype, high, x.width));
  const Ssa inside = out.binary("and", above, below);
  return out.select(inside, out.convert(opcode, x, to), out_of_range);
}

Ssa resize(Instructions& out, const Ssa& x, DType to) {
  const std::size_t from_size = size_of(x.dtype), to_size = size_of(to);
  if (from_size == to_size) return {x.text, to, x.width, x.constant};
  return out.convert(from_size > to_size ? "trunc" : is_signed(x.dtype) ? "sext" : "zext", x, to);
}

Ssa float_to_integer(Instructions& out, const Ssa& x, DType to) {
  // No float lies between -2^31 - 1 and -2^31 that would not become -2^31 either way.
  const bool by_32 = size_of(to) < 4 || to == DType::i32;
  const DType through = by_32 ? DType::i32 : DType::i64;
  const double end = by_32 ? 0x1p31 : 0x1p63;
  const Ssa lowest = literal_bits(through, by_32 ? std::int64_t{INT32_MIN} : std::int64_t{INT64_MIN}, x.width);
  const Ssa integer = to_integer(out, x, "fptosi", through, -end, end, lowest);
  if (to != DType::u64) return resize(out, integer, to);
  return to_integer(out, x, "fptoui", DType::u64, 0x1p63, 0x1p64, {integer.text, DType::u64, x.width, false});
}

/// float64 as float32, rounded to odd: what is rounded again to fewer bits is then rounded once.
Ssa round_to_odd(Instructions& out, const Ssa& x) {
  const Ssa nearest = out.convert("fptrunc", x, DType::f32);
  const Ssa back = out.convert("fpext", nearest, DType::f64);
  const Ssa rounded_size = out.intrinsic("fabs", {back});
  const Ssa too_large = out.compare("fcmp ogt", rounded_size, out.intrinsic("fabs", {x}));
  const Ssa inexact = out.compare("fcmp one", back, x);
  const BitText bits = bits_of(out, nearest);
  const BitText cut = bits.instead_where(too_large, bits + -1);
  const BitText odd = cut.instead_where(inexact, cut | 1);
  return odd.as("bitcast", DType::f32);
}

/// Integers beyond 2^40 with what lies below bit 15 gathered in that bit: exact as float64 then, and on the same side
/// of every number with 8 bits.
Ssa integer_to_f64_to_odd(Instructions& out, const Ssa& x) {
  if (size_of(x.dtype) < 8) return out.convert(is_signed(x.dtype) ? "sitofp" : "uitofp", x, DType::f64);
  const Ssa zero = literal_bits(x.dtype, 0, x.width);
  const Ssa negative = is_signed(x.dtype) ? out.compare("icmp slt", x, zero) : literal(DType::boolean, 0, x.width);
  const Ssa size = out.select(negative, out.binary("sub", zero, x), x);
  const BitText bits(out, size);
  const BitText high = (bits >> 15) << 15;
  const BitText gathered = high | ((((bits & 0x7FFF) + 0x7FFF) >> 15) << 15);
  const Ssa large = bits.above((std::int64_t{1} << 40) - 1);
  const Ssa kept = bits.instead_where(large, gathered).value();
  const Ssa number = out.convert("uitofp", kept, DType::f64);
  return out.select(negative, out.emit(DType::f64, x.width, "fneg {} {}", type_of(number), number.text), number);
}

Ssa bf16_from_f32(Instructions& out, const Ssa& x) {
  const BitText bits = bits_of(out, x);
  const BitText rounded = (bits + (((bits >> 16) & 1) + 0x7FFF)) >> 16;
  // The quiet bit, so that no NaN becomes infinity.
  const BitText nan = (bits >> 16) | 0x40;
  return rounded.instead_where(out.compare("fcmp uno", x, x), nan).as("trunc", DType::bf16);
}

Ssa half_from_f32(Instructions& out, const Target& target, const Ssa& x) {
  if (target.half_conversions) {
    const std::string half = x.width == 1 ? "half" : fmt::format("<{} x half>", x.width);
    const Ssa narrow = out.emit(DType::f16, x.width, "fptrunc {} {} to {}", type_of(x), operand(x), half);
    return out.emit(DType::f16, x.width, "bitcast {} {} to {}", half, narrow.text, register_type(DType::f16, x.width));
  }
  const BitText all = bits_of(out, x);
  const BitText sign = (all >> 16) & 0x8000;
  const BitText size = all & 0x7FFFFFFF;
  const BitText normal = (size + (((size >> 13) & 1) + 0xFFF) + -(std::int64_t{112} << 23)) >> 13;
  // Adding 0.5 leaves the bits of a subnormal half, rounded, at the end of the mantissa.
  const Ssa half = literal(DType::f32, 0.5, x.width);
  const BitText shifted = bits_of(out, out.binary("fadd", size.as("bitcast", DType::f32), half));
  const BitText subnormal = shifted + -std::int64_t{0x3F000000};
  const Ssa small = out.compare("icmp ult", size.value(), literal_bits(DType::u32, 0x38800000, x.width));
  const BitText infinity(out, literal_bits(DType::u32, 0x7C00, x.width));
  const BitText nan = ((size >> 13) & 0x3FF) | 0x7E00;
  const BitText result = normal.instead_where(small, subnormal)
                             .instead_where(size.above(0x477FEFFF), infinity)
                             .instead_where(size.above(0x7F800000), nan);
  return (result | sign).as("trunc", DType::f16);
}

Ssa f32_from_half(Instructions& out, const Target& target, const Ssa& x) {
  if (target.half_conversions) {
    const std::string half = x.width == 1 ? "half" : fmt::format("<{} x half>", x.width);
    const Ssa narrow = out.emit(DType::f16, x.width, "bitcast {} {} to {}", type_of(x), operand(x), half);
    return out.emit(DType::f32, x.width, "fpext {} {} to {}", half, narrow.text, register_type(DType::f32, x.width));
  }
  const BitText all(out, out.convert("zext", x, DType::u32));
  const BitText sign = (all & 0x8000) << 16;
  const BitText size = all & 0x7FFF;
  const BitText shifted = size << 13;
  const BitText normal = shifted + (std::int64_t{112} << 23);
  const BitText special = shifted + (std::int64_t{224} << 23);
  const Ssa is_nan = size.above(0x7C00);
  const BitText quiet = special | 0x400000;
  // A subnormal half is its mantissa times 2^-24.
  const Ssa scaled =
      out.binary("fmul", out.convert("uitofp", size.value(), DType::f32), literal(DType::f32, 0x1p-24, x.width));
  const BitText result = bits_of(out, scaled)
                             .instead_where(size.above(0x3FF), normal)
                             .instead_where(size.above(0x7BFF), special)
                             .instead_where(is_nan, quiet);
  return (result | sign).as("bitcast", DType::f32);
}

Ssa to_f32(Instructions& out, const Target& target, const Ssa& x) {
  if (x.dtype == DType::f16) return f32_from_half(out, target, x);
  return (BitText(out, out.convert("zext", x, DType::u32)) << 16).as("bitcast", DType::f32);
}

Ssa to_f64(Instructions& out, const Ssa& x) {
  if (x.dtype == DType::f64) return x;
  if (x.dtype == DType::f32) return out.convert("fpext", x, DType::f64);
  return integer_to_f64_to_odd(out, x);
}

/// To float16 and bfloat16.
Ssa to_stored(Instructions& out, const Target& target, const Ssa& x, DType to) {
  Ssa single;
  if (x.dtype == DType::f32)
    single = x;
  else if (x.dtype == DType::boolean)
    single = out.convert("uitofp", x, DType::f32);
  else
    single = round_to_odd(out, to_f64(out, x));
  return to == DType::f16 ? half_from_f32(out, target, single) : bf16_from_f32(out, single);
}

}  // namespace

Ssa cast(Instructions& out, const Target& target, const Ssa& x, DType to) {
  const bool from_stored = x.dtype == DType::f16 || x.dtype == DType::bf16;
  if (x.dtype == to) return x;
  if (from_stored) return cast(out, target, to_f32(out, target, x), to);
  if (to == DType::f16 || to == DType::bf16) return to_stored(out, target, x, to);
  if (to == DType::boolean)
    return out.compare(is_float(x.dtype) ? "fcmp une" : "icmp ne", x, literal(x.dtype, 0, x.width));
  if (is_float(x.dtype)) {
    if (is_float(to)) return out.convert(to == DType::f64 ? "fpext" : "fptrunc", x, to);
    return float_to_integer(out, x, to);
  }
  if (is_float(to)) return out.convert(is_signed(x.dtype) ? "sitofp" : "uitofp", x, to);
  return x.dtype == DType::boolean ? out.convert("zext", x, to) : resize(out, x, to);
}

}  // namespace pawl::cpu
