#include "onnx/text_lexer.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/try.h"

namespace pawl::onnx {
namespace {

// The characters of the C locale, whatever the locale of the process is.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// True for the bytes of a UTF-8 character after its first.
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// True when a decimal number is below 1: its leading digit stands behind the point.
bool below_one(std::string_view text) {
  std::int64_t exponent = 0;
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  if (mark < text.size()) {
    const std::size_t digits = mark + (mark + 1 < text.size() && text[mark + 1] == '+' ? 2 : 1);
    const auto [end, code] = std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
    if (code == std::errc::result_out_of_range)
      exponent =
          text[digits] == '-' ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int32_t>::max();
    exponent = std::clamp<std::int64_t>(exponent, std::numeric_limits<std::int32_t>::min(),
                                        std::numeric_limits<std::int32_t>::max());
  }
  const std::string_view digits = text.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t leading = digits.find_first_not_of("-0.");
  if (leading == std::string_view::npos) return true;
  const auto distance = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(leading);
  return exponent + distance <= 0;
}

/// How the bits of a NaN begin: "nan(0x7fc00001)".
constexpr std::string_view kBits = "(0x";

template <class T>
Result<T> to_special(std::string_view text) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if (const std::size_t start = text.find(kBits); start != std::string_view::npos) {
    const std::string_view digits = text.substr(start + kBits.size(), text.size() - start - kBits.size() - 1);
    Bits bits = 0;
    const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    if (code != std::errc() || stop != digits.data() + digits.size() || !std::isnan(std::bit_cast<T>(bits)))
      return fail(Code::bad_file, "{} does not have the {} bits of a NaN", text, 8 * sizeof(T));
    return std::bit_cast<T>(bits);
  }
  const bool negative = text.front() == '-';
  const bool nan = (text[negative ? 1 : 0] | 0x20) == 'n';
  const T value = nan ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity();
  return negative ? -value : value;
}

template <class T>
Result<T> to_real(const Number& number, std::string_view type) {
  if (number.form == Number::Form::special) return to_special<T>(number.text);
  T value = 0;
  const char* const begin = number.text.data();
  const char* const end = begin + number.text.size();
  const auto [stop, code] = std::from_chars(begin, end, value);
  if (code == std::errc()) return value;
  if (below_one(number.text)) return number.text.front() == '-' ? T(-0.0) : T(0);
  return fail(Code::bad_file, "{} does not fit into a {}", number.text, type);
}

template <class T>
Result<T> to_integer(const Number& number) {
  if (number.form != Number::Form::integer) return fail(Code::bad_file, "expected an integer, found {}", number.text);
  T value = 0;
  const char* const begin = number.text.data();
  const char* const end = begin + number.text.size();
  const auto [stop, code] = std::from_chars(begin, end, value);
  if (code != std::errc() || stop != end) return fail(Code::bad_file, "{} is out of range", number.text);
  return value;
}

}  // namespace

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

bool Lexer::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

char Lexer::peek() { return at_end() ? '\0' : text_[at_]; }

bool Lexer::accept(char c) {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

Result<void> Lexer::expect(char c) {
  if (accept(c)) return {};
  return expected(fmt::format("'{}'", c));
}

Result<void> Lexer::expect_arrow() {
  skip_blanks();
  if (text_.substr(at_, 2) != "=>") return expected("'=>'");
  at_ += 2;
  return {};
}

std::string_view Lexer::peek_word() {
  skip_blanks();
  if (at_ == text_.size() || is_digit(text_[at_])) return {};
  std::size_t end = at_;
  while (end < text_.size() && is_word(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

std::string_view Lexer::accept_word() {
  const std::string_view word = peek_word();
  at_ += word.size();
  return word;
}

char Lexer::peek_after_word() {
  const std::size_t start = at_;
  accept_word();
  const char next = peek();
  at_ = start;
  return next;
}

Result<std::string> Lexer::name(std::string_view what) {
  if (peek() == '"') return quoted(what);
  const std::string_view word = accept_word();
  if (word.empty()) return expected(what);
  return std::string(word);
}

Result<std::string> Lexer::quoted(std::string_view what) {
  if (peek() != '"') return expected(what);
  const std::size_t start = at_;
  std::string value;
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      ++at_;
      return value;
    }
    if (text_[at_] == '\\') ++at_;
    if (at_ < text_.size()) value += text_[at_];
  }
  at_ = text_.size();
  return error_at(start, "this string has no closing quote");
}

Result<Number> Lexer::number(std::string_view what) {
  skip_blanks();
  std::size_t end = at_;
  const auto digits = [&] {
    const std::size_t start = end;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    return end > start;
  };
  if (end < text_.size() && text_[end] == '-') ++end;
  Number number;
  if (end < text_.size() && is_letter(text_[end])) {
    const std::size_t start = end;
    while (end < text_.size() && is_word(text_[end])) ++end;
    if (!is_special_number(text_.substr(start, end - start))) return expected(what);
    number.form = Number::Form::special;
    if (text_.substr(end, kBits.size()) == kBits) {
      end = text_.find(')', end);
      if (end++ == std::string_view::npos) return error_at(at_, "the bits of this number have no closing ')'");
    }
  } else {
    if (!digits()) return expected(what);
    if (end < text_.size() && text_[end] == '.') {
      ++end;
      digits();
      number.form = Number::Form::decimal;
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      ++end;
      if (end < text_.size() && (text_[end] == '+' || text_[end] == '-')) ++end;
      if (!digits()) return error_at(at_, "this number has an exponent without digits");
      number.form = Number::Form::decimal;
    }
  }
  number.text = text_.substr(at_, end - at_);
  at_ = end;
  return number;
}

Result<std::int64_t> Lexer::integer(std::string_view what) {
  skip_blanks();
  const std::size_t start = at_;
  TRY_ASSIGN(const Number written, number(what));
  const Result<std::int64_t> value = to_int64(written);
  if (!value.ok()) return error_at(start, value.error().message);
  return value;
}

Error Lexer::expected(std::string_view what) {
  skip_blanks();
  return error_at(at_, fmt::format("expected {}, found {}", what, found()));
}

Error Lexer::error_at(std::size_t position, std::string_view message, Code code) const {
  const std::string_view before = text_.substr(0, position);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string_view in_line = before.substr(start);
  const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), [](char c) { return !continues_character(c); });
  return fail(code, "{}:{}: {}", line, column, message);
}

std::string Lexer::found() const {
  constexpr std::size_t kShown = 24;
  if (at_ == text_.size()) return "the end of the text";
  std::size_t end = at_ + 1;
  if (text_[at_] == '"') {
    end = std::min(text_.find_first_of("\"\n", end), text_.size() - 1) + 1;
  } else if (is_word(text_[at_])) {
    while (end < text_.size() && is_word(text_[end])) ++end;
  }
  // A character of several bytes is shown whole.
  std::size_t shown = std::min(end, at_ + kShown);
  while (shown < text_.size() && continues_character(text_[shown])) ++shown;
  std::string word(text_.substr(at_, shown - at_));
  for (char& c : word)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return fmt::format("'{}{}'", word, shown < end ? "…" : "");
}

bool is_special_number(std::string_view word) {
  const auto same = [](char a, char lower) { return (a | 0x20) == lower; };
  for (const std::string_view special :
       {std::string_view("inf"), std::string_view("infinity"), std::string_view("nan")})
    if (std::equal(word.begin(), word.end(), special.begin(), special.end(), same)) return true;
  return false;
}

bool is_plain_identifier(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) && std::all_of(name.begin(), name.end(), is_word);
}

Result<std::int64_t> to_int64(const Number& number) { return to_integer<std::int64_t>(number); }
Result<std::uint64_t> to_uint64(const Number& number) { return to_integer<std::uint64_t>(number); }
Result<float> to_float(const Number& number) { return to_real<float>(number, "float"); }
Result<double> to_double(const Number& number) { return to_real<double>(number, "double"); }

}  // namespace pawl::onnx
