// What a SequenceProto or OptionalProto holds, with the numbers of their DataType.
#pragma once

#include <cstdint>

namespace pawl::onnx {

enum class ValueKind : std::uint8_t {
  undefined = 0,
  tensor = 1,
  sparse_tensor = 2,
  sequence = 3,
  map = 4,
  optional = 5
};
inline constexpr int kValueKindCount = 6;

}  // namespace pawl::onnx
