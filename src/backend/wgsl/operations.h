// Scalar operations as WGSL expressions.
#pragma once

#include <span>
#include <string>

#include "expr/op.h"
#include "pawl/error.h"

namespace pawl::wgsl {

/// An expression without side effects, of a name or literal, and its type.
struct Term {
  std::string text;
  DType dtype = DType::undefined;
};

/// "f32", "i32", "u32", "bool", "f16"; empty for types that WGSL lacks.
std::string_view type_word(DType dtype);
/// How elements lie in buffers: booleans as u32.
std::string_view element_word(DType dtype);

/// A float; infinities and NaN by their bits, which no constant expression may be.
std::string literal(DType dtype, double value);
/// An integer by its low bits; a boolean.
std::string literal_bits(DType dtype, std::int64_t bits);

/// One operation that is no function. Errors: unsupported.
Result<std::string> expression(expr::Op op, std::span<const Term> operands, DType to);

}  // namespace pawl::wgsl
