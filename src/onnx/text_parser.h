// The grammar of ONNX's text syntax, one function per rule.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "onnx/model.h"
#include "onnx/source.h"
#include "onnx/text_lexer.h"

namespace pawl::onnx {

/// Parses one text. Errors of every function: bad_file with line and column; limit (nesting, sizes); unsupported; io
/// (external data).
class Parser {
 public:
  Parser(std::string_view text, const std::filesystem::path& folder)
      : lexer_(text), source_({std::as_bytes(std::span(text)), nullptr}, folder) {}

  /// [header] graph function*
  Result<Model> model();
  /// [header] name ["<" attributes ">"] "(" inputs ")" "=>" "(" outputs ")" ["<" value infos ">"] nodes
  Result<Function> function();

 private:
  using Entries = std::vector<std::pair<std::string, std::string>>;

  Result<void> model_header(Model& model);
  Result<void> function_header(Function& function);
  Result<Entries> entries();
  Result<std::vector<OpsetImport>> opset_imports();
  Result<void> function_attributes(Function& function);
  Result<std::vector<std::string>> function_values(Function& function);

  /// name ["(" inputs ")"] "=>" "(" outputs ")" ["<" value infos and initializers ">"] nodes
  Result<Graph> graph(std::string name);
  /// Values between brackets. Those with a value of their own become initializers; they are inputs too, if `inputs`.
  Result<void> values(Graph& graph, std::vector<ValueInfo>& infos, char close, bool keep_initialized);
  Result<ValueInfo> value_info();
  Result<NamedTensor> initializer(const ValueInfo& info);
  /// ["location": "weights.bin", "offset": "0", "length": "8"]
  Result<void> external_data(const Type& type, NamedTensor& named);

  Result<std::vector<Node>> nodes();
  /// ["[" name "]"] [outputs] "=" operator [attributes] "(" [inputs] ")" [attributes]
  Result<Node> node();
  Result<void> operator_name(Node& node);
  /// Names between commas, each of which may be left out.
  Result<std::vector<std::string>> names();
  Result<std::string> optional_name();

  Result<std::vector<Attribute>> attributes();
  Result<Attribute> attribute(std::string name);
  Result<void> attribute_value(Attribute& attribute, int expected);
  Result<void> attribute_list(Attribute& attribute, int expected);
  Result<void> attribute_number(Attribute& attribute, int expected);
  Result<void> attribute_word(Attribute& attribute);
  Result<void> attribute_graph(Attribute& attribute, std::string name);

  Lexer lexer_;
  Source source_;
  int depth_ = 0;
};

}  // namespace pawl::onnx
