// The order of nodes, and what a node reads from outside its bodies.
#pragma once

#include <string>
#include <vector>

#include "onnx/model.h"
#include "pawl/error.h"

namespace pawl::graph {

/// Indices of `nodes` in an order in which each value is defined before its uses; the file's own order where it is one.
/// Names that no node of the list defines count as given. Errors: bad_model, when nodes need each other in a circle.
Result<std::vector<std::size_t>> topological_order(const std::vector<onnx::Node>& nodes);

/// Every name that a graph's nodes and outputs, or graphs inside it, read and the graph itself does not define.
std::vector<std::string> outer_reads(const onnx::Graph& graph);

}  // namespace pawl::graph
