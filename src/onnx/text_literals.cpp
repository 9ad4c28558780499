#include "onnx/text_literals.h"

#include <cmath>
#include <cstring>

#include "base/try.h"
#include "onnx/text.h"
#include "onnx/text_types.h"
#include "tensor/scalar.h"
#include "tensor/walk.h"

namespace pawl::onnx {
namespace {

/// The smallest and largest value of an integer type of at most 32 bits, or of int64.
std::pair<std::int64_t, std::int64_t> range_of(DType dtype) {
  switch (dtype) {
    case DType::u2: return {0, 3};
    case DType::i2: return {-2, 1};
    case DType::u4: return {0, 15};
    case DType::i4: return {-8, 7};
    case DType::u8: return {0, 255};
    case DType::i8: return {-128, 127};
    case DType::u16: return {0, 65535};
    case DType::i16: return {-32768, 32767};
    case DType::u32: return {0, 4294967295};
    case DType::i32: return {-2147483648, 2147483647};
    default: return {INT64_MIN, INT64_MAX};
  }
}

/// False when `code` is what became of `value` only because the format has no such number.
bool represents(DType format, std::uint16_t code, double value) {
  const auto stored = static_cast<double>(decode_float(format, code));
  if (std::isnan(value) || std::isnan(stored)) return std::isnan(value) && std::isnan(stored);
  if (std::isinf(value) || std::isinf(stored)) return value == stored;
  if (value < 0 && stored > 0) return false;
  // The formats without infinity and NaN stop at their largest number; rounding moves none by more than a quarter.
  const bool stops = format == DType::f4e2m1 || format == DType::f6e2m3 || format == DType::f6e3m2;
  return !stops || std::abs(value) <= 1 || std::abs(value - stored) <= std::abs(stored) / 4;
}

}  // namespace

template <class T>
void ElementReader::put(T value) {
  const std::size_t at = bytes_.size();
  bytes_.resize(at + sizeof(T));
  std::memcpy(bytes_.data() + at, &value, sizeof(T));
}

Result<void> ElementReader::read(Lexer& lexer) {
  ++count_;
  switch (dtype_) {
    case DType::undefined: return lexer.expected("a tensor with an element type");
    case DType::string: {
      TRY_ASSIGN(std::string text, lexer.quoted("a string in double quotes"));
      strings_.push_back(std::move(text));
      return {};
    }
    case DType::boolean: return read_bool(lexer);
    case DType::c64:
    case DType::c128: {
      const bool pair = lexer.accept('(');
      TRY(read_number(lexer));
      TRY(lexer.expect(','));
      TRY(read_number(lexer));
      return pair ? lexer.expect(')') : Result<void>();
    }
    default: return read_number(lexer);
  }
}

Result<void> ElementReader::read_bool(Lexer& lexer) {
  const std::string_view word = lexer.peek_word();
  if (word == "true" || word == "false") {
    lexer.accept_word();
    put(word == "true");
    return {};
  }
  const std::size_t start = lexer.position();
  TRY_ASSIGN(const std::int64_t value, lexer.integer("0, 1, true or false"));
  if (value != 0 && value != 1) return lexer.error_at(start, "a bool is 0, 1, true or false");
  put(value == 1);
  return {};
}

Result<void> ElementReader::read_number(Lexer& lexer) {
  static_cast<void>(lexer.peek());
  const std::size_t start = lexer.position();
  TRY_ASSIGN(const Number number, lexer.number("a number"));
  const Result<void> read = [&]() -> Result<void> {
    switch (dtype_) {
      case DType::f32:
      case DType::c64: {
        TRY_ASSIGN(const float value, to_float(number));
        put(value);
        return {};
      }
      case DType::f64:
      case DType::c128: {
        TRY_ASSIGN(const double value, to_double(number));
        put(value);
        return {};
      }
      case DType::u64: {
        TRY_ASSIGN(const std::uint64_t value, to_uint64(number));
        put(value);
        return {};
      }
      case DType::i8:
      case DType::i16:
      case DType::i32:
      case DType::i64:
      case DType::u8:
      case DType::u16:
      case DType::u32:
      case DType::u2:
      case DType::i2:
      case DType::u4:
      case DType::i4: return read_integer(number);
      default: return read_small_float(number);
    }
  }();
  if (!read.ok()) return lexer.error_at(start, read.error().message);
  return {};
}

Result<void> ElementReader::read_integer(const Number& number) {
  TRY_ASSIGN(const std::int64_t value, to_int64(number));
  const auto [least, most] = range_of(dtype_);
  if (value < least || value > most)
    return fail(Code::bad_file, "{} does not fit into {} ({} … {})", value, name(dtype_), least, most);
  // Two's complement: the low bytes of a little-endian number in range are the number.
  const std::size_t at = bytes_.size();
  bytes_.resize(at + size_of(dtype_));
  std::memcpy(bytes_.data() + at, &value, size_of(dtype_));
  return {};
}

Result<void> ElementReader::read_small_float(const Number& number) {
  std::uint16_t code = 0;
  if (number.form == Number::Form::integer && small_floats_ == SmallFloats::integers_are_bits) {
    TRY_ASSIGN(const std::int64_t bits, to_int64(number));
    const std::int64_t most = (std::int64_t{1} << file_bits(dtype_)) - 1;
    if (bits < 0 || bits > most || number.text.front() == '-') {
      return fail(Code::bad_file, "an integer stands for the bits of a {} (0 … {}): write a value with a point, {}.0",
                  name(dtype_), most, number.text);
    }
    code = static_cast<std::uint16_t>(bits);
  } else {
    TRY_ASSIGN(const double value, to_double(number));
    code = encode_float(dtype_, value, Overflow::propagate);
    if (!represents(dtype_, code, value))
      return fail(Code::bad_file, "{} does not fit into {}", number.text, name(dtype_));
  }
  if (size_of(dtype_) == 1)
    put(static_cast<std::uint8_t>(code));
  else
    put(code);
  return {};
}

Result<Tensor> ElementReader::finish(const Dims& shape) const {
  TRY_ASSIGN(Tensor tensor, Tensor::allocate(dtype_, shape));
  CHECK(static_cast<std::size_t>(tensor.size()) == count_);
  if (dtype_ == DType::string)
    std::copy(strings_.begin(), strings_.end(), tensor.mutable_data<std::string>());
  else if (!bytes_.empty())
    std::memcpy(tensor.mutable_bytes(), bytes_.data(), bytes_.size());
  return tensor;
}

Result<Dims> literal_shape(Lexer& lexer, const Type& type) {
  std::optional<Dims> shape = type.is_tensor() ? type.static_shape() : std::nullopt;
  if (!shape || type.dtype == DType::undefined)
    return lexer.expected("a tensor type with numbers for all extents before its elements");
  return std::move(*shape);
}

Result<Tensor> parse_elements(Lexer& lexer, const Type& type, SmallFloats small_floats) {
  TRY_ASSIGN(const Dims shape, literal_shape(lexer, type));
  static_cast<void>(lexer.peek());
  const std::size_t start = lexer.position();
  TRY(lexer.expect('{'));
  ElementReader reader(type.dtype, small_floats);
  if (!lexer.accept('}')) {
    do {
      TRY(reader.read(lexer));
    } while (lexer.accept(','));
    TRY(lexer.expect('}'));
  }
  const std::optional<std::int64_t> wanted = checked_size(shape);
  if (!wanted || static_cast<std::uint64_t>(*wanted) != reader.count())
    return lexer.error_at(start,
                          fmt::format("{} has not the {} elements that are given", to_string(type), reader.count()));
  return reader.finish(shape);
}

Result<Tensor> parse_tensor(std::string_view text) {
  Lexer lexer(text);
  TRY_ASSIGN(const Type type, parse_type(lexer));
  TRY_ASSIGN(Tensor tensor, parse_elements(lexer, type, SmallFloats::integers_are_values));
  if (!lexer.at_end()) return lexer.expected("the end of the text");
  return tensor;
}

}  // namespace pawl::onnx
