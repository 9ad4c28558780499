#include "case_values.h"

#include "base/try.h"
#include "onnx/text_literals.h"
#include "onnx/text_types.h"

namespace pawl::tests {
namespace {

using onnx::ElementReader;
using onnx::Lexer;
using onnx::SmallFloats;

constexpr int kMaxDepth = 32;

/// Reads nested lists; returns their shape.
Result<Dims> read_lists(Lexer& lexer, ElementReader& reader, int depth) {
  if (!lexer.accept('[')) {
    TRY(reader.read(lexer));
    return Dims{};
  }
  if (depth == kMaxDepth) return fail(Code::limit, "lists are nested more than {} deep", kMaxDepth);
  if (lexer.accept(']')) return Dims{0};
  std::int64_t count = 0;
  Dims inner;
  do {
    static_cast<void>(lexer.peek());
    const std::size_t start = lexer.position();
    TRY_ASSIGN(Dims shape, read_lists(lexer, reader, depth + 1));
    if (count++ > 0 && !(shape == inner)) return lexer.error_at(start, "the items of a list have different shapes");
    inner = std::move(shape);
  } while (lexer.accept(','));
  TRY(lexer.expect(']'));
  inner.insert(0, count);
  return inner;
}

Result<Value> read_tensor(Lexer& lexer, const Type& declared) {
  if (!declared.is_tensor() || declared.dtype == DType::undefined)
    return lexer.expected("a value with a type of its own, as in float[2] {1, 2} (none is declared)");
  ElementReader reader(declared.dtype, SmallFloats::integers_are_values);
  TRY_ASSIGN(const Dims shape, read_lists(lexer, reader, 0));
  TRY_ASSIGN(Tensor tensor, reader.finish(shape));
  return Value(std::move(tensor));
}

Result<Value> read_sequence(Lexer& lexer, const Type& declared) {
  const Type element = declared.is_sequence() && declared.element ? *declared.element : Type();
  std::vector<Value> items;
  TRY(lexer.expect('['));
  if (!lexer.accept(']')) {
    do {
      TRY_ASSIGN(Value item, parse_value(lexer, element));
      items.push_back(std::move(item));
    } while (lexer.accept(','));
    TRY(lexer.expect(']'));
  }
  DType dtype = element.is_tensor() ? element.dtype : DType::undefined;
  if (dtype == DType::undefined && !items.empty() && items[0].is_tensor()) dtype = items[0].tensor().dtype();
  return Value(Sequence(dtype, std::move(items)));
}

}  // namespace

Result<Value> parse_value(Lexer& lexer, const Type& declared) {
  if (lexer.peek_word() == "none") {
    lexer.accept_word();
    return Value();
  }
  const Type type = declared.is_optional() ? (declared.element ? *declared.element : Type()) : declared;
  if (lexer.peek_word() == "seq") {
    lexer.accept_word();
    return read_sequence(lexer, type);
  }
  if (!onnx::next_is_type(lexer)) return read_tensor(lexer, type);
  TRY_ASSIGN(const Type own, onnx::parse_type(lexer));
  TRY_ASSIGN(Tensor tensor, onnx::parse_elements(lexer, own, SmallFloats::integers_are_values));
  return Value(std::move(tensor));
}

Result<NamedValues> parse_values(Lexer& lexer, const std::function<Type(std::string_view)>& type_of_name) {
  NamedValues values;
  while (!lexer.at_end()) {
    const std::size_t start = lexer.position();
    TRY_ASSIGN(std::string name, lexer.name("the name of a value"));
    TRY(lexer.expect('='));
    for (const auto& [other, value] : values)
      if (other == name) return lexer.error_at(start, "a second value for one name");
    TRY_ASSIGN(Value value, parse_value(lexer, type_of_name(name)));
    values.emplace_back(std::move(name), std::move(value));
  }
  return values;
}

}  // namespace pawl::tests
