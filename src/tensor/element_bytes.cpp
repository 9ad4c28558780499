#include "tensor/element_bytes.h"

#include <utility>

#include "base/try.h"
#include "tensor/scalar.h"
#include "tensor/walk.h"

namespace pawl {
namespace {

/// The bytes that an element of one byte may be.
std::pair<int, int> byte_range(DType dtype) {
  switch (dtype) {
    case DType::boolean: return {0, 1};
    case DType::u4: return {0, U4::kMax};
    case DType::i4: return {I4::kMin, I4::kMax};
    case DType::u2: return {0, U2::kMax};
    case DType::i2: return {I2::kMin, I2::kMax};
    case DType::f4e2m1: return {0, 15};
    case DType::f6e2m3:
    case DType::f6e3m2: return {0, 63};
    default: return {0, 255};
  }
}

}  // namespace

Result<void> check_element_bytes(const Tensor& tensor) {
  const std::pair<int, int> range = byte_range(tensor.dtype());
  const int least = range.first;
  const int most = range.second;
  if (size_of(tensor.dtype()) != 1 || most == 255) return {};
  const bool is_signed = least < 0;
  const auto* bytes = tensor.data<unsigned char>();
  bool fits = true;
  walk<1>(tensor.shape(), {&tensor.strides()}, [&](std::int64_t at) {
    const int value = is_signed ? static_cast<signed char>(bytes[at]) : bytes[at];
    fits = fits && value >= least && value <= most;
  });
  if (!fits) return fail(Code::bad_value, "a byte outside of {} to {} as {}", least, most, name(tensor.dtype()));
  return {};
}

}  // namespace pawl
