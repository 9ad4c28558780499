#include "onnx/wire.h"

#include <bit>
#include <cstring>

namespace pawl::onnx {
namespace {

using protozero::pbf_wire_type;

static_assert(std::endian::native == std::endian::little, "files and memory share their byte order");

const char* words(pbf_wire_type type) {
  switch (type) {
    case pbf_wire_type::varint: return "a varint";
    case pbf_wire_type::fixed64: return "8 bytes";
    case pbf_wire_type::length_delimited: return "a length and bytes";
    case pbf_wire_type::fixed32: return "4 bytes";
    default: return "an unknown wire type";
  }
}

pbf_wire_type wire_type(Scalar kind) {
  switch (kind) {
    case Scalar::fixed32: return pbf_wire_type::fixed32;
    case Scalar::fixed64: return pbf_wire_type::fixed64;
    case Scalar::varint: break;
  }
  return pbf_wire_type::varint;
}

/// True when every varint ends, and within the ten bytes that 64 bits take: then they can be decoded without a check.
bool whole_varints(std::string_view packed) {
  std::size_t length = 0;
  for (const char c : packed) {
    if (++length > protozero::max_varint_length) return false;
    if (static_cast<unsigned char>(c) < 0x80) length = 0;
  }
  return length == 0;
}

bool whole(Scalar kind, std::string_view packed) {
  switch (kind) {
    case Scalar::fixed32: return packed.size() % 4 == 0;
    case Scalar::fixed64: return packed.size() % 8 == 0;
    case Scalar::varint: break;
  }
  return whole_varints(packed);
}

}  // namespace

void Packed::append(std::string_view chunk) {
  if (empty()) {
    first_ = chunk;
    return;
  }
  if (joined_.empty()) joined_ = first_;
  joined_ += chunk;
}

std::size_t count_varints(std::string_view packed) {
  std::size_t count = 0;
  for (const char c : packed) count += static_cast<unsigned char>(c) < 0x80 ? 1 : 0;
  return count;
}

Result<void> Fields::skip() {
  reader_.skip();
  return {};
}

Result<void> Fields::read(const char* field, std::string& target) {
  TRY(expect(field, pbf_wire_type::length_delimited));
  target = reader_.get_string();
  return {};
}

Result<void> Fields::read(const char* field, std::vector<std::string>& target) {
  TRY(expect(field, pbf_wire_type::length_delimited));
  target.push_back(reader_.get_string());
  return {};
}

Result<void> Fields::read(const char* field, std::string_view& target) {
  TRY(expect(field, pbf_wire_type::length_delimited));
  const protozero::data_view view = reader_.get_view();
  target = {view.data(), view.size()};
  return {};
}

Result<void> Fields::read(const char* field, std::int64_t& target) {
  TRY(expect(field, pbf_wire_type::varint));
  target = reader_.get_int64();
  return {};
}

Result<void> Fields::read(const char* field, std::vector<std::int64_t>& target) {
  Packed chunk;
  TRY(read(field, Scalar::varint, chunk));
  each_varint(chunk.bytes(),
              [&](std::size_t, std::uint64_t value) { target.push_back(static_cast<std::int64_t>(value)); });
  return {};
}

Result<void> Fields::read(const char* field, float& target) {
  TRY(expect(field, pbf_wire_type::fixed32));
  target = reader_.get_float();
  return {};
}

Result<void> Fields::read(const char* field, std::vector<float>& target) {
  Packed chunk;
  TRY(read(field, Scalar::fixed32, chunk));
  const std::string_view bytes = chunk.bytes();
  if (bytes.empty()) return {};
  const std::size_t before = target.size();
  target.resize(before + bytes.size() / sizeof(float));
  std::memcpy(target.data() + before, bytes.data(), bytes.size());
  return {};
}

Result<void> Fields::read(const char* field, Scalar kind, Packed& target) {
  std::string_view chunk;
  if (reader_.wire_type() == pbf_wire_type::length_delimited) {
    TRY(read(field, chunk));
    if (!whole(kind, chunk)) return damaged("an element is cut off or too long");
  } else {
    TRY(expect(field, wire_type(kind)));
    const protozero::data_view before = reader_.data();
    reader_.skip();
    chunk = {before.data(), before.size() - reader_.data().size()};
  }
  target.append(chunk);
  return {};
}

Result<void> Fields::expect(const char* field, pbf_wire_type wanted) {
  field_ = field;
  if (reader_.has_wire_type(wanted)) return {};
  return fail(Code::bad_file, "not a valid ONNX file: {} is {} where {} should be", place(), words(reader_.wire_type()),
              words(wanted));
}

Error Fields::damaged(const char* problem) const {
  return fail(Code::bad_file, "not a valid ONNX file: {} is damaged ({})", place(), problem);
}

std::string Fields::place() const {
  if (field_ != nullptr) return fmt::format("{}.{}", message_, field_);
  return number_ == 0 ? std::string(message_) : fmt::format("{} after field {}", message_, number_);
}

}  // namespace pawl::onnx
