#include "backend/cpu/instructions.h"

#include <algorithm>
#include <bit>

#include "tensor/scalar.h"

namespace pawl::cpu {

std::string_view register_type(DType dtype) {
  switch (dtype) {
    case DType::f32: return "float";
    case DType::f64: return "double";
    case DType::boolean: return "i1";
    default: break;
  }
  switch (size_of(dtype)) {
    case 1: return "i8";
    case 2: return "i16";
    case 4: return "i32";
    default: return "i64";
  }
}

std::string register_type(DType dtype, int width) {
  if (width == 1) return std::string(register_type(dtype));
  return fmt::format("<{} x {}>", width, register_type(dtype));
}

std::string operand(const Ssa& value) {
  if (!value.constant || value.width == 1) return value.text;
  return fmt::format("splat ({} {})", register_type(value.dtype), value.text);
}

std::string suffix(DType dtype, int width) {
  const std::string element = dtype == DType::f32   ? "f32"
                              : dtype == DType::f64 ? "f64"
                                                    : std::string(register_type(dtype));
  return width == 1 ? "." + element : fmt::format(".v{}{}", width, element);
}

Ssa literal(DType dtype, double value, int width) {
  // A float is written as the double of the same value.
  if (dtype == DType::f32) value = static_cast<double>(static_cast<float>(value));
  if (is_float(dtype)) return {fmt::format("0x{:016X}", std::bit_cast<std::uint64_t>(value)), dtype, width, true};
  if (dtype == DType::boolean) return {value != 0 ? "true" : "false", dtype, width, true};
  if (dtype == DType::f16 || dtype == DType::bf16)
    return literal_bits(dtype, encode_float(dtype, value, Overflow::propagate), width);
  if (value >= 0x1p63 && value < 0x1p64)
    return literal_bits(dtype, static_cast<std::int64_t>(static_cast<std::uint64_t>(value)), width);
  const bool fits = value >= -0x1p63 && value < 0x1p63;
  return literal_bits(dtype, fits ? static_cast<std::int64_t>(value) : INT64_MIN, width);
}

Ssa literal_bits(DType dtype, std::int64_t value, int width) {
  if (dtype == DType::boolean) return {value != 0 ? "true" : "false", dtype, width, true};
  switch (size_of(dtype)) {
    case 1: value = static_cast<std::int8_t>(value); break;
    case 2: value = static_cast<std::int16_t>(value); break;
    case 4: value = static_cast<std::int32_t>(value); break;
    default: break;
  }
  return {fmt::format("{}", value), dtype, width, true};
}

Ssa index(std::int64_t value) { return literal_bits(DType::i64, value); }

Ssa Instructions::select(const Ssa& condition, const Ssa& yes, const Ssa& no) {
  return emit(yes.dtype, yes.width, "select {} {}, {} {}, {} {}", type_of(condition), operand(condition), type_of(yes),
              operand(yes), type_of(no), operand(no));
}

Ssa Instructions::intrinsic(std::string_view name, const std::vector<Ssa>& operands) {
  const Ssa& first = operands[0];
  const std::string type = type_of(first);
  const std::string function = fmt::format("@llvm.{}{}", name, suffix(first.dtype, first.width));
  std::string types, values;
  for (const Ssa& value : operands) {
    types += (types.empty() ? "" : ", ") + type;
    values += fmt::format("{}{} {}", values.empty() ? "" : ", ", type, operand(value));
  }
  // Whether the lowest number has an absolute value.
  if (name == "abs") {
    types += ", i1";
    values += ", i1 false";
  }
  declare(fmt::format("declare {} {}({})", type, function, types));
  return emit(first.dtype, first.width, "call {} {}({})", type, function, values);
}

Ssa Instructions::splat(const Ssa& value, int width) {
  if (value.width == width) return value;
  if (value.constant) return {value.text, value.dtype, width, true};
  const std::string type = register_type(value.dtype, width);
  const Ssa first =
      emit(value.dtype, width, "insertelement {} poison, {} {}, i64 0", type, register_type(value.dtype), value.text);
  return emit(value.dtype, width, "shufflevector {} {}, {} poison, <{} x i32> zeroinitializer", type, first.text, type,
              width);
}

void Instructions::declare(std::string declaration) {
  if (std::find(declarations_.begin(), declarations_.end(), declaration) == declarations_.end())
    declarations_.push_back(std::move(declaration));
}

}  // namespace pawl::cpu
