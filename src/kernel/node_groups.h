// Neighbouring nodes of a graph that can run as one kernel: chains of pointwise operators, sums and what moves between
// them.
#pragma once

#include "graph/graph.h"
#include "pawl/error.h"

namespace pawl::kernel {

/// Nodes that run together. As a Scan of one step: the body captures what they read, and gives what others read.
struct NodeGroup {
  std::vector<const graph::Node*> nodes;  ///< in their order
  graph::ScanOp scan;                     ///< no states, no elements; scan outputs along axis 0
  std::vector<graph::ValueId> reads;      ///< of the graph, by what the body captures
  std::vector<graph::ValueId> gives;      ///< of the graph, by scan output
};

/// The nodes of a graph in an order in which those of a group follow each other.
struct GroupedNodes {
  std::vector<const graph::Node*> order;
  std::vector<NodeGroup> groups;  ///< in the order of their nodes
};

/// The same group for tensors whose axes are in another order: it captures those of `turned` (by capture) and gives all
/// its results with axis i being what was axis order[i]. All of these have that many axes. Errors: internal.
Result<graph::ScanOp> turned_group(const graph::ScanOp& group, const std::vector<std::size_t>& order,
                                   const std::vector<bool>& turned);

/// Of the graph's own nodes; bodies are not looked into. `is_constant` says which nodes are not run at all.
GroupedNodes group_nodes(const graph::Graph& graph, const std::vector<bool>& is_constant);

/// A node that is alone. Only of operators.
NodeGroup group_of(const graph::Graph& graph, const graph::Node& node);

}  // namespace pawl::kernel
