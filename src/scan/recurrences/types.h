// Element types that classes are defined for.
#pragma once

#include <array>

#include "pawl/dtype.h"

namespace pawl::scan {

inline constexpr std::array kNumbers = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,  DType::i16,
                                        DType::i32, DType::i64, DType::u8,  DType::u16,  DType::u32, DType::u64};
inline constexpr std::array kReals = {DType::f32, DType::f64, DType::f16, DType::bf16};
inline constexpr std::array kIntegers = {DType::i8, DType::i16, DType::i32, DType::i64,
                                         DType::u8, DType::u16, DType::u32, DType::u64};
/// What MatMul multiplies.
inline constexpr std::array kProducts = {DType::f32, DType::f64, DType::f16, DType::bf16,
                                         DType::i32, DType::i64, DType::u32, DType::u64};
inline constexpr std::array kBooleans = {DType::boolean};

/// Floats that are computed with: they round, and tell -0 from +0.
constexpr bool is_real(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

}  // namespace pawl::scan
