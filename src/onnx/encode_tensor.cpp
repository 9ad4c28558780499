#include "onnx/encode_tensor.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "onnx/packing.h"

namespace pawl::onnx {
namespace {

/// That many bytes more must stay below what a message may have.
Result<void> check_room(const std::string& bytes, std::uint64_t more) {
  if (more > kMaxMessageBytes - std::min(bytes.size(), kMaxMessageBytes))
    return fail(Code::limit, "the result passes the 2 GiB that a protobuf message may have");
  return {};
}

Result<void> add_elements(std::string& bytes, pbf_writer& message, const Tensor& dense) {
  const auto count = static_cast<std::size_t>(dense.size());
  if (dense.dtype() == DType::string) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& text = dense.data<std::string>()[i];
      TRY(check_room(bytes, text.size()));
      message.add_bytes(6, text);
    }
    return {};
  }
  std::uint64_t size = 0;
  if (!file_size(dense.dtype(), count, size)) size = kMaxMessageBytes;
  TRY(check_room(bytes, size));
  if (is_packed(dense.dtype())) {
    std::string packed;
    packed.reserve(size);
    pack(dense.dtype(), dense.bytes(), count, packed);
    message.add_bytes(9, packed);
  } else {
    message.add_bytes(9, reinterpret_cast<const char*>(dense.bytes()), size);
  }
  return {};
}

bool is_zero(const Tensor& dense, std::size_t i) {
  if (dense.dtype() == DType::string) return dense.data<std::string>()[i].empty();
  const std::size_t width = size_of(dense.dtype());
  const std::byte* const element = dense.bytes() + i * width;
  return std::all_of(element, element + width, [](std::byte b) { return b == std::byte{0}; });
}

/// The elements at `positions`, as a tensor of one axis.
Result<Tensor> pick(const Tensor& dense, const std::vector<std::int64_t>& positions) {
  TRY_ASSIGN(Tensor picked, Tensor::allocate(dense.dtype(), {static_cast<std::int64_t>(positions.size())}));
  const std::size_t width = size_of(dense.dtype());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto from = static_cast<std::size_t>(positions[i]);
    if (dense.dtype() == DType::string) {
      picked.mutable_data<std::string>()[i] = dense.data<std::string>()[from];
    } else {
      std::memcpy(picked.mutable_bytes() + i * width, dense.bytes() + from * width, width);
    }
  }
  return picked;
}

}  // namespace

Result<void> encode_tensor(std::string& bytes, pbf_writer& message, const Tensor& tensor, const std::string& name) {
  if (!tensor.defined()) return fail(Code::bad_type, "tensor \"{}\" has no element type", name);
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  message.add_packed_int64(1, dense.shape().begin(), dense.shape().end());
  message.add_int32(2, static_cast<std::int32_t>(dense.dtype()));
  if (!name.empty()) message.add_string(8, name);
  return add_elements(bytes, message, dense);
}

Result<void> encode_sparse_tensor(std::string& bytes, pbf_writer& message, const Tensor& tensor) {
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < dense.size(); ++i)
    if (!is_zero(dense, static_cast<std::size_t>(i))) positions.push_back(i);
  TRY_ASSIGN(const Tensor values, pick(dense, positions));
  const Tensor indices = Tensor::borrow(DType::i64, {static_cast<std::int64_t>(positions.size())}, positions.data());
  TRY(write_message(bytes, message, 1, [&](pbf_writer& sub) { return encode_tensor(bytes, sub, values, ""); }));
  TRY(write_message(bytes, message, 2, [&](pbf_writer& sub) { return encode_tensor(bytes, sub, indices, ""); }));
  message.add_packed_int64(3, dense.shape().begin(), dense.shape().end());
  return {};
}

}  // namespace pawl::onnx
