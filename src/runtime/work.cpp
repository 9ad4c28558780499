// What a run has to do, from the types of its inputs.
#include "base/guard.h"
#include "graph/specialise.h"
#include "runtime/program.h"
#include "scan/cost.h"

namespace pawl {
namespace {

using Extents = std::vector<std::pair<std::string, std::int64_t>>;

/// The extents that the values have and the graph leaves open, by input and axis.
Extents open_extents(const graph::Graph& graph, std::span<const Value> inputs) {
  Extents extents;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const graph::ValueInfo& input = graph[graph.inputs[i]];
    const auto& shape = input.fact.type.shape;
    if (!shape || !inputs[i].is_tensor() || inputs[i].tensor().shape().size() != shape->size()) continue;
    for (std::size_t axis = 0; axis < shape->size(); ++axis)
      if (!(*shape)[axis].known())
        extents.emplace_back(fmt::format("{}.{}", input.name, axis), inputs[i].tensor().shape()[axis]);
  }
  return extents;
}

double constant_bytes(const graph::Graph& graph) {
  double bytes = 0;
  for (const graph::ValueInfo& value : graph.values)
    if (const Tensor* tensor = value.fact.tensor())
      bytes += static_cast<double>(tensor->size()) * static_cast<double>(size_of(tensor->dtype()));
  for (const graph::Node& node : graph.nodes)
    graph::for_each_body(node,
                         [&](const graph::Body& body, std::string_view) { bytes += constant_bytes(*body.graph); });
  return bytes;
}

}  // namespace

Result<Work> Program::State::work(std::span<const Value> inputs) const {
  TRY_ASSIGN(const std::vector<Value> accepted, accept({inputs.begin(), inputs.end()}));
  const graph::Graph& written = *model->imported.graph;
  TRY_ASSIGN(const graph::Graph as_written, graph::specialise(written, open_extents(written, accepted)));
  TRY_ASSIGN(const graph::Graph as_run, graph::specialise(*graph, open_extents(*graph, accepted)));
  const scan::GraphCost cost = scan::cost_of(as_run);
  return Work{cost.known ? std::optional(cost.operations) : std::nullopt, constant_bytes(*graph),
              scan::cost_of(as_written).steps};
}

Result<Work> Program::work(std::span<const Value> inputs) const {
  return guard([&] { return state_->work(inputs); });
}

}  // namespace pawl
