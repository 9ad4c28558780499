#include "graph/rebuild.h"

#include <algorithm>

#include "base/try.h"

namespace pawl::graph {
namespace {

Result<Body> rebuild_body(const Body& body, const Mapping& outer, const Builder& outer_builder,
                          const RewriteNode& rewrite);

Result<Graph> rebuild_inside(const Graph& graph, const std::vector<ValueId>& captured, const Builder* outer,
                             std::vector<bool>& read, const RewriteNode& rewrite) {
  Builder builder(graph.name);
  Mapping mapping(graph);
  const std::vector<bool> needed = values_behind(graph, graph.outputs);
  for (const ValueId id : graph.inputs) {
    ValueInfo value = graph[id];
    mapping[id] = builder.add_input(std::move(value));
  }
  for (std::size_t i = 0; i < graph.captured.size(); ++i) {
    const ValueId id = graph.captured[i];
    if (!needed[id.index]) continue;
    // A value that two captures bring is one; what became known outside is known inside.
    const auto earlier = std::find(captured.begin(), captured.begin() + static_cast<std::ptrdiff_t>(i), captured[i]);
    const auto first = static_cast<std::size_t>(earlier - captured.begin());
    if (first < i && read[first]) {
      mapping[id] = mapping(graph.captured[first]);
      continue;
    }
    read[i] = true;
    ValueInfo value = graph[id];
    if (outer != nullptr) value.fact = outer->fact(captured[i]);
    mapping[id] = builder.add_captured(std::move(value));
  }
  TRY(copy_nodes(graph, needed, mapping, builder, rewrite));
  return builder.finish(mapping(graph.outputs));
}

Result<Body> rebuild_body(const Body& body, const Mapping& outer, const Builder& outer_builder,
                          const RewriteNode& rewrite) {
  std::vector<ValueId> captured;
  for (const Capture& capture : body.captures) captured.push_back(outer(capture.outer));
  std::vector<bool> read(captured.size(), false);
  TRY_ASSIGN(Graph graph, rebuild_inside(*body.graph, captured, &outer_builder, read, rewrite));
  Body made;
  std::size_t next = 0;
  for (std::size_t i = 0; i < captured.size(); ++i)
    if (read[i]) made.captures.push_back({captured[i], graph.captured[next++]});
  made.graph = std::make_unique<Graph>(std::move(graph));
  return made;
}

}  // namespace

Result<Node> carry_over(const Node& node, const Mapping& mapping, const Builder& builder, const RewriteNode& rewrite) {
  Node copy;
  copy.name = node.name;
  copy.label = node.label;
  copy.inputs = mapping(node.inputs);
  if (const auto* call = std::get_if<OpCall>(&node.operation)) {
    copy.operation = *call;
  } else if (const auto* scan = std::get_if<ScanOp>(&node.operation)) {
    ScanOp made;
    made.schema = scan->schema;
    made.states = scan->states;
    made.elements = scan->elements;
    made.outputs = scan->outputs;
    made.batched = scan->batched;
    made.input_axes = scan->input_axes;
    made.input_reversed = scan->input_reversed;
    made.output_axes = scan->output_axes;
    made.output_reversed = scan->output_reversed;
    TRY_ASSIGN(made.body, rebuild_body(scan->body, mapping, builder, rewrite));
    copy.operation = std::move(made);
  } else if (const auto* loop = std::get_if<LoopOp>(&node.operation)) {
    LoopOp made;
    made.schema = loop->schema;
    made.carried = loop->carried;
    made.outputs = loop->outputs;
    TRY_ASSIGN(made.body, rebuild_body(loop->body, mapping, builder, rewrite));
    copy.operation = std::move(made);
  } else {
    const auto& branch = std::get<IfOp>(node.operation);
    IfOp made;
    made.schema = branch.schema;
    TRY_ASSIGN(made.then_branch, rebuild_body(branch.then_branch, mapping, builder, rewrite));
    TRY_ASSIGN(made.else_branch, rebuild_body(branch.else_branch, mapping, builder, rewrite));
    copy.operation = std::move(made);
  }
  return copy;
}

std::vector<ValueId> Mapping::operator()(std::span<const ValueId> ids) const {
  std::vector<ValueId> mapped;
  for (const ValueId id : ids) mapped.push_back((*this)(id));
  return mapped;
}

std::vector<ValueInfo> outputs_of(const Graph& graph, const Node& node) {
  std::vector<ValueInfo> outputs(node.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!node.outputs[i].valid()) continue;
    outputs[i].name = graph[node.outputs[i]].name;
    outputs[i].declared = graph[node.outputs[i]].declared;
  }
  return outputs;
}

Result<void> copy_nodes(const Graph& graph, const std::vector<bool>& needed, Mapping& mapping, Builder& builder,
                        const RewriteNode& rewrite) {
  std::vector<bool> produced(graph.values.size(), false);
  for (const Node& node : graph.nodes)
    for (const ValueId id : node.outputs)
      if (id.valid()) produced[id.index] = true;
  for (std::uint32_t i = 0; i < graph.values.size(); ++i) {
    const ValueInfo& value = graph.values[i];
    if (needed[i] && !produced[i] && value.fact.tensor() != nullptr && !mapping(ValueId{i}).valid())
      mapping[ValueId{i}] = builder.add_constant(*value.fact.tensor(), value.name);
  }
  for (const Node& node : graph.nodes) {
    if (!any_of(node.outputs, needed)) continue;
    TRY_ASSIGN(Node copy, carry_over(node, mapping, builder, rewrite));
    const std::vector<ValueInfo> outputs = outputs_of(graph, node);
    std::optional<std::vector<ValueId>> ids;
    if (rewrite) {
      TRY_ASSIGN(ids, rewrite(builder, copy, outputs, Original{graph, node}));
    }
    if (!ids) {
      TRY_ASSIGN(ids, builder.add(std::move(copy), outputs));
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i].valid()) mapping[node.outputs[i]] = (*ids)[i];
  }
  return {};
}

Result<Graph> rebuild(const Graph& graph, const RewriteNode& rewrite) {
  std::vector<bool> read;
  CHECK(graph.captured.empty());
  return rebuild_inside(graph, {}, nullptr, read, rewrite);
}

}  // namespace pawl::graph
