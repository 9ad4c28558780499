// Attributes in text: "axes : ints = [0, 1]", "alpha = @a", "body = b (float p) => (float q) { … }".
#include <algorithm>

#include "base/try.h"
#include "onnx/attribute_types.h"
#include "onnx/text_literals.h"
#include "onnx/text_parser.h"
#include "onnx/text_types.h"

namespace pawl::onnx {
namespace {

using namespace attribute_type;
using GraphPointer = std::shared_ptr<const Graph>;

/// The type of a list's items; undefined for all that is not a list.
int item_type(int list) {
  switch (list) {
    case kFloats: return kFloat;
    case kInts: return kInt;
    case kStrings: return kString;
    case kTensors:
    case kSparseTensors: return kTensor;
    case kGraphs: return kGraph;
    case kTypeProtos: return kTypeProto;
    default: return kUndefined;
  }
}

/// Makes an empty list of that type of items.
void start_list(Attribute& attribute, int item) {
  switch (item) {
    case kFloat: attribute.payload = std::vector<float>(); break;
    case kInt: attribute.payload = std::vector<std::int64_t>(); break;
    case kString: attribute.payload = std::vector<std::string>(); break;
    case kTensor: attribute.payload = std::vector<Tensor>(); break;
    case kGraph: attribute.payload = std::vector<GraphPointer>(); break;
    default: attribute.payload = std::vector<Type>(); break;
  }
}

template <class T>
bool append(Attribute& list, Attribute& item) {
  auto* const items = std::get_if<std::vector<T>>(&list.payload);
  auto* const value = std::get_if<T>(&item.payload);
  if (items && value) items->push_back(std::move(*value));
  return items && value;
}

/// Adds an item to a list of its type. Integers and floats in one list make it a list of floats. False: another type.
bool append_any(Attribute& list, Attribute& item) {
  if (auto* const integers = std::get_if<std::vector<std::int64_t>>(&list.payload);
      integers && std::holds_alternative<float>(item.payload)) {
    std::vector<float> floats;
    for (const std::int64_t value : *integers) floats.push_back(static_cast<float>(value));
    list.payload = std::move(floats);
  }
  if (std::holds_alternative<std::vector<float>>(list.payload))
    if (const auto* const integer = std::get_if<std::int64_t>(&item.payload))
      item.payload = static_cast<float>(*integer);
  return append<float>(list, item) || append<std::int64_t>(list, item) || append<std::string>(list, item) ||
         append<Tensor>(list, item) || append<GraphPointer>(list, item) || append<Type>(list, item);
}

/// A graph may be named "undefined": that word is a type unless what follows can only belong to a graph.
bool next_is_attribute_type(Lexer& lexer) {
  if (lexer.peek_word() != name(DType::undefined)) return next_is_type(lexer);
  const char next = lexer.peek_after_word();
  return next != '(' && next != '=';
}

}  // namespace

Result<std::vector<Attribute>> Parser::attributes() {
  std::vector<Attribute> attributes;
  if (!lexer_.accept('<') || lexer_.accept('>')) return attributes;
  do {
    TRY_ASSIGN(std::string name, lexer_.name("the name of an attribute"));
    TRY_ASSIGN(Attribute next, attribute(std::move(name)));
    attributes.push_back(std::move(next));
  } while (lexer_.accept(','));
  TRY(lexer_.expect('>'));
  return attributes;
}

Result<Attribute> Parser::attribute(std::string name) {
  Attribute attribute;
  attribute.name = std::move(name);
  const bool annotated = lexer_.accept(':');
  if (annotated) {
    const auto* const type = std::find(kAttributeTypes.begin(), kAttributeTypes.end(), lexer_.peek_word());
    if (type == kAttributeTypes.end()) return lexer_.expected("the type of an attribute");
    lexer_.accept_word();
    attribute.declared_type = static_cast<int>(type - kAttributeTypes.begin());
  }
  TRY(lexer_.expect('='));
  if (lexer_.peek() == '[')
    TRY(attribute_list(attribute, item_type(attribute.declared_type)));
  else
    TRY(attribute_value(attribute, attribute.declared_type));
  const int held = payload_type(attribute);
  if (held == kUndefined) return attribute;
  if (!annotated) attribute.declared_type = held;
  const int declared = attribute.declared_type;
  const bool sparse =
      (declared == kSparseTensor && held == kTensor) || (declared == kSparseTensors && held == kTensors);
  if (declared != kUndefined && declared != held && !sparse) {
    return lexer_.error_at(lexer_.position(),
                           fmt::format("attribute \"{}\" is declared as {}, and its value is of type {}",
                                       attribute.name, kAttributeTypes[declared], kAttributeTypes[held]));
  }
  return attribute;
}

Result<void> Parser::attribute_value(Attribute& attribute, int expected) {
  const char next = lexer_.peek();
  if (lexer_.accept('@')) {
    TRY_ASSIGN(attribute.ref_attr_name, lexer_.name("the name of an attribute"));
    return {};
  }
  if (next == '"') {
    TRY_ASSIGN(std::string text, lexer_.quoted("a string"));
    if (lexer_.peek() == '(' || lexer_.peek() == '=') return attribute_graph(attribute, std::move(text));
    attribute.payload = std::move(text);
    return {};
  }
  if (next == '?' || !lexer_.peek_word().empty()) return attribute_word(attribute);
  return attribute_number(attribute, expected);
}

Result<void> Parser::attribute_number(Attribute& attribute, int expected) {
  const std::size_t start = lexer_.position();
  TRY_ASSIGN(const Number number, lexer_.number("a value (a number, string, list, tensor, type, graph or @reference)"));
  if (number.form == Number::Form::integer && expected != kFloat) {
    const Result<std::int64_t> value = to_int64(number);
    if (!value.ok()) return lexer_.error_at(start, value.error().message);
    attribute.payload = *value;
  } else {
    const Result<float> value = to_float(number);
    if (!value.ok()) return lexer_.error_at(start, value.error().message);
    attribute.payload = *value;
  }
  return {};
}

/// A value that starts with a word: a type, a tensor, inf or nan, a graph.
Result<void> Parser::attribute_word(Attribute& attribute) {
  if (!next_is_attribute_type(lexer_)) {
    if (is_special_number(lexer_.peek_word())) return attribute_number(attribute, kFloat);
    return attribute_graph(attribute, std::string(lexer_.accept_word()));
  }
  TRY_ASSIGN(Type type, parse_type(lexer_));
  const char next = lexer_.peek();
  const bool named = next == '"' || !lexer_.peek_word().empty();
  if (next != '{' && next != '=' && !named) {
    attribute.payload = std::move(type);
    return {};
  }
  if (named) TRY(lexer_.name("the name of a tensor"));
  static_cast<void>(lexer_.accept('='));
  TRY_ASSIGN(NamedTensor named_tensor, initializer({"", std::move(type)}));
  attribute.payload = std::move(named_tensor.tensor);
  return {};
}

Result<void> Parser::attribute_graph(Attribute& attribute, std::string name) {
  TRY_ASSIGN(Graph body, graph(std::move(name)));
  attribute.payload = std::make_shared<const Graph>(std::move(body));
  return {};
}

Result<void> Parser::attribute_list(Attribute& attribute, int expected) {
  TRY(lexer_.expect('['));
  if (expected != kUndefined) start_list(attribute, expected);
  if (lexer_.peek() == ']' && expected == kUndefined)
    return lexer_.expected("a value: an empty list needs a type, as in \"axes : ints = []\"");
  if (lexer_.accept(']')) return {};
  do {
    static_cast<void>(lexer_.peek());
    const std::size_t start = lexer_.position();
    Attribute item;
    TRY(attribute_value(item, expected));
    const int held = payload_type(item);
    if (held == kUndefined) return lexer_.error_at(start, "a list cannot hold a reference to an attribute");
    if (payload_type(attribute) == kUndefined) start_list(attribute, held);
    if (!append_any(attribute, item)) {
      return lexer_.error_at(start, fmt::format("a value of type {} in a list of type {}", kAttributeTypes[held],
                                                kAttributeTypes[payload_type(attribute)]));
    }
  } while (lexer_.accept(','));
  return lexer_.expect(']');
}

}  // namespace pawl::onnx
