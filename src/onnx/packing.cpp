#include "onnx/packing.h"

namespace pawl::onnx {

bool file_size(DType dtype, std::uint64_t count, std::uint64_t& bytes) {
  const auto bits = static_cast<std::uint64_t>(file_bits(dtype));
  std::uint64_t total = 0;
  if (__builtin_mul_overflow(count, bits, &total)) return false;
  bytes = total / 8 + (total % 8 != 0 ? 1 : 0);
  return true;
}

bool is_packed(DType dtype) {
  const int bits = file_bits(dtype);
  return bits > 0 && bits < 8;
}

void unpack(DType dtype, std::string_view packed, std::size_t count, std::byte* elements) {
  const auto bits = static_cast<unsigned>(file_bits(dtype));
  const unsigned mask = (1U << bits) - 1;
  const bool is_signed = dtype == DType::i4 || dtype == DType::i2;
  const unsigned sign = is_signed ? 1U << (bits - 1) : 0;
  unsigned window = 0;  // bits that were read and not yet taken
  unsigned ready = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (ready < bits) {
      window |= static_cast<unsigned>(static_cast<unsigned char>(packed[at++])) << ready;
      ready += 8;
    }
    const unsigned code = window & mask;
    // Two's complement: from the sign bit up, all bits are the sign.
    elements[i] = static_cast<std::byte>((code ^ sign) - sign);
    window >>= bits;
    ready -= bits;
  }
}

void pack(DType dtype, const std::byte* elements, std::size_t count, std::string& packed) {
  const auto bits = static_cast<unsigned>(file_bits(dtype));
  const unsigned mask = (1U << bits) - 1;
  unsigned window = 0;
  unsigned ready = 0;
  for (std::size_t i = 0; i < count; ++i) {
    window |= (static_cast<unsigned>(elements[i]) & mask) << ready;
    ready += bits;
    if (ready >= 8) {
      packed.push_back(static_cast<char>(window & 0xff));
      window >>= 8;
      ready -= 8;
    }
  }
  if (ready > 0) packed.push_back(static_cast<char>(window & 0xff));
}

}  // namespace pawl::onnx
