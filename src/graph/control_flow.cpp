// Scan, Loop and If: attributes and arities checked, brought to their one form, bodies imported.
#include <algorithm>
#include <unordered_set>

#include "base/try.h"
#include "graph/importer.h"

namespace pawl::graph {
namespace {

const onnx::Graph* find_graph(const std::vector<onnx::Attribute>& attributes, std::string_view name) {
  for (const onnx::Attribute& attribute : attributes) {
    if (attribute.name != name) continue;
    const auto* graph = std::get_if<std::shared_ptr<const onnx::Graph>>(&attribute.payload);
    return graph == nullptr ? nullptr : graph->get();
  }
  return nullptr;
}

const std::vector<std::int64_t>* find_integers(const std::vector<onnx::Attribute>& attributes, std::string_view name) {
  for (const onnx::Attribute& attribute : attributes)
    if (attribute.name == name) return std::get_if<std::vector<std::int64_t>>(&attribute.payload);
  return nullptr;
}

std::optional<std::int64_t> find_integer(const std::vector<onnx::Attribute>& attributes, std::string_view name) {
  for (const onnx::Attribute& attribute : attributes)
    if (attribute.name == name)
      if (const auto* value = std::get_if<std::int64_t>(&attribute.payload)) return *value;
  return std::nullopt;
}

Result<std::vector<std::int64_t>> read_axes(const std::vector<onnx::Attribute>& attributes, std::string_view name,
                                            std::size_t count) {
  const auto* given = find_integers(attributes, name);
  if (given == nullptr) return std::vector<std::int64_t>(count, 0);
  if (given->size() != count)
    return fail(Code::bad_model, "{} has {} entries, expected {}", name, given->size(), count);
  return *given;
}

Result<std::vector<bool>> read_directions(const std::vector<onnx::Attribute>& attributes, std::string_view name,
                                          std::size_t count) {
  std::vector<bool> reversed(count, false);
  const auto* given = find_integers(attributes, name);
  if (given == nullptr) return reversed;
  if (given->size() != count)
    return fail(Code::bad_model, "{} has {} entries, expected {}", name, given->size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    if ((*given)[i] != 0 && (*given)[i] != 1)
      return fail(Code::bad_model, "{}[{}] is {}, allowed are 0 (forward) and 1 (reverse)", name, i, (*given)[i]);
    reversed[i] = (*given)[i] == 1;
  }
  return reversed;
}

std::unordered_set<std::string_view> initializer_names(const onnx::Graph& graph) {
  std::unordered_set<std::string_view> names;
  for (const onnx::NamedTensor& initializer : graph.initializers) names.insert(initializer.name);
  return names;
}

Result<void> check_present(const onnx::Node& node, std::size_t first) {
  for (std::size_t i = first; i < node.inputs.size(); ++i)
    if (node.inputs[i].empty()) return fail(Code::bad_model, "input {} is empty; only outputs may be left out", i);
  return {};
}

}  // namespace

Result<Body> Importer::import_body(const onnx::Graph& graph, std::size_t bound, std::span<const std::string> fed,
                                   Scope& scope, const std::string& place) {
  if (graph.inputs.size() < bound)
    return fail(Code::bad_model, "the body has {} inputs, the node feeds it {}", graph.inputs.size(), bound);
  const std::unordered_set<std::string_view> initializers = initializer_names(graph);
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& name = graph.inputs[i].name;
    const bool is_initializer = initializers.count(name) != 0;
    if (i < bound && is_initializer)
      return fail(Code::bad_model, "body input \"{}\" is fed by the node and is an initializer too", name);
    if (i >= bound && !is_initializer)
      return fail(Code::bad_model, "the body has {} inputs, the node feeds it {}", graph.inputs.size(), bound);
  }
  if (graph.inputs.size() > bound && model_.ir_version > 3) {
    imported_.warnings.push_back(fmt::format("{}: {} body inputs are not fed by the node; their initializers are used",
                                             place, graph.inputs.size() - bound));
  }
  Body body;
  body.graph = std::make_unique<Graph>();
  body.graph->name = graph.name;
  Scope inner(*body.graph, &scope, scope.frame());
  declare_types(graph, inner);
  std::vector<ValueId> sources;
  for (const std::string& name : fed) sources.push_back(scope.resolve(name).value_or(ValueId{}));
  const Opened opened(*this, inner, std::move(sources));
  for (std::size_t i = 0; i < bound; ++i) {
    TRY(define_input(graph.inputs[i], inner));
  }
  TRY(define_initializers(graph, inner));
  import_nodes(graph.nodes, inner, place + " / body");
  if (first_ && problems_ == nullptr) return *first_;
  TRY(resolve_outputs(graph, inner));
  body.captures = inner.captures();
  return body;
}

Result<ScanOp> Importer::import_scan(const onnx::Node& node, const ops::Schema& schema,
                                     const std::vector<onnx::Attribute>& attributes, Scope& scope,
                                     const std::string& place) {
  ScanOp scan;
  scan.batched = schema.since == 8;
  const std::size_t first = scan.batched ? 1 : 0;
  const std::size_t given = node.inputs.size() - std::min(first, node.inputs.size());
  const std::optional<std::int64_t> elements = find_integer(attributes, "num_scan_inputs");
  if (!elements || *elements < 1 || *elements > static_cast<std::int64_t>(given)) {
    return fail(Code::bad_model, "num_scan_inputs is {}, allowed are 1 to {} (the node's inputs)",
                elements ? std::to_string(*elements) : "missing", given);
  }
  scan.elements = static_cast<std::size_t>(*elements);
  scan.states = given - scan.elements;
  TRY(check_present(node, first));

  const onnx::Graph* graph = find_graph(attributes, "body");
  if (graph == nullptr) return fail(Code::bad_model, "attribute \"body\" is missing");
  if (graph->outputs.size() < scan.states) {
    return fail(Code::bad_model, "the body has {} outputs, fewer than the {} states", graph->outputs.size(),
                scan.states);
  }
  scan.outputs = graph->outputs.size() - scan.states;
  if (node.outputs.size() != graph->outputs.size()) {
    return fail(Code::bad_model, "the node has {} outputs, its body {} ({} states and {} scan outputs)",
                node.outputs.size(), graph->outputs.size(), scan.states, scan.outputs);
  }
  if (scan.batched) {
    TRY_ASSIGN(scan.input_reversed, read_directions(attributes, "directions", scan.elements));
    scan.input_axes.assign(scan.elements, 0);
    scan.output_axes.assign(scan.outputs, 0);
    scan.output_reversed.assign(scan.outputs, false);
  } else {
    TRY_ASSIGN(scan.input_axes, read_axes(attributes, "scan_input_axes", scan.elements));
    TRY_ASSIGN(scan.output_axes, read_axes(attributes, "scan_output_axes", scan.outputs));
    TRY_ASSIGN(scan.input_reversed, read_directions(attributes, "scan_input_directions", scan.elements));
    TRY_ASSIGN(scan.output_reversed, read_directions(attributes, "scan_output_directions", scan.outputs));
  }
  TRY_ASSIGN(scan.body, import_body(*graph, given, std::span(node.inputs).subspan(first), scope, place));
  return scan;
}

Result<LoopOp> Importer::import_loop(const onnx::Node& node, const std::vector<onnx::Attribute>& attributes,
                                     Scope& scope, const std::string& place) {
  LoopOp loop;
  loop.carried = node.inputs.size() - std::min<std::size_t>(2, node.inputs.size());
  TRY(check_present(node, 2));
  const onnx::Graph* graph = find_graph(attributes, "body");
  if (graph == nullptr) return fail(Code::bad_model, "attribute \"body\" is missing");
  if (graph->outputs.size() < 1 + loop.carried) {
    return fail(Code::bad_model, "the body has {} outputs, expected at least {} (condition and {} carried values)",
                graph->outputs.size(), 1 + loop.carried, loop.carried);
  }
  loop.outputs = graph->outputs.size() - 1 - loop.carried;
  if (node.outputs.size() > loop.carried + loop.outputs) {
    return fail(Code::bad_model, "the node has {} outputs, its body gives {}", node.outputs.size(),
                loop.carried + loop.outputs);
  }
  TRY_ASSIGN(loop.body, import_body(*graph, 2 + loop.carried, node.inputs, scope, place));
  return loop;
}

Result<IfOp> Importer::import_if(const onnx::Node& node, const std::vector<onnx::Attribute>& attributes, Scope& scope,
                                 const std::string& place) {
  IfOp made;
  for (const bool taken : {true, false}) {
    const std::string_view role = taken ? "then_branch" : "else_branch";
    const onnx::Graph* graph = find_graph(attributes, role);
    if (graph == nullptr) return fail(Code::bad_model, "attribute \"{}\" is missing", role);
    if (graph->outputs.size() != node.outputs.size())
      return fail(Code::bad_model, "{} has {} outputs, the node {}", role, graph->outputs.size(), node.outputs.size());
    // Branches have no inputs of their own; some exporters list the outer values that a branch reads as if they were.
    onnx::Graph without_inputs;
    if (!graph->inputs.empty()) {
      without_inputs = *graph;
      without_inputs.inputs.clear();
      graph = &without_inputs;
    }
    TRY_ASSIGN((taken ? made.then_branch : made.else_branch),
               import_body(*graph, 0, {}, scope, fmt::format("{} {}", place, role)));
  }
  return made;
}

Result<void> Importer::import_control_flow(const onnx::Node& node, const ops::Schema& schema,
                                           const std::vector<onnx::Attribute>& attributes, Scope& scope,
                                           const std::string& place, Node& made) {
  if (node.op_type == "Scan") {
    TRY_ASSIGN(ScanOp scan, import_scan(node, schema, attributes, scope, place));
    scan.schema = &schema;
    made.operation = std::move(scan);
  } else if (node.op_type == "Loop") {
    TRY_ASSIGN(LoopOp loop, import_loop(node, attributes, scope, place));
    loop.schema = &schema;
    made.operation = std::move(loop);
  } else {
    TRY_ASSIGN(IfOp branch, import_if(node, attributes, scope, place));
    branch.schema = &schema;
    made.operation = std::move(branch);
  }
  return {};
}

}  // namespace pawl::graph
