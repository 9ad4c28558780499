// Copying a graph into a builder, with a pass's own ideas on some nodes.
#pragma once

#include <functional>
#include <optional>

#include "graph/builder.h"
#include "graph/walk.h"

namespace pawl::graph {

/// From the values of one graph to those of another.
class Mapping {
 public:
  explicit Mapping(const Graph& from) : to_(from.values.size()) {}
  ValueId& operator[](ValueId id) { return to_[id.index]; }
  /// The counterpart; invalid for an omitted value.
  [[nodiscard]] ValueId operator()(ValueId id) const { return id.valid() ? to_[id.index] : id; }
  [[nodiscard]] std::vector<ValueId> operator()(std::span<const ValueId> ids) const;

 private:
  std::vector<ValueId> to_;
};

/// A node in the graph that is emitted anew, as it was.
struct Original {
  const Graph& graph;
  const Node& node;
};

/// Looks at a node whose inputs, captures and bodies are those of the new graph already. Either emits something of its
/// own and returns the values that stand for the node's outputs (they may be invalid where the node's are), or nothing:
/// then the node is emitted as it is.
using RewriteNode = std::function<Result<std::optional<std::vector<ValueId>>>(
    Builder& builder, Node& node, std::span<const ValueInfo> outputs, const Original& original)>;

/// The graph, emitted anew, innermost bodies first: types, constants and captures are brought up to date, nodes whose
/// outputs nobody reads are gone, equal nodes are one.
Result<Graph> rebuild(const Graph& graph, const RewriteNode& rewrite = nullptr);

/// Emits all constants and nodes of `graph` whose outputs `needed` names (by value), into `builder`, mapping their
/// values. Inputs and captured values must be mapped before.
Result<void> copy_nodes(const Graph& graph, const std::vector<bool>& needed, Mapping& mapping, Builder& builder,
                        const RewriteNode& rewrite = nullptr);

/// The node with its inputs and bodies in terms of the builder's graph, for Builder::add.
Result<Node> carry_over(const Node& node, const Mapping& mapping, const Builder& builder,
                        const RewriteNode& rewrite = nullptr);

/// Declared types and names of a node's outputs, as Builder::add takes them; omitted ones have no name.
std::vector<ValueInfo> outputs_of(const Graph& graph, const Node& node);

}  // namespace pawl::graph
