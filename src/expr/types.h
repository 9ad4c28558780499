// What scalar operations make of element types.
#pragma once

#include "pawl/dtype.h"

namespace pawl::expr {

/// Floats that are computed with as they are.
constexpr bool is_float(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }
constexpr bool is_signed(DType dtype) {
  return dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32 || dtype == DType::i64;
}
constexpr bool is_integer(DType dtype) {
  return is_signed(dtype) || dtype == DType::u8 || dtype == DType::u16 || dtype == DType::u32 || dtype == DType::u64;
}
/// Floats of 16 bits, which are only stored.
constexpr bool is_stored(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }
/// Types that operations take.
constexpr bool is_computed(DType dtype) { return is_float(dtype) || is_integer(dtype) || dtype == DType::boolean; }
/// What elements of a type are computed with.
constexpr DType computed_type(DType dtype) { return is_stored(dtype) ? DType::f32 : dtype; }

}  // namespace pawl::expr
