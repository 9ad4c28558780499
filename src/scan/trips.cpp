#include "scan/trips.h"

#include "graph/infer.h"

namespace pawl::scan {

Dim length_of(const graph::Graph& graph, const graph::Node& node, const graph::ScanOp& scan, std::size_t element) {
  const Type& type = graph[node.inputs[scan.states + element]].fact.type;
  if (!type.shape) return {};
  const Result<std::size_t> axis = graph::resolve_axis(scan.input_axes[element], type.shape->size(), "scan input axis");
  return axis.ok() ? (*type.shape)[*axis] : Dim();
}

Dim trips_of(const graph::Graph& graph, const graph::Node& node, const graph::ScanOp& scan) {
  Dim found;
  for (std::size_t i = 0; i < scan.elements; ++i) {
    Dim length = length_of(graph, node, scan, i);
    if (length.known()) return length;
    if (found.symbol.empty()) found = std::move(length);
  }
  return found;
}

}  // namespace pawl::scan
