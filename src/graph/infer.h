// What is known before the run: types and constants of a node's outputs from those of its inputs.
#pragma once

#include "graph/graph.h"

namespace pawl::graph {

/// Facts of the node's outputs. `facts` are those of all values of the graph it stands in, inputs included.
Result<std::vector<ops::Fact>> infer_node(const Node& node, const std::vector<ops::Fact>& facts);

/// Facts of all values of `graph`, given those of its inputs and of its captured values (in that order).
Result<std::vector<ops::Fact>> infer_graph(const Graph& graph, std::vector<ops::Fact> inputs, std::vector<ops::Fact> captured);

/// Does a value of type `actual` contradict `declared`? Unknown parts and symbols never do. The message names both.
Result<void> check_declared(const Type& declared, const Type& actual, std::string_view value_name);

/// The most that is known of a value of which `a` and `b` both hold (the declared and the inferred type, say).
Type meet(const Type& a, const Type& b);
/// What is known of a value that is either an `a` or a `b` (the two branches of an If).
Type join(const Type& a, const Type& b);

}  // namespace pawl::graph
