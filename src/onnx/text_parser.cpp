#include "onnx/text_parser.h"

#include "base/try.h"
#include "onnx/read.h"
#include "onnx/tensor_data.h"
#include "onnx/text.h"
#include "onnx/text_literals.h"
#include "onnx/text_types.h"
#include "tensor/walk.h"

namespace pawl::onnx {

Result<Model> parse_text(std::string_view text, const std::filesystem::path& folder) {
  return Parser(text, folder).model();
}

Result<Function> parse_function(std::string_view text) { return Parser(text, {}).function(); }

Result<Model> Parser::model() {
  Model model;
  TRY(model_header(model));
  TRY_ASSIGN(std::string name, lexer_.name("the name of a graph"));
  TRY_ASSIGN(model.graph, graph(std::move(name)));
  while (!lexer_.at_end()) {
    TRY_ASSIGN(Function next, function());
    model.functions.push_back(std::move(next));
  }
  return model;
}

Result<void> Parser::model_header(Model& model) {
  if (!lexer_.accept('<')) return {};
  if (lexer_.accept('>')) return {};
  do {
    const Lexer before = lexer_;
    const std::string_view key = lexer_.accept_word();
    TRY(key.empty() ? lexer_.expected("a key of the model's header") : lexer_.expect(':'));
    if (key == "ir_version") {
      TRY_ASSIGN(model.ir_version, lexer_.integer("an integer"));
    } else if (key == "model_version") {
      TRY_ASSIGN(model.model_version, lexer_.integer("an integer"));
    } else if (key == "opset_import") {
      TRY_ASSIGN(model.opset_imports, opset_imports());
    } else if (key == "metadata_props") {
      TRY_ASSIGN(model.metadata, entries());
    } else if (key == "producer_name") {
      TRY_ASSIGN(model.producer_name, lexer_.quoted("a string"));
    } else if (key == "producer_version") {
      TRY_ASSIGN(model.producer_version, lexer_.quoted("a string"));
    } else if (key == "domain") {
      TRY_ASSIGN(model.domain, lexer_.quoted("a string"));
    } else if (key == "doc_string") {
      TRY(lexer_.quoted("a string"));
    } else {
      lexer_ = before;
      return lexer_.expected(
          "ir_version, opset_import, producer_name, producer_version, domain, model_version, doc_string or "
          "metadata_props");
    }
  } while (lexer_.accept(','));
  return lexer_.expect('>');
}

Result<void> Parser::function_header(Function& function) {
  if (!lexer_.accept('<')) return {};
  if (lexer_.accept('>')) return {};
  do {
    const Lexer before = lexer_;
    const std::string_view key = lexer_.accept_word();
    TRY(key.empty() ? lexer_.expected("a key of the function's header") : lexer_.expect(':'));
    if (key == "opset_import") {
      TRY_ASSIGN(function.opset_imports, opset_imports());
    } else if (key == "domain") {
      TRY_ASSIGN(function.domain, lexer_.quoted("a string"));
    } else if (key == "overload") {
      TRY_ASSIGN(function.overload, lexer_.quoted("a string"));
    } else if (key == "doc_string") {
      TRY(lexer_.quoted("a string"));
    } else {
      lexer_ = before;
      return lexer_.expected("domain, opset_import, overload or doc_string");
    }
  } while (lexer_.accept(','));
  return lexer_.expect('>');
}

Result<Parser::Entries> Parser::entries() {
  Entries entries;
  TRY(lexer_.expect('['));
  if (lexer_.accept(']')) return entries;
  do {
    TRY_ASSIGN(std::string key, lexer_.quoted("a key in double quotes"));
    TRY(lexer_.expect(':'));
    TRY_ASSIGN(std::string value, lexer_.quoted("a value in double quotes"));
    entries.emplace_back(std::move(key), std::move(value));
  } while (lexer_.accept(','));
  TRY(lexer_.expect(']'));
  return entries;
}

Result<std::vector<OpsetImport>> Parser::opset_imports() {
  std::vector<OpsetImport> imports;
  TRY(lexer_.expect('['));
  if (lexer_.accept(']')) return imports;
  do {
    OpsetImport import;
    TRY_ASSIGN(import.domain, lexer_.quoted("a domain in double quotes"));
    TRY(lexer_.expect(':'));
    TRY_ASSIGN(import.version, lexer_.integer("a version"));
    imports.push_back(std::move(import));
  } while (lexer_.accept(','));
  TRY(lexer_.expect(']'));
  return imports;
}

Result<Function> Parser::function() {
  Function function;
  TRY(function_header(function));
  TRY_ASSIGN(function.name, lexer_.name("the name of a function"));
  TRY(function_attributes(function));
  TRY_ASSIGN(function.inputs, function_values(function));
  TRY(lexer_.expect_arrow());
  TRY_ASSIGN(function.outputs, function_values(function));
  if (lexer_.accept('<') && !lexer_.accept('>')) {
    do {
      TRY_ASSIGN(ValueInfo info, value_info());
      function.value_infos.push_back(std::move(info));
    } while (lexer_.accept(','));
    TRY(lexer_.expect('>'));
  }
  TRY_ASSIGN(function.nodes, nodes());
  return function;
}

Result<void> Parser::function_attributes(Function& function) {
  if (!lexer_.accept('<') || lexer_.accept('>')) return {};
  do {
    TRY_ASSIGN(std::string name, lexer_.name("the name of an attribute"));
    if (lexer_.peek() == ':' || lexer_.peek() == '=') {
      TRY_ASSIGN(Attribute next, attribute(std::move(name)));
      function.attribute_defaults.push_back(std::move(next));
    } else {
      function.attributes.push_back(std::move(name));
    }
  } while (lexer_.accept(','));
  return lexer_.expect('>');
}

Result<std::vector<std::string>> Parser::function_values(Function& function) {
  std::vector<std::string> names;
  TRY(lexer_.expect('('));
  if (lexer_.accept(')')) return names;
  do {
    const bool typed = next_is_type(lexer_);
    TRY_ASSIGN(ValueInfo info, value_info());
    names.push_back(info.name);
    if (typed) function.value_infos.push_back(std::move(info));
  } while (lexer_.accept(','));
  TRY(lexer_.expect(')'));
  return names;
}

Result<Graph> Parser::graph(std::string name) {
  if (depth_ >= kMaxNesting) return fail(Code::limit, "graphs are nested more than {} deep", kMaxNesting);
  ++depth_;
  Graph graph;
  graph.name = std::move(name);
  if (lexer_.accept('(')) TRY(values(graph, graph.inputs, ')', true));
  TRY(lexer_.expect_arrow());
  TRY(lexer_.expect('('));
  if (!lexer_.accept(')')) {
    do {
      TRY_ASSIGN(ValueInfo info, value_info());
      graph.outputs.push_back(std::move(info));
    } while (lexer_.accept(','));
    TRY(lexer_.expect(')'));
  }
  if (lexer_.accept('<')) TRY(values(graph, graph.value_infos, '>', false));
  TRY_ASSIGN(graph.nodes, nodes());
  --depth_;
  return graph;
}

Result<void> Parser::values(Graph& graph, std::vector<ValueInfo>& infos, char close, bool keep_initialized) {
  if (lexer_.accept(close)) return {};
  do {
    TRY_ASSIGN(ValueInfo info, value_info());
    const bool initialized = lexer_.accept('=');
    if (initialized) {
      TRY_ASSIGN(NamedTensor tensor, initializer(info));
      graph.initializers.push_back(std::move(tensor));
    }
    if (!initialized || keep_initialized) infos.push_back(std::move(info));
  } while (lexer_.accept(','));
  return lexer_.expect(close);
}

Result<ValueInfo> Parser::value_info() {
  ValueInfo info;
  if (next_is_type(lexer_)) {
    TRY_ASSIGN(info.type, parse_type(lexer_));
  }
  TRY_ASSIGN(info.name, lexer_.name("the name of a value"));
  return info;
}

Result<NamedTensor> Parser::initializer(const ValueInfo& info) {
  NamedTensor named;
  named.name = info.name;
  if (lexer_.peek() == '[') {
    const std::size_t start = lexer_.position();
    const Result<void> read = external_data(info.type, named);
    if (!read.ok()) return lexer_.error_at(start, read.error().to_string(), read.error().code);
  } else {
    TRY_ASSIGN(named.tensor, parse_elements(lexer_, info.type, SmallFloats::integers_are_bits));
  }
  return named;
}

Result<void> Parser::external_data(const Type& type, NamedTensor& named) {
  TensorHead head;
  head.name = named.name;
  TRY_ASSIGN(head.shape, literal_shape(lexer_, type));
  head.dtype = type.dtype;
  TRY_ASSIGN(const Entries keys, entries());
  ExternalData place;
  for (const auto& [key, value] : keys) {
    if (key == "location") place.location = value;
    if (key == "offset") place.offset = value;
    if (key == "length") place.length = value;
  }
  const std::vector<std::int64_t> extents(head.shape.begin(), head.shape.end());
  TRY_ASSIGN(head.shape, checked_shape(head.name, extents));
  head.count = static_cast<std::size_t>(*checked_size(head.shape));
  TRY_ASSIGN(named.tensor, tensor_from_external(head, place, source_));
  named.external_location = place.location;
  return {};
}

Result<std::vector<Node>> Parser::nodes() {
  std::vector<Node> nodes;
  TRY(lexer_.expect('{'));
  while (!lexer_.accept('}')) {
    TRY_ASSIGN(Node next, node());
    nodes.push_back(std::move(next));
  }
  return nodes;
}

Result<Node> Parser::node() {
  Node node;
  if (lexer_.accept('[')) {
    TRY_ASSIGN(node.name, optional_name());
    TRY(lexer_.expect(']'));
  }
  TRY_ASSIGN(node.outputs, names());
  if (lexer_.peek() != '=') return lexer_.expected(node.outputs.empty() ? "a node or '}'" : "'=' or ','");
  TRY(lexer_.expect('='));
  TRY(operator_name(node));
  TRY_ASSIGN(node.attributes, attributes());
  TRY(lexer_.expect('('));
  TRY_ASSIGN(node.inputs, names());
  TRY(lexer_.expect(')'));
  if (node.attributes.empty()) {
    TRY_ASSIGN(node.attributes, attributes());
  }
  return node;
}

Result<void> Parser::operator_name(Node& node) {
  TRY_ASSIGN(node.op_type, lexer_.name("an operator"));
  while (lexer_.accept('.')) {
    if (!node.domain.empty()) node.domain += '.';
    node.domain += node.op_type;
    TRY_ASSIGN(node.op_type, lexer_.name("an operator"));
  }
  if (lexer_.accept(':')) {
    TRY_ASSIGN(node.overload, lexer_.name("an overload"));
  }
  return {};
}

Result<std::vector<std::string>> Parser::names() {
  std::vector<std::string> names;
  do {
    // Nothing before a comma is an omitted value; nothing after the last comma is none.
    const char next = lexer_.peek();
    const bool quoted = next == '"';
    TRY_ASSIGN(std::string name, optional_name());
    if (name.empty() && !quoted && next != ',') break;
    names.push_back(std::move(name));
  } while (lexer_.accept(','));
  return names;
}

Result<std::string> Parser::optional_name() {
  if (lexer_.peek() == '"') return lexer_.quoted("a name");
  return std::string(lexer_.accept_word());
}

}  // namespace pawl::onnx
