// Element types of ONNX tensors, with the numbers of TensorProto.DataType.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pawl {

/// The 26 tensor types of Scan-25, and the two 6-bit floats that opset 28 adds.
enum class DType : std::uint8_t {
  undefined = 0,
  f32 = 1,
  u8 = 2,
  i8 = 3,
  u16 = 4,
  i16 = 5,
  i32 = 6,
  i64 = 7,
  string = 8,
  boolean = 9,
  f16 = 10,
  f64 = 11,
  u32 = 12,
  u64 = 13,
  c64 = 14,   ///< complex of two f32
  c128 = 15,  ///< complex of two f64
  bf16 = 16,
  f8e4m3fn = 17,
  f8e4m3fnuz = 18,
  f8e5m2 = 19,
  f8e5m2fnuz = 20,
  u4 = 21,
  i4 = 22,
  f4e2m1 = 23,
  f8e8m0 = 24,
  u2 = 25,
  i2 = 26,
  f6e2m3 = 27,
  f6e3m2 = 28,
};
inline constexpr int kDTypeCount = 29;

/// ONNX's own name in text syntax: "float", "int64", "float8e4m3fn"; "undefined" for 0.
std::string_view name(DType dtype);
/// The inverse of `name`; DType::undefined when the name is none.
DType dtype_from_name(std::string_view name);
/// True for 1 … 28.
bool is_dtype(std::int64_t number);

/// Bytes of one element in memory. Sub-byte types (4, 2 and 6 bits) take one byte each in memory and are packed in
/// files only; a string is a std::string object.
std::size_t size_of(DType dtype);
/// Bits of one element in a file: 4 for int4, 8 for bool; 0 for strings, which have no fixed size.
int file_bits(DType dtype);

}  // namespace pawl
