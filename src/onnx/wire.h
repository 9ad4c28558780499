// Protobuf fields, checked. Everything that decodes a message of the format goes through Fields.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/try.h"

namespace pawl::onnx {

/// How the elements of a repeated scalar field lie in a file.
enum class Scalar : std::uint8_t { varint, fixed32, fixed64 };

/// The elements of a repeated scalar field one after the other, as a packed field has them: a view of the file when
/// they lie together there, else a copy.
class Packed {
 public:
  void append(std::string_view chunk);
  [[nodiscard]] std::string_view bytes() const { return joined_.empty() ? first_ : joined_; }
  [[nodiscard]] bool empty() const { return first_.empty() && joined_.empty(); }
  /// True when bytes() lies in the file, and lives as long as that does.
  [[nodiscard]] bool in_file() const { return joined_.empty(); }

 private:
  std::string_view first_;
  std::string joined_;
};

/// Number of varints in a Packed.
std::size_t count_varints(std::string_view packed);

/// Calls store(i, value) for the varints of a Packed, which were found to be whole when they were read.
template <class Store>
void each_varint(std::string_view packed, Store&& store) {
  const char* at = packed.data();
  const char* const end = at + packed.size();
  for (std::size_t i = 0; at != end; ++i) store(i, protozero::decode_varint(&at, end));
}

/// The fields of one message, in the order of the file. The reading functions check the wire type, repeated scalars are
/// taken packed or not, and of a singular field that comes again the last one counts.
/// Errors: bad_file, naming message and field.
class Fields {
 public:
  Fields(std::string_view bytes, const char* message) : reader_(bytes.data(), bytes.size()), message_(message) {}

  /// Calls read(number) for every field; read() takes the field with one of the functions below.
  template <class Read>
  Result<void> each(Read&& read) {
    try {
      while (reader_.next()) {
        field_ = nullptr;
        number_ = reader_.tag();
        TRY(read(number_));
      }
      return {};
    } catch (const protozero::exception& problem) {
      return damaged(problem.what());
    }
  }

  Result<void> skip();
  Result<void> read(const char* field, std::string& target);
  Result<void> read(const char* field, std::vector<std::string>& target);
  Result<void> read(const char* field, std::string_view& target);
  Result<void> read(const char* field, std::int64_t& target);
  Result<void> read(const char* field, std::vector<std::int64_t>& target);
  Result<void> read(const char* field, float& target);
  Result<void> read(const char* field, std::vector<float>& target);
  Result<void> read(const char* field, Scalar kind, Packed& target);

  /// Reads a sub-message: target = decode(its fields).
  template <class T, class Decode>
  Result<void> read(const char* field, const char* message, T& target, Decode&& decode) {
    std::string_view bytes;
    TRY(read(field, bytes));
    TRY_ASSIGN_IN(field, target, decode(Fields(bytes, message)));
    return {};
  }

  /// Reads one of a repeated sub-message: target.push_back(decode(its fields)).
  template <class T, class Decode>
  Result<void> append(const char* field, const char* message, std::vector<T>& target, Decode&& decode) {
    std::string_view bytes;
    TRY(read(field, bytes));
    TRY_ASSIGN_IN(fmt::format("{} {}", field, target.size()), T item, decode(Fields(bytes, message)));
    target.push_back(std::move(item));
    return {};
  }

 private:
  Result<void> expect(const char* field, protozero::pbf_wire_type wanted);
  [[nodiscard]] Error damaged(const char* problem) const;
  [[nodiscard]] std::string place() const;

  protozero::pbf_reader reader_;
  const char* message_;
  const char* field_ = nullptr;  // the one being read; null for an unknown one
  std::uint32_t number_ = 0;
};

}  // namespace pawl::onnx
