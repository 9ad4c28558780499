// Calls that give way to nodes: functions of the model, bodies of the operators' function table, graph attributes.
#include "base/try.h"
#include "graph/attributes.h"
#include "graph/importer.h"
#include "graph/sort.h"
#include "onnx/text.h"

namespace pawl::graph {
namespace {

using GraphPointer = std::shared_ptr<const onnx::Graph>;

/// How a function's scope calls what its graph attribute reads from outside: no name of the table's texts has a slash.
std::string outer_name(const std::string& attribute, const std::string& name) { return attribute + "/" + name; }

std::vector<Type> types_of(const std::vector<onnx::ValueInfo>& values) {
  std::vector<Type> types;
  types.reserve(values.size());
  for (const onnx::ValueInfo& value : values) types.push_back(value.type);
  return types;
}

std::vector<ops::GraphSignature> signatures(const std::vector<onnx::Attribute>& attributes) {
  std::vector<ops::GraphSignature> graphs;
  for (const onnx::Attribute& attribute : attributes)
    if (const auto* graph = std::get_if<GraphPointer>(&attribute.payload); graph != nullptr && *graph)
      graphs.push_back({attribute.name, types_of((*graph)->inputs), types_of((*graph)->outputs)});
  return graphs;
}

std::vector<bool> present(const std::vector<std::string>& names) {
  std::vector<bool> flags;
  flags.reserve(names.size());
  for (const std::string& name : names) flags.push_back(!name.empty());
  return flags;
}

}  // namespace

Result<void> Importer::inline_call(const onnx::Node& node, const onnx::Function& function, bool from_table,
                                   Scope& scope, const std::string& place) {
  for (const CallFrame* frame = &scope.frame(); frame != nullptr; frame = frame->caller)
    if (frame->function == &function) return fail(Code::bad_model, "function \"{}\" calls itself", function.name);
  if (scope.frame().depth >= kMaxCallDepth)
    return fail(Code::limit, "functions call each other more than {} deep", kMaxCallDepth);
  if (node.inputs.size() > function.inputs.size() || node.outputs.size() > function.outputs.size()) {
    return fail(Code::bad_model, "function \"{}\" has {} inputs and {} outputs, the call {} and {}", function.name,
                function.inputs.size(), function.outputs.size(), node.inputs.size(), node.outputs.size());
  }
  TRY(check_opsets(function.opset_imports));

  CallFrame frame;
  frame.function = &function;
  frame.caller = &scope.frame();
  frame.depth = scope.frame().depth + 1;
  frame.from_table = from_table;
  for (const onnx::Attribute& attribute : function.attribute_defaults) frame.attributes[attribute.name] = attribute;
  TRY_ASSIGN(const std::vector<onnx::Attribute> given, resolve_references(node, scope.frame()));
  for (const onnx::Attribute& attribute : given) frame.attributes[attribute.name] = attribute;

  TRY_ASSIGN(const std::vector<ValueId> inputs, resolve_inputs(node, scope));
  Scope body(scope.graph(), nullptr, frame);
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    if (body.has_own(function.inputs[i]))
      return fail(Code::bad_model, "input \"{}\" is named twice", function.inputs[i]);
    body.bind(function.inputs[i], i < inputs.size() ? inputs[i] : ValueId{});
  }
  if (from_table) bind_outer_reads(frame, scope, body);
  import_nodes(function.nodes, body, (place.empty() ? "" : place + " / ") + label_of(node));
  if (first_ && problems_ == nullptr) return *first_;

  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    if (scope.sees(node.outputs[i]))
      return fail(Code::bad_model, "output \"{}\" is already the name of another value", node.outputs[i]);
    TRY_ASSIGN(const ValueId id, resolve(function.outputs[i], body));
    scope.bind(node.outputs[i], id);
  }
  return {};
}

Result<const onnx::Function*> Importer::expansion(const onnx::Node& node, const ops::Schema& schema,
                                                  const ops::OpDef* def, Scope& scope) {
  const ops::FunctionDef* row = ops::find_function(schema.domain, schema.name);
  const bool asked = row != nullptr &&
                     (options_.expansion == Expansion::all || (options_.expansion == Expansion::loops && row->loops));
  if (row == nullptr || !row->has(schema.since) || !(asked || def == nullptr)) return nullptr;
  TRY_ASSIGN(const std::vector<onnx::Attribute> attributes, resolve_references(node, scope.frame()));
  TRY_ASSIGN(const ops::Attributes checked, check_attributes(attributes, schema));
  TRY_ASSIGN(const std::vector<ValueId> inputs, resolve_inputs(node, scope));
  const std::vector<ops::GraphSignature> graphs = signatures(attributes);
  const ops::FunctionCall call{
      schema, checked, graphs, present(node.inputs), present(node.outputs), [&](std::size_t i) {
        return i < inputs.size() && inputs[i].valid() ? known(inputs[i]) : ops::Fact();
      }};
  TRY_ASSIGN(std::optional<std::string> text, row->expand(call));
  if (!text && def == nullptr)
    return fail(Code::unsupported, "the types of the inputs of {}-{} are not known before the run", schema.name,
                schema.since);
  if (!text) return nullptr;
  ++imported_.expanded;
  std::unique_ptr<const onnx::Function>& function = expansions_[*text];
  if (function == nullptr) {
    Result<onnx::Function> parsed = onnx::parse_function(*text);
    if (!parsed.ok())
      return fail(Code::internal, "the function text of {}: {}", schema.name, parsed.error().to_string());
    function = std::make_unique<const onnx::Function>(std::move(parsed).value());
  }
  return function.get();
}

void Importer::bind_outer_reads(const CallFrame& frame, Scope& scope, Scope& body) {
  for (const auto& [name, attribute] : frame.attributes) {
    const auto* graph = std::get_if<GraphPointer>(&attribute.payload);
    if (graph == nullptr || !*graph) continue;
    for (const std::string& read : outer_reads(**graph))
      if (const std::optional<ValueId> id = scope.resolve(read)) body.bind(outer_name(name, read), *id);
  }
}

Result<void> Importer::inline_graph(const onnx::Node& node, Scope& scope, const std::string& place) {
  const auto found = scope.frame().attributes.find(node.op_type);
  CHECK(found != scope.frame().attributes.end() && scope.frame().caller != nullptr);
  const auto* attribute = std::get_if<GraphPointer>(&found->second.payload);
  CHECK(attribute != nullptr && *attribute);
  const onnx::Graph& graph = **attribute;
  if (graph.inputs.size() != node.inputs.size() || graph.outputs.size() != node.outputs.size()) {
    return fail(Code::bad_model, "graph attribute \"{}\" has {} inputs and {} outputs, expected {} and {}",
                node.op_type, graph.inputs.size(), graph.outputs.size(), node.inputs.size(), node.outputs.size());
  }
  inlined_nodes_ += graph.nodes.size();
  if (inlined_nodes_ > kMaxInlinedNodes)
    return fail(Code::limit, "the model has more than {} nodes once its functions are inlined", kMaxInlinedNodes);
  // The graph belongs to the caller: its operator sets, its attributes, and the names around the call.
  Scope inner(scope.graph(), nullptr, *scope.frame().caller);
  declare_types(graph, inner);
  for (const std::string& read : outer_reads(graph))
    if (const std::optional<ValueId> id = scope.resolve(outer_name(node.op_type, read))) inner.bind(read, *id);
  TRY_ASSIGN(const std::vector<ValueId> inputs, resolve_inputs(node, scope));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = graph.inputs[i].name;
    for (std::size_t j = 0; j < i; ++j)
      if (graph.inputs[j].name == name) return fail(Code::bad_model, "graph input \"{}\" is given twice", name);
    inner.bind(name, inputs[i]);
  }
  TRY(define_initializers(graph, inner));
  import_nodes(graph.nodes, inner, (place.empty() ? "" : place + " / ") + node.op_type);
  if (first_ && problems_ == nullptr) return *first_;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    TRY_ASSIGN_IN(fmt::format("output \"{}\"", graph.outputs[i].name), const ValueId id,
                  resolve(graph.outputs[i].name, inner));
    scope.bind(node.outputs[i], id);
  }
  return {};
}

}  // namespace pawl::graph
