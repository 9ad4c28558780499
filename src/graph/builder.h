// Making a graph in order. Passes never patch a graph: they walk the old one and emit the new one here.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace pawl::graph {

/// Emits nodes in topological order. Each one is inferred at once; an operator whose outputs are all known becomes
/// constants, and one that was emitted before with the same inputs and attributes is not emitted again.
class Builder {
 public:
  explicit Builder(std::string name) { graph_.name = std::move(name); }

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const ops::Fact& fact(ValueId id) const { return graph_[id].fact; }
  /// The node that makes a value, at once; null for inputs, captured values and constants.
  [[nodiscard]] const Node* maker(ValueId id) const {
    const std::size_t place = makers_[id.index];
    return place < graph_.nodes.size() ? &graph_.nodes[place] : nullptr;
  }

  ValueId add_input(ValueInfo value);
  ValueId add_captured(ValueInfo value);
  /// A tensor known before the run. Small ones of equal contents are one value.
  ValueId add_constant(Tensor tensor, std::string name);
  /// A list of int64, as operators take axes and extents.
  ValueId add_integers(std::span<const std::int64_t> list, std::string name);
  ValueId add_integers(std::initializer_list<std::int64_t> list, std::string name) {
    return add_integers(std::span<const std::int64_t>(list.begin(), list.size()), std::move(name));
  }

  /// Emits a node whose inputs, and the outer ends of whose bodies' captures, are values of this graph. node.outputs is
  /// not read: `outputs` gives one name and declaration per output; an empty name omits it.
  ///   returns : the values, invalid where omitted
  /// Nothing is known of the outputs of a node that can never run: it may stand in a branch that is never taken.
  Result<std::vector<ValueId>> add(Node node, std::span<const ValueInfo> outputs);

  /// An operator of domain "" in its newest version; the outputs are named after `name`.
  Result<std::vector<ValueId>> call(std::string_view op, std::vector<ops::Attribute> attributes,
                                    std::vector<ValueId> inputs, const std::string& name, std::size_t outputs = 1);

  /// The finished graph; the builder is empty afterwards.
  Graph finish(std::vector<ValueId> outputs);

 private:
  ValueId add_value(ValueInfo value);
  Result<std::vector<ops::Fact>> infer(const Node& node, std::size_t outputs) const;

  Graph graph_;
  std::vector<std::size_t> makers_;                              ///< by value: a place among the nodes, or none
  std::vector<ops::Fact> facts_;                                 ///< of graph_.values, as inference takes them
  std::unordered_map<std::string, std::vector<ValueId>> known_;  ///< by node key
  std::unordered_map<std::string, ValueId> constants_;           ///< by contents
};

/// What one call of an operator is, apart from its inputs: two nodes with equal keys and inputs give equal outputs.
/// Large tensors among the attributes count as equal only when they are the same memory.
std::string key_of(const OpCall& call);

}  // namespace pawl::graph
