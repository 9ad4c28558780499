// Tensors in text: "float[2] {1, 2}".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "onnx/text_lexer.h"
#include "pawl/tensor.h"
#include "pawl/type.h"

namespace pawl::onnx {

/// What an integer means as an element of float16, bfloat16, float8…, float6… and float4…: ONNX's parser and printer
/// take it for the bits of the element. A number with a point or an exponent is always the value.
enum class SmallFloats : std::uint8_t { integers_are_bits, integers_are_values };

/// Reads the elements of a tensor one by one.
class ElementReader {
 public:
  ElementReader(DType dtype, SmallFloats small_floats) : dtype_(dtype), small_floats_(small_floats) {}

  /// Reads one element: a number, a string in quotes, 0, 1, true or false, or a complex number as "(1, 2)" or "1, 2".
  /// Errors: bad_file, also when it does not fit the type.
  Result<void> read(Lexer& lexer);
  [[nodiscard]] std::size_t count() const { return count_; }
  /// The tensor of all that was read; the shape must have as many elements. Errors: limit.
  Result<Tensor> finish(const Dims& shape) const;

 private:
  template <class T>
  void put(T value);
  Result<void> read_number(Lexer& lexer);
  Result<void> read_integer(const Number& number);
  Result<void> read_small_float(const Number& number);
  Result<void> read_bool(Lexer& lexer);

  DType dtype_;
  SmallFloats small_floats_;
  std::size_t count_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::string> strings_;
};

/// The shape of a tensor type whose elements come next. Errors: bad_file, when it is none or an extent is not a number.
Result<Dims> literal_shape(Lexer& lexer, const Type& type);

/// The elements of a tensor of `type` in braces: "{1, 2}". Errors: bad_file, when the type has no shape of numbers or
/// the count differs; limit.
Result<Tensor> parse_elements(Lexer& lexer, const Type& type, SmallFloats small_floats);

}  // namespace pawl::onnx
