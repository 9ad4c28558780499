#include "model_facts.h"

#include <algorithm>
#include <set>

#include "base/try.h"
#include "graph/graph.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "ops/schema.h"

namespace pawl::cli {
namespace {

using Opsets = std::vector<onnx::OpsetImport>;

bool default_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

std::int64_t opset_of(const Opsets& opsets, const std::string& domain) {
  for (const onnx::OpsetImport& opset : opsets)
    if (opset.domain == domain || (default_domain(opset.domain) && default_domain(domain))) return opset.version;
  return 0;
}

template <class T>
const T* attribute(const onnx::Node& node, std::string_view name) {
  for (const onnx::Attribute& candidate : node.attributes)
    if (candidate.name == name) return std::get_if<T>(&candidate.payload);
  return nullptr;
}

std::vector<std::int64_t> integers(const onnx::Node& node, std::string_view name) {
  const auto* values = attribute<std::vector<std::int64_t>>(node, name);
  return values == nullptr ? std::vector<std::int64_t>() : *values;
}

/// Names in the order of first use, without those defined in the graph itself.
class CaptureCollector {
 public:
  explicit CaptureCollector(const onnx::Graph& graph) {
    for (const onnx::ValueInfo& input : graph.inputs) defined_.insert(input.name);
    for (const onnx::NamedTensor& initializer : graph.initializers) defined_.insert(initializer.name);
    for (const onnx::Node& node : graph.nodes) defined_.insert(node.outputs.begin(), node.outputs.end());
  }
  void read(const std::string& name) {
    if (!name.empty() && !defined_.contains(name) && seen_.insert(name).second) captures_.push_back(name);
  }
  std::vector<std::string> take() { return std::move(captures_); }

 private:
  std::set<std::string> defined_;
  std::set<std::string> seen_;
  std::vector<std::string> captures_;
};

std::int64_t size_of_list(const std::vector<std::string>& list) { return static_cast<std::int64_t>(list.size()); }

/// N, M, K and the layout of a Scan.
void describe_scan(const onnx::Node& node, ControlFlowFacts& facts) {
  const auto* elements = attribute<std::int64_t>(node, "num_scan_inputs");
  const std::int64_t inputs = size_of_list(node.inputs) - (facts.since == 8 ? 1 : 0);  // sequence_lens comes first
  const bool sound =
      elements != nullptr && *elements >= 1 && *elements <= inputs && inputs - *elements <= size_of_list(node.outputs);
  facts.elements = elements == nullptr ? -1 : *elements;
  facts.states = sound ? inputs - *elements : -1;
  facts.outputs = sound ? size_of_list(node.outputs) - facts.states : -1;
  const auto layout = [&](std::string_view name, std::int64_t count, std::int64_t otherwise) {
    std::vector<std::int64_t> values = integers(node, name);
    if (values.empty() && sound) values.assign(static_cast<std::size_t>(count), otherwise);
    return values;
  };
  const std::int64_t time_axis = facts.since == 8 ? 1 : 0;
  facts.input_axes = layout("scan_input_axes", facts.elements, time_axis);
  facts.output_axes = layout("scan_output_axes", facts.outputs, time_axis);
  facts.input_directions = layout(facts.since == 8 ? "directions" : "scan_input_directions", facts.elements, 0);
  facts.output_directions = layout("scan_output_directions", facts.outputs, 0);
}

void describe_loop(const onnx::Node& node, ControlFlowFacts& facts) {
  facts.states = std::max<std::int64_t>(0, size_of_list(node.inputs) - 2);
  facts.outputs = size_of_list(node.outputs) - facts.states;
  if (facts.outputs < 0) facts.states = facts.outputs = -1;
}

class Gatherer {
 public:
  void walk(const std::vector<onnx::Node>& nodes, const Opsets& opsets, const std::string& place) {
    for (const onnx::Node& node : nodes) {
      ++facts_.operators[{shown_domain(node.domain), node.op_type}];
      facts_.uses.insert({node.domain, node.op_type, opset_of(opsets, node.domain)});
      const auto bodies = bodies_of(node);
      if (bodies.empty()) continue;
      if (default_domain(node.domain)) facts_.control_flow.push_back(describe(node, opsets, place));
      const std::string label = fmt::format("{} / {} \"{}\"", place, node.op_type, label_of(node));
      for (const auto& [role, body] : bodies) walk(body->nodes, opsets, label + " " + role);
    }
  }
  ModelFacts take() { return std::move(facts_); }

 private:
  static std::string label_of(const onnx::Node& node) {
    return node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name;
  }

  static ControlFlowFacts describe(const onnx::Node& node, const Opsets& opsets, const std::string& place) {
    ControlFlowFacts facts;
    facts.op_type = node.op_type;
    facts.name = label_of(node);
    facts.place = place;
    if (const ops::Schema* schema = ops::find_schema("", node.op_type, opset_of(opsets, "")))
      facts.since = schema->since;
    if (node.op_type == "Scan")
      describe_scan(node, facts);
    else if (node.op_type == "Loop")
      describe_loop(node, facts);
    else
      facts.outputs = size_of_list(node.outputs);
    std::set<std::string> seen;
    for (const auto& [role, body] : bodies_of(node))
      for (const std::string& name : captures_of(*body))
        if (seen.insert(name).second) facts.captures.push_back(name);
    return facts;
  }

  ModelFacts facts_;
};

}  // namespace

std::string shown_domain(const std::string& domain) { return domain.empty() ? "ai.onnx" : domain; }

std::vector<std::pair<std::string, const onnx::Graph*>> bodies_of(const onnx::Node& node) {
  std::vector<std::pair<std::string, const onnx::Graph*>> bodies;
  for (const onnx::Attribute& candidate : node.attributes) {
    if (const auto* graph = std::get_if<std::shared_ptr<const onnx::Graph>>(&candidate.payload);
        graph != nullptr && *graph)
      bodies.emplace_back(candidate.name, graph->get());
    if (const auto* graphs = std::get_if<std::vector<std::shared_ptr<const onnx::Graph>>>(&candidate.payload))
      for (const auto& graph : *graphs)
        if (graph) bodies.emplace_back(candidate.name, graph.get());
  }
  return bodies;
}

std::vector<std::string> captures_of(const onnx::Graph& graph) {
  CaptureCollector collector(graph);
  for (const onnx::Node& node : graph.nodes) {
    for (const std::string& name : node.inputs) collector.read(name);
    for (const auto& [role, body] : bodies_of(node))
      for (const std::string& name : captures_of(*body)) collector.read(name);
  }
  for (const onnx::ValueInfo& output : graph.outputs) collector.read(output.name);
  return collector.take();
}

std::vector<OperatorName> missing_operators(const onnx::Model& model) {
  std::set<OperatorName> functions;
  for (const onnx::Function& function : model.functions)
    functions.insert({shown_domain(function.domain), function.name});
  std::set<OperatorName> missing;
  for (const OperatorUse& use : gather_facts(model).uses) {
    const OperatorName name{shown_domain(use.domain), use.name};
    const bool control_flow = graph::is_control_flow(default_domain(use.domain) ? "" : use.domain, use.name);
    if (control_flow || functions.contains(name)) continue;
    const ops::OpDef* row = ops::find_op(use.domain, use.name);
    const ops::Schema* schema = ops::find_schema(use.domain, use.name, use.opset);
    const ops::FunctionDef* function = ops::find_function(use.domain, use.name);
    const bool known =
        schema != nullptr &&
        ((function != nullptr && function->has(schema->since)) ||
         (row != nullptr && std::find(row->since.begin(), row->since.end(), schema->since) != row->since.end()));
    if (!known) missing.insert(name);
  }
  return {missing.begin(), missing.end()};
}

ModelFacts gather_facts(const onnx::Model& model) {
  Gatherer gatherer;
  gatherer.walk(model.graph.nodes, model.opset_imports, "graph");
  for (const onnx::Function& function : model.functions)
    gatherer.walk(function.nodes, function.opset_imports, "function " + function.name);
  return gatherer.take();
}

}  // namespace pawl::cli
