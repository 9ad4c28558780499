// Protobuf messages written by hand, for tests: the encoding is that of the protobuf documentation, not of our code.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "onnx/read.h"

namespace pawl::onnx {

/// A message, field by field: Message().varint(1, 8).text(2, "name").
class Message {
 public:
  Message& varint(std::uint32_t field, std::int64_t value) {
    key(field, 0);
    return raw_varint(static_cast<std::uint64_t>(value));
  }
  Message& text(std::uint32_t field, const std::string& bytes) {
    key(field, 2);
    raw_varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  Message& message(std::uint32_t field, const Message& sub) { return text(field, sub.bytes_); }
  Message& fixed32(std::uint32_t field, float value) {
    key(field, 5);
    return raw(&value, sizeof(value));
  }
  Message& fixed64(std::uint32_t field, double value) {
    key(field, 1);
    return raw(&value, sizeof(value));
  }
  /// Without a key: for packed fields and for damage.
  Message& raw_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
    return *this;
  }
  Message& raw(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
    return *this;
  }
  Message& key(std::uint32_t field, unsigned wire_type) { return raw_varint(std::uint64_t{field} << 3 | wire_type); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Bytes of their own, in a block of exactly their size, so that a sanitizer sees a read past the end.
inline Bytes owned_bytes(const std::string& text) {
  auto* const block = new std::byte[text.size()];
  if (!text.empty()) std::memcpy(block, text.data(), text.size());
  Bytes bytes;
  bytes.owner = std::shared_ptr<const void>(block, [](const void* p) { delete[] static_cast<const std::byte*>(p); });
  bytes.data = {block, text.size()};
  return bytes;
}

/// A model of IR version 8 around a graph.
inline Message model_of(const Message& graph) {
  return Message().varint(1, 8).message(7, graph).message(8, Message().text(1, "").varint(2, 17));
}

}  // namespace pawl::onnx
