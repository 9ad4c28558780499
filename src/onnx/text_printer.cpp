#include <algorithm>
#include <type_traits>
#include <utility>

#include "onnx/attribute_types.h"
#include "onnx/text.h"
#include "onnx/text_lexer.h"
#include "onnx/text_words.h"

namespace pawl::onnx {
namespace {

/// True for plain identifiers between dots, and for "".
bool is_dotted(std::string_view domain) {
  while (!domain.empty()) {
    const std::size_t dot = std::min(domain.find('.'), domain.size());
    const bool ends_in_dot = dot + 1 == domain.size();
    if (!is_plain_identifier(domain.substr(0, dot)) || ends_in_dot) return false;
    domain.remove_prefix(std::min(dot + 1, domain.size()));
  }
  return true;
}

template <class T>
bool is_empty_list(const T&) {
  return false;
}
template <class T>
bool is_empty_list(const std::vector<T>& list) {
  return list.empty();
}

/// Appends the parts of a model to a text.
class Printer {
 public:
  explicit Printer(std::int64_t max_elements) : max_elements_(max_elements) {}

  void print(const Model& model);
  std::string take() { return std::move(out_); }

 private:
  void header(const Model& model);
  void opset_imports(const std::vector<OpsetImport>& imports);
  void function(const Function& function);
  void graph(const Graph& graph);
  void graph_values(const Graph& graph);
  void node(const Node& node);
  void nodes(const std::vector<Node>& nodes);
  void attributes(const std::vector<Attribute>& attributes);
  void attribute(const Attribute& attribute);
  void item(float value) { print_attribute_float(out_, value); }
  void item(std::int64_t value) { out_ += std::to_string(value); }
  void item(const std::string& value) { print_quoted(out_, value); }
  void item(const Tensor& value);
  void item(const std::shared_ptr<const Graph>& value);
  void item(const Type& value) { print_type(out_, value); }
  void value_info(const ValueInfo& info);
  void elements(const Tensor& tensor);

  void line() { out_.append(1, '\n').append(indent_, ' '); }

  template <class List, class F>
  void list(const List& items, F&& print_item) {
    bool first = true;
    for (const auto& each : items) {
      if (!std::exchange(first, false)) out_ += ", ";
      print_item(each);
    }
  }
  void names(const std::vector<std::string>& list_of_names) {
    list(list_of_names, [this](const std::string& each) { print_name(out_, each); });
  }

  std::string out_;
  std::size_t indent_ = 0;
  std::int64_t max_elements_;
};

void Printer::print(const Model& model) {
  header(model);
  graph(model.graph);
  out_ += '\n';
  for (const Function& each : model.functions) function(each);
}

void Printer::header(const Model& model) {
  const auto text = [this](std::string_view key, const std::string& value) {
    if (value.empty()) return;
    out_.append(", ").append(key).append(": ");
    print_quoted(out_, value);
  };
  out_ += "<ir_version: " + std::to_string(model.ir_version) + ", opset_import: ";
  opset_imports(model.opset_imports);
  text("producer_name", model.producer_name);
  text("producer_version", model.producer_version);
  text("domain", model.domain);
  if (model.model_version != 0) out_ += ", model_version: " + std::to_string(model.model_version);
  if (!model.metadata.empty()) {
    out_ += ", metadata_props: [";
    list(model.metadata, [this](const auto& entry) {
      print_quoted(out_, entry.first);
      out_ += ": ";
      print_quoted(out_, entry.second);
    });
    out_ += ']';
  }
  out_ += ">\n";
}

void Printer::opset_imports(const std::vector<OpsetImport>& imports) {
  out_ += '[';
  list(imports, [this](const OpsetImport& import) {
    print_quoted(out_, import.domain);
    out_ += ": " + std::to_string(import.version);
  });
  out_ += ']';
}

void Printer::function(const Function& function) {
  out_ += "\n<domain: ";
  print_quoted(out_, function.domain);
  out_ += ", opset_import: ";
  opset_imports(function.opset_imports);
  if (!function.overload.empty()) {
    out_ += ", overload: ";
    print_quoted(out_, function.overload);
  }
  out_ += ">\n";
  print_name(out_, function.name);
  if (!function.attributes.empty() || !function.attribute_defaults.empty()) {
    out_ += " <";
    list(function.attributes, [this](const std::string& each) { print_identifier(out_, each); });
    if (!function.attributes.empty() && !function.attribute_defaults.empty()) out_ += ", ";
    list(function.attribute_defaults, [this](const Attribute& each) { attribute(each); });
    out_ += '>';
  }
  out_ += " (";
  names(function.inputs);
  out_ += ") => (";
  names(function.outputs);
  out_ += ")";
  if (!function.value_infos.empty()) {
    out_ += "\n<";
    list(function.value_infos, [this](const ValueInfo& each) { value_info(each); });
    out_ += ">";
  }
  nodes(function.nodes);
  out_ += '\n';
}

void Printer::graph(const Graph& graph) {
  print_name(out_, graph.name);
  out_ += " (";
  list(graph.inputs, [this](const ValueInfo& each) { value_info(each); });
  out_ += ") => (";
  list(graph.outputs, [this](const ValueInfo& each) { value_info(each); });
  out_ += ")";
  graph_values(graph);
  nodes(graph.nodes);
}

void Printer::graph_values(const Graph& graph) {
  if (graph.initializers.empty() && graph.value_infos.empty()) return;
  line();
  out_ += '<';
  bool first = true;
  const auto next = [&] {
    if (!std::exchange(first, false)) out_ += ',';
    out_.append(1, '\n').append(indent_ + 2, ' ');
  };
  for (const NamedTensor& each : graph.initializers) {
    next();
    print_type(out_, Type::tensor(each.tensor.dtype(), each.tensor.shape()));
    out_ += ' ';
    print_name(out_, each.name);
    out_ += " = ";
    elements(each.tensor);
  }
  for (const ValueInfo& each : graph.value_infos) {
    next();
    value_info(each);
  }
  line();
  out_ += '>';
}

void Printer::nodes(const std::vector<Node>& nodes) {
  out_ += " {";
  indent_ += 2;
  for (const Node& each : nodes) {
    line();
    node(each);
  }
  indent_ -= 2;
  line();
  out_ += '}';
}

void Printer::node(const Node& node) {
  if (!node.name.empty()) {
    out_ += '[';
    print_identifier(out_, node.name);
    out_ += "] ";
  }
  names(node.outputs);
  out_ += node.outputs.empty() ? "= " : " = ";
  is_dotted(node.domain) ? void(out_ += node.domain) : print_quoted(out_, node.domain);
  if (!node.domain.empty()) out_ += '.';
  print_identifier(out_, node.op_type);
  if (!node.overload.empty()) {
    out_ += ':';
    print_identifier(out_, node.overload);
  }
  attributes(node.attributes);
  out_ += node.attributes.empty() ? "(" : " (";
  names(node.inputs);
  out_ += ')';
}

void Printer::attributes(const std::vector<Attribute>& attributes) {
  if (attributes.empty()) return;
  out_ += " <";
  list(attributes, [this](const Attribute& each) { attribute(each); });
  out_ += '>';
}

void Printer::attribute(const Attribute& attribute) {
  print_identifier(out_, attribute.name);
  const int held = payload_type(attribute);
  const bool empty_list = std::visit([](const auto& payload) { return is_empty_list(payload); }, attribute.payload);
  const auto declared = static_cast<std::size_t>(attribute.declared_type);
  if ((attribute.declared_type != held || empty_list) && declared < kAttributeTypes.size())
    out_.append(" : ").append(kAttributeTypes[declared]);
  out_ += " = ";
  std::visit(
      [&](const auto& payload) {
        using T = std::decay_t<decltype(payload)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          out_ += '@';
          print_identifier(out_, attribute.ref_attr_name);
        } else if constexpr (requires { item(payload); }) {
          item(payload);
        } else {
          out_ += '[';
          list(payload, [this](const auto& each) { item(each); });
          out_ += ']';
        }
      },
      attribute.payload);
}

void Printer::item(const Tensor& value) {
  print_type(out_, Type::tensor(value.dtype(), value.shape()));
  out_ += ' ';
  elements(value);
}

void Printer::item(const std::shared_ptr<const Graph>& value) {
  if (value) graph(*value);
}

void Printer::value_info(const ValueInfo& info) {
  if (info.type.known()) {
    print_type(out_, info.type);
    out_ += ' ';
  }
  print_name(out_, info.name);
}

void Printer::elements(const Tensor& tensor) {
  const std::int64_t count = tensor.size();
  const std::int64_t shown = max_elements_ > 0 ? std::min(count, max_elements_) : count;
  out_ += '{';
  for (std::int64_t i = 0; i < shown; ++i) {
    if (i > 0) out_ += ", ";
    print_element(out_, tensor, i);
  }
  if (shown < count) out_ += ", … " + std::to_string(count - shown) + " more";
  out_ += '}';
}

}  // namespace

std::string print_text(const Model& model, std::int64_t max_elements) {
  Printer printer(max_elements);
  printer.print(model);
  return printer.take();
}

}  // namespace pawl::onnx
