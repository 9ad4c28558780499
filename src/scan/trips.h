// How many steps a Scan has, as far as types say.
#pragma once

#include "graph/graph.h"

namespace pawl::scan {

/// The extent of scan input `element` along its axis; the node's inputs are of `graph`. Unknown where its rank is.
Dim length_of(const graph::Graph& graph, const graph::Node& node, const graph::ScanOp& scan, std::size_t element);

/// The number of steps: a number where any scan input has one, else a symbol, else unknown.
Dim trips_of(const graph::Graph& graph, const graph::Node& node, const graph::ScanOp& scan);

}  // namespace pawl::scan
