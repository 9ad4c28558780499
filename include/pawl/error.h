// Errors of the public API: a code, a message, and the chain of places that leads to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pawl {

/// What kind of thing is at fault. Every code but `internal` is about the caller's data or machine.
enum class Code : std::uint8_t {
  io,            ///< A file cannot be opened, read or written.
  bad_file,      ///< Bytes that are not what they claim to be: truncated, corrupt, not ONNX, not .npy.
  bad_model,     ///< A well-formed file whose graph breaks a rule of the standard.
  bad_shape,     ///< Shapes, ranks or axes that do not fit together.
  bad_type,      ///< Element types or value kinds that do not fit together.
  bad_value,     ///< A value outside of what the operator or option allows.
  bad_argument,  ///< The call itself: a missing, extra or misspelt input, option or file.
  unsupported,   ///< Legal, and not implemented; the message names the operator, type or feature.
  limit,         ///< A stated bound was passed: memory, nesting, steps.
  interrupted,   ///< The caller asked to stop.
  internal,      ///< A bug in pawl.
};

/// The code's name, as in `Code::bad_shape` → "bad_shape".
std::string_view name(Code code);

/// One failure. `where` runs from the outermost place (a file, which ends in a colon) to the innermost (body, node,
/// input).
struct Error {
  Code code = Code::internal;
  std::string message;
  std::vector<std::string> where;

  /// "model.onnx: scan "S1" / body node "Mul_3" / input 0: shape [2,3] cannot be broadcast with [3,2]"
  [[nodiscard]] std::string to_string() const;

  /// Adds the file that all this is about in front of the chain.
  Error&& in_file(std::string path) && { return std::move(*this).in(std::move(path) + ":"); }

  /// Adds an outer place in front of the chain.
  Error&& in(std::string place) && {
    where.insert(where.begin(), std::move(place));
    return std::move(*this);
  }
};

/// Either a value or an Error. `TRY` and `TRY_ASSIGN` (src/base/try.h) pass the error on.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T held) : state_(std::in_place_index<0>, std::move(held)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// The value; calling it on a failure is a bug of the caller (std::bad_variant_access).
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

/// A step that either works or fails: `return {};` is success.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return error_.index() == 0; }
  explicit operator bool() const { return ok(); }
  Error& error() & { return std::get<1>(error_); }
  const Error& error() const& { return std::get<1>(error_); }
  Error&& error() && { return std::get<1>(std::move(error_)); }

 private:
  std::variant<std::monostate, Error> error_;
};

}  // namespace pawl
