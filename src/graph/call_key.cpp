// What makes two calls of an operator the same.
#include "graph/builder.h"

namespace pawl::graph {
namespace {

constexpr std::int64_t kMaxComparedBytes = 4096;

template <class T>
void append_bytes(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append(std::string& key, const std::string& text) {
  append_bytes(key, text.size());
  key += text;
}
void append(std::string& key, float value) { append_bytes(key, value); }
void append(std::string& key, std::int64_t value) { append_bytes(key, value); }
void append(std::string& key, const Type& type) { append(key, to_string(type)); }

void append(std::string& key, const Tensor& tensor) {
  append_bytes(key, tensor.dtype());
  append_bytes(key, tensor.rank());
  for (const std::int64_t extent : tensor.shape()) append_bytes(key, extent);
  const std::int64_t bytes = tensor.size() * static_cast<std::int64_t>(size_of(tensor.dtype()));
  if (tensor.dense() && tensor.dtype() != DType::string && bytes <= kMaxComparedBytes) {
    key.append(reinterpret_cast<const char*>(tensor.bytes()), static_cast<std::size_t>(bytes));
  } else {
    append_bytes(key, tensor.bytes());
    for (const std::int64_t stride : tensor.strides()) append_bytes(key, stride);
  }
}

template <class T>
void append(std::string& key, const std::vector<T>& list) {
  append_bytes(key, list.size());
  for (const T& item : list) append(key, item);
}

}  // namespace

std::string key_of(const OpCall& call) {
  std::string key(reinterpret_cast<const char*>(&call.schema), sizeof call.schema);
  for (const ops::Attribute& attribute : call.attributes.list()) {
    append(key, attribute.name);
    append_bytes(key, attribute.payload.index());
    std::visit([&](const auto& payload) { append(key, payload); }, attribute.payload);
  }
  return key;
}

}  // namespace pawl::graph
