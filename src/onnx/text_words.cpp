#include "onnx/text_words.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "onnx/text_lexer.h"
#include "onnx/text_types.h"
#include "tensor/scalar.h"

namespace pawl::onnx {
namespace {

template <class T>
void print_integer(std::string& out, T value) {
  std::array<char, 24> text;
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

template <class T>
void print_real(std::string& out, T value) {
  std::array<char, 32> text;
  if (!std::isnan(value)) {
    out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
    return;
  }
  // The NaN that "nan" reads back to, the same with a sign, or any other by its bits.
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const auto bits = std::bit_cast<Bits>(value);
  const auto plain = std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
  const Bits sign = Bits{1} << (8 * sizeof(T) - 1);
  if (std::signbit(value) && bits == (plain | sign)) out += '-';
  out += "nan";
  if (bits == plain || bits == (plain | sign)) return;
  out += "(0x";
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), bits, 16).ptr);
  out += ')';
}

/// True when a number would be taken for an integer.
bool looks_like_integer(std::string_view number) {
  return number.find_first_not_of("-0123456789") == std::string_view::npos;
}

void print_with_point(std::string& out, float value) {
  const std::size_t start = out.size();
  print_real(out, value);
  if (looks_like_integer(std::string_view(out).substr(start))) out += ".0";
}

void print_small_float(std::string& out, DType format, std::uint16_t code) {
  const float value = decode_float(format, code);
  const float plain = std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value;
  // An integer is the bits themselves: for NaNs other than the format's own.
  if (encode_float(format, plain, Overflow::propagate) == code)
    print_with_point(out, plain);
  else
    print_integer(out, code);
}

/// Elements of a mapped file may be unaligned.
template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

void print_shape(std::string& out, const std::optional<SymbolicShape>& shape) {
  if (shape && shape->empty()) return;
  out += '[';
  if (shape) {
    for (std::size_t i = 0; i < shape->size(); ++i) {
      if (i > 0) out += ',';
      const Dim& dim = (*shape)[i];
      if (dim.known())
        print_integer(out, dim.value);
      else if (dim.symbol.empty())
        out += '?';
      else
        print_identifier(out, dim.symbol);
    }
  }
  out += ']';
}

std::int64_t offset_of(const Tensor& tensor, std::int64_t index) {
  if (tensor.dense()) return index;
  std::int64_t offset = 0;
  for (std::size_t axis = tensor.shape().size(); axis-- > 0;) {
    offset += index % tensor.shape()[axis] * tensor.strides()[axis];
    index /= tensor.shape()[axis];
  }
  return offset;
}

}  // namespace

void print_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void print_identifier(std::string& out, std::string_view name) {
  if (is_plain_identifier(name))
    out += name;
  else
    print_quoted(out, name);
}

void print_name(std::string& out, std::string_view name) {
  if (is_type_word(name) || is_special_number(name))
    print_quoted(out, name);
  else
    print_identifier(out, name);
}

void print_type(std::string& out, const Type& type) {
  switch (type.kind) {
    case Type::Kind::unknown: out += '?'; return;
    case Type::Kind::tensor:
      out += name(type.dtype);
      print_shape(out, type.shape);
      return;
    case Type::Kind::sparse_tensor:
      out.append("sparse_tensor(").append(name(type.dtype));
      print_shape(out, type.shape);
      out += ')';
      return;
    case Type::Kind::sequence: out += "seq("; break;
    case Type::Kind::optional: out += "optional("; break;
    case Type::Kind::map: out.append("map(").append(name(type.dtype)).append(", "); break;
  }
  print_type(out, type.element ? *type.element : Type());
  out += ')';
}

void print_attribute_float(std::string& out, float value) { print_with_point(out, value); }

void print_element(std::string& out, const Tensor& tensor, std::int64_t index) {
  const std::int64_t offset = offset_of(tensor, index);
  const std::byte* at = tensor.bytes() + offset * static_cast<std::int64_t>(size_of(tensor.dtype()));
  const auto complex = [&]<class T>(T) {
    print_real(out, load<T>(at));
    out += ", ";
    print_real(out, load<T>(at + sizeof(T)));
  };
  switch (tensor.dtype()) {
    case DType::undefined: return;
    case DType::f32: return print_real(out, load<float>(at));
    case DType::f64: return print_real(out, load<double>(at));
    case DType::c64: return complex(float());
    case DType::c128: return complex(double());
    case DType::string: return print_quoted(out, tensor.data<std::string>()[offset]);
    case DType::boolean: return print_integer(out, load<std::uint8_t>(at) != 0 ? 1 : 0);
    case DType::i8:
    case DType::i4:
    case DType::i2: return print_integer(out, int{load<std::int8_t>(at)});
    case DType::u8:
    case DType::u4:
    case DType::u2: return print_integer(out, int{load<std::uint8_t>(at)});
    case DType::i16: return print_integer(out, load<std::int16_t>(at));
    case DType::u16: return print_integer(out, load<std::uint16_t>(at));
    case DType::i32: return print_integer(out, load<std::int32_t>(at));
    case DType::u32: return print_integer(out, load<std::uint32_t>(at));
    case DType::i64: return print_integer(out, load<std::int64_t>(at));
    case DType::u64: return print_integer(out, load<std::uint64_t>(at));
    case DType::f16:
    case DType::bf16: return print_small_float(out, tensor.dtype(), load<std::uint16_t>(at));
    default: return print_small_float(out, tensor.dtype(), load<std::uint8_t>(at));
  }
}

}  // namespace pawl::onnx
