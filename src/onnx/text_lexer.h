// The words of ONNX's text syntax: names, strings, numbers and single characters, with blanks and # comments between
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pawl/error.h"

namespace pawl::onnx {

/// A number as it is written: "-12", "1.5e-3", "inf", "-nan". Beyond ONNX's own parser, "nan(0x7fc00001)" is the NaN
/// with those bits.
struct Number {
  enum class Form : std::uint8_t { integer, decimal, special };
  std::string_view text;
  Form form = Form::integer;
};

/// A position in a text, moved on by what is read there. Every error is bad_file and says "line:column: expected …,
/// found …".
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// True when only blanks and comments are left.
  bool at_end();
  /// The next character that is not blank; '\0' at the end.
  char peek();
  /// Reads `c` if it comes next.
  bool accept(char c);
  Result<void> expect(char c);
  /// "=>"
  Result<void> expect_arrow();

  /// The plain identifier ([A-Za-z_][A-Za-z0-9_]*) that comes next, else "".
  std::string_view peek_word();
  std::string_view accept_word();
  /// The character after the identifier that comes next.
  char peek_after_word();

  /// A plain identifier or a quoted string. `what` says in the error what was expected.
  Result<std::string> name(std::string_view what);
  /// A string in double quotes; a backslash takes the next character as it is.
  Result<std::string> quoted(std::string_view what);
  Result<Number> number(std::string_view what);
  Result<std::int64_t> integer(std::string_view what);

  [[nodiscard]] std::size_t position() const { return at_; }
  /// "expected `what`, found …" at the next word.
  Error expected(std::string_view what);
  /// An error about the text at `position`.
  [[nodiscard]] Error error_at(std::size_t position, std::string_view message, Code code = Code::bad_file) const;

 private:
  void skip_blanks();
  [[nodiscard]] std::string found() const;

  std::string_view text_;
  std::size_t at_ = 0;
};

/// True for inf, infinity and nan, in any case.
bool is_special_number(std::string_view word);

/// True for [A-Za-z_][A-Za-z0-9_]*.
bool is_plain_identifier(std::string_view name);

/// The values of a number. Errors (bad_file, without a position): no integer, out of range; floats: overflow. A number
/// too small for its type is zero.
Result<std::int64_t> to_int64(const Number& number);
Result<std::uint64_t> to_uint64(const Number& number);
Result<float> to_float(const Number& number);
Result<double> to_double(const Number& number);

}  // namespace pawl::onnx
