// Elements of less than a byte, as files pack them: one stream of bits, the first element in the lowest bits of the
// first byte. For int4 that is two per byte, low nibble first; for int2 four per byte; for float6 four in three bytes.
// What is left over of the last byte is zero. Source: ONNX technical notes int2, int4, float4, float6 ("Packing and
// Unpacking").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pawl/dtype.h"

namespace pawl::onnx {

/// Bytes that `count` elements take in a file; false when that is more than std::uint64_t can say. Not for strings.
bool file_size(DType dtype, std::uint64_t count, std::uint64_t& bytes);

/// True for the types that are packed: those of less than 8 bits.
bool is_packed(DType dtype);

/// Unpacks `count` elements to one byte each; signed integers are sign-extended. packed.size() is their file_size().
void unpack(DType dtype, std::string_view packed, std::size_t count, std::byte* elements);

/// The inverse, appended to `packed`.
void pack(DType dtype, const std::byte* elements, std::size_t count, std::string& packed);

}  // namespace pawl::onnx
