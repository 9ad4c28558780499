#include "onnx/tensor_data.h"

#include <algorithm>
#include <charconv>

#include "onnx/packing.h"
#include "tensor/walk.h"

namespace pawl::onnx {
namespace {

/// More axes than anybody uses: code that is quadratic in the rank must not be fed with a hostile one.
constexpr std::size_t kMaxRank = 64;

std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Bytes of one element per byte, as files pack them; the padding of float6 must be zero, as the standard's checker has
/// it.
Result<Tensor> unpacked(const TensorHead& head, std::string_view packed, Source& source) {
  const auto bits = static_cast<std::size_t>(file_bits(head.dtype));
  const std::size_t used = head.count * bits % 8;
  if (bits == 6 && used != 0 && (static_cast<unsigned char>(packed.back()) >> used) != 0)
    return fail(Code::bad_file, "{}: the unused bits of the last byte are not zero", describe(head));
  TRY_ASSIGN(Tensor tensor, source.allocate(head.dtype, head.shape));
  unpack(head.dtype, packed, head.count, tensor.mutable_bytes());
  return tensor;
}

/// A view where all bytes are 0 or 1; any other byte means true, and no C++ bool may hold it.
Result<Tensor> booleans(const TensorHead& head, std::string_view bytes, const std::shared_ptr<const void>& owner,
                        Source& source) {
  if (std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0 || c == 1; }))
    return Tensor::borrow(head.dtype, head.shape, bytes.data(), owner);
  TRY_ASSIGN(Tensor tensor, source.allocate(head.dtype, head.shape));
  std::transform(bytes.begin(), bytes.end(), tensor.mutable_bytes(), [](char c) { return std::byte{c != 0}; });
  return tensor;
}

Result<std::uint64_t> parse_number(const TensorHead& head, const char* what, const std::string& digits) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, problem] = std::from_chars(digits.data(), end, number);
  if (problem != std::errc() || stop != end)
    return fail(Code::bad_file, "{}: the {} \"{}\" of its external data is not a number of bytes", describe(head), what,
                digits);
  return number;
}

}  // namespace

std::string describe(const TensorHead& head) {
  return fmt::format("tensor \"{}\" of type {}{}", head.name, name(head.dtype), pawl::to_string(head.shape));
}

Result<Dims> checked_shape(const std::string& name, const std::vector<std::int64_t>& dims) {
  if (dims.size() > kMaxRank)
    return fail(Code::limit, "tensor \"{}\" has {} axes; {} is the most", name, dims.size(), kMaxRank);
  Dims shape{std::span<const std::int64_t>(dims)};
  if (!checked_size(shape))
    return fail(Code::bad_file,
                "tensor \"{}\" has shape {}, which is not one: an extent is negative or the size overflows", name,
                pawl::to_string(shape));
  return shape;
}

Result<Tensor> tensor_from_raw(const TensorHead& head, std::string_view bytes, const std::shared_ptr<const void>& owner,
                               Source& source) {
  if (head.dtype == DType::string) return fail(Code::bad_file, "{}: strings cannot be raw bytes", describe(head));
  std::uint64_t needed = 0;
  if (!file_size(head.dtype, head.count, needed)) return fail(Code::bad_file, "{} is too large", describe(head));
  if (needed != bytes.size())
    return fail(Code::bad_file, "{} needs {} bytes of data, found {}", describe(head), needed, bytes.size());
  if (head.count == 0) return source.allocate(head.dtype, head.shape);
  if (is_packed(head.dtype)) return unpacked(head, bytes, source);
  if (head.dtype == DType::boolean) return booleans(head, bytes, owner, source);
  return Tensor::borrow(head.dtype, head.shape, bytes.data(), owner);
}

Result<Tensor> tensor_from_external(const TensorHead& head, const ExternalData& place, Source& source) {
  if (head.dtype == DType::string) return fail(Code::bad_file, "{}: strings cannot be external data", describe(head));
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  if (!file_size(head.dtype, head.count, length)) return fail(Code::bad_file, "{} is too large", describe(head));
  if (!place.offset.empty()) {
    TRY_ASSIGN(offset, parse_number(head, "offset", place.offset));
  }
  if (!place.length.empty()) {
    TRY_ASSIGN(length, parse_number(head, "length", place.length));
  }
  TRY_ASSIGN_IN(fmt::format("tensor \"{}\"", head.name), const Bytes file, source.external(place.location));
  const std::uint64_t size = file.data.size();
  if (offset > size || length > size - offset)
    return fail(Code::bad_file,
                "{}: its external data at offset {}, length {} does not fit into \"{}\", which has {} bytes",
                describe(head), offset, length, place.location, size);
  return tensor_from_raw(head, text(file.data).substr(offset, length), file.owner, source);
}

}  // namespace pawl::onnx
