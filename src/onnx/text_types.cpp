#include "onnx/text_types.h"

#include "base/try.h"
#include "onnx/read.h"

namespace pawl::onnx {
namespace {

constexpr std::string_view kUndefined = "undefined";

bool is_element_type(std::string_view word) { return dtype_from_name(word) != DType::undefined || word == kUndefined; }

bool is_compound_type(std::string_view word) {
  return word == "seq" || word == "map" || word == "optional" || word == "sparse_tensor" || word == "opaque";
}

Result<Dim> parse_dim(Lexer& lexer) {
  if (lexer.accept('?')) return Dim();
  if (lexer.peek() == '"' || !lexer.peek_word().empty()) {
    TRY_ASSIGN(std::string symbol, lexer.name("an extent"));
    return Dim::named(std::move(symbol));
  }
  TRY_ASSIGN(const std::int64_t extent, lexer.integer("an extent (a number, a name or ?)"));
  return extent < 0 ? Dim() : Dim(extent);
}

/// What follows the element type: nothing (a scalar), "[]" (unknown rank) or "[N,2]".
Result<std::optional<SymbolicShape>> parse_shape(Lexer& lexer) {
  std::optional<SymbolicShape> shape;
  if (!lexer.accept('[')) {
    shape.emplace();
    return shape;
  }
  if (lexer.accept(']')) return shape;
  shape.emplace();
  do {
    TRY_ASSIGN(Dim dim, parse_dim(lexer));
    shape->push_back(std::move(dim));
  } while (lexer.accept(','));
  TRY(lexer.expect(']'));
  return shape;
}

Result<DType> parse_dtype(Lexer& lexer) {
  if (!is_element_type(lexer.peek_word())) return lexer.expected("an element type");
  return dtype_from_name(lexer.accept_word());
}

/// "float[N,2]"
Result<Type> parse_tensor_type(Lexer& lexer, Type::Kind kind) {
  Type type;
  type.kind = kind;
  TRY_ASSIGN(type.dtype, parse_dtype(lexer));
  TRY_ASSIGN(type.shape, parse_shape(lexer));
  return type;
}

Result<Type> parse_type_at(Lexer& lexer, int depth);

/// What stands in the parentheses of a compound type.
Result<Type> parse_compound(Lexer& lexer, std::string_view word, int depth) {
  if (word == "sparse_tensor") return parse_tensor_type(lexer, Type::Kind::sparse_tensor);
  Type type;
  type.kind = word == "seq" ? Type::Kind::sequence : word == "map" ? Type::Kind::map : Type::Kind::optional;
  if (type.kind == Type::Kind::map) {
    TRY_ASSIGN(type.dtype, parse_dtype(lexer));
    TRY(lexer.expect(','));
  }
  TRY_ASSIGN(Type inner, parse_type_at(lexer, depth + 1));
  if (inner.known()) type.element = std::make_shared<const Type>(std::move(inner));
  return type;
}

Result<Type> parse_type_at(Lexer& lexer, int depth) {
  if (depth >= kMaxNesting) return fail(Code::limit, "types are nested more than {} deep", kMaxNesting);
  if (lexer.accept('?')) {
    if (lexer.peek() != '[') return Type{};
    Type type = Type::tensor(DType::undefined);
    TRY_ASSIGN(type.shape, parse_shape(lexer));
    return type;
  }
  const std::string_view word = lexer.peek_word();
  if (is_element_type(word)) return parse_tensor_type(lexer, Type::Kind::tensor);
  if (!is_compound_type(word)) return lexer.expected("a type");
  if (word == "opaque") return lexer.error_at(lexer.position(), "opaque types are not supported", Code::unsupported);
  lexer.accept_word();
  TRY(lexer.expect('('));
  TRY_ASSIGN(Type type, parse_compound(lexer, word, depth));
  TRY(lexer.expect(')'));
  return type;
}

}  // namespace

bool is_type_word(std::string_view word) { return is_element_type(word) || is_compound_type(word); }

bool next_is_type(Lexer& lexer) {
  if (lexer.peek() == '?') return true;
  const std::string_view word = lexer.peek_word();
  if (word != kUndefined) return is_type_word(word);
  const char next = lexer.peek_after_word();
  return next != ',' && next != ')' && next != '>' && next != '=' && next != '(' && next != '\0';
}

Result<Type> parse_type(Lexer& lexer) { return parse_type_at(lexer, 0); }

}  // namespace pawl::onnx
