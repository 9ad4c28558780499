// Numbers for the symbols of a graph's inputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace pawl::graph {

/// The graph with every input extent that is one of these symbols, or is named "INPUT.AXIS" here, known, and all that
/// follows from it. Errors: bad_argument (a symbol that no input has, a negative extent); bad_shape, where the graph
/// cannot run so.
Result<Graph> specialise(const Graph& graph, const std::vector<std::pair<std::string, std::int64_t>>& extents);

}  // namespace pawl::graph
