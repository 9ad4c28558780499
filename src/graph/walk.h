// Following values through the nodes of a graph.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "graph/graph.h"

namespace pawl::graph {

/// Calls f for each value that a node reads: inputs, and what its bodies capture.
template <class F>
void for_each_read(const Node& node, F&& f) {
  for (const ValueId id : node.inputs)
    if (id.valid()) f(id);
  for_each_body(node, [&](const Body& body, std::string_view) {
    for (const Capture& capture : body.captures) f(capture.outer);
  });
}

/// Whether one of the ids is a marked value.
inline bool any_of(std::span<const ValueId> ids, const std::vector<bool>& marked) {
  return std::any_of(ids.begin(), ids.end(), [&](ValueId id) { return id.valid() && marked[id.index]; });
}

/// By value: what `roots` are made of, themselves included. A value that `is_known` holds for is not marked, and what
/// it is made of only where something else needs it.
template <class F>
std::vector<bool> values_behind(const Graph& graph, std::span<const ValueId> roots, F&& is_known) {
  std::vector<bool> needed(graph.values.size(), false);
  const auto mark = [&](ValueId id) {
    if (id.valid() && !is_known(id)) needed[id.index] = true;
  };
  for (const ValueId id : roots) mark(id);
  for (std::size_t n = graph.nodes.size(); n-- > 0;)
    if (any_of(graph.nodes[n].outputs, needed)) for_each_read(graph.nodes[n], mark);
  return needed;
}

inline std::vector<bool> values_behind(const Graph& graph, std::span<const ValueId> roots) {
  return values_behind(graph, roots, [](ValueId) { return false; });
}

/// The node that makes a value; null for inputs, captured values and constants.
inline const Node* producer_of(const Graph& graph, ValueId id) {
  for (const Node& node : graph.nodes)
    if (std::find(node.outputs.begin(), node.outputs.end(), id) != node.outputs.end()) return &node;
  return nullptr;
}

/// The call that a node is, of operator `op` of the standard's own domain, else null. The node may be null.
inline const OpCall* call_of(const Node* node, std::string_view op) {
  const auto* call = node == nullptr ? nullptr : std::get_if<OpCall>(&node->operation);
  return call != nullptr && call->def->name == op && call->def->domain.empty() ? call : nullptr;
}

}  // namespace pawl::graph
