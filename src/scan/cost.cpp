// What one step of a body costs.
#include "scan/cost.h"

#include <algorithm>
#include <cmath>

#include "ops/op.h"
#include "scan/over_time.h"
#include "scan/trips.h"

namespace pawl::scan {
namespace {

double bytes_of(const Type& type, bool& known) {
  const std::optional<double> count = elements_in(type);
  if (!count) {
    known = false;
    return 0;
  }
  return *count * static_cast<double>(size_of(type.dtype));
}

/// A contraction multiplies and adds once for each output element and each place of the contracted axes.
double operations_of(const graph::Graph& body, const graph::Node& node, bool& known) {
  const auto* call = std::get_if<graph::OpCall>(&node.operation);
  if (call == nullptr) return 0;
  double outputs = 0;
  double inputs = 1;
  double largest = 0;
  for (const graph::ValueId id : node.outputs) {
    if (!id.valid()) continue;
    const std::optional<double> count = elements_in(body[id].fact.type);
    known = known && count.has_value();
    outputs += count.value_or(0);
  }
  for (const graph::ValueId id : node.inputs) {
    if (!id.valid()) continue;
    const double count = elements_in(body[id].fact.type).value_or(0);
    inputs *= std::max(count, 1.0);
    largest = std::max(largest, count);
  }
  switch (call->def->axes.kind) {
    case ops::AxisKind::moved: return 0;
    case ops::AxisKind::reduced:
    case ops::AxisKind::along: return std::max(largest, outputs);
    case ops::AxisKind::contracted:
      return outputs == 0 ? 0 : 2 * std::sqrt(inputs * outputs);  // (m k)(k n)(m n) = (m k n)^2
    default: return outputs;
  }
}

/// The bytes of what is the same in every step, in a product of matrices with something that depends on a state.
double weights_of(const graph::Graph& body, const graph::Node& node, const Dependence& dependence) {
  const auto* call = std::get_if<graph::OpCall>(&node.operation);
  if (call == nullptr || call->def->axes.kind != ops::AxisKind::contracted) return 0;
  double bytes = 0;
  bool reads_state = false;
  for (const graph::ValueId id : node.inputs) {
    if (!id.valid()) continue;
    bool known = true;
    reads_state = reads_state || dependence.on_state(id);
    if (dependence.invariant(id)) bytes += bytes_of(body[id].fact.type, known);
  }
  return reads_state ? bytes : 0;
}

}  // namespace

StepCost cost_of(const graph::ScanOp& scan, const Dependence& dependence) {
  const graph::Graph& body = *scan.body.graph;
  StepCost cost;
  for (const graph::Node& node : body.nodes) {
    cost.operations += operations_of(body, node, cost.known);
    cost.bytes_weights += weights_of(body, node, dependence);
  }
  for (std::size_t i = 0; i < body.inputs.size(); ++i)
    (i < scan.states ? cost.bytes_state : cost.bytes_in) += bytes_of(body[body.inputs[i]].fact.type, cost.known);
  for (std::size_t k = scan.states; k < body.outputs.size(); ++k)
    cost.bytes_out += bytes_of(body[body.outputs[k]].fact.type, cost.known);
  for (const graph::ValueId id : body.captured) cost.bytes_fixed += bytes_of(body[id].fact.type, cost.known);
  return cost;
}

GraphCost cost_of(const graph::Graph& graph) {
  GraphCost cost;
  for (const graph::Node& node : graph.nodes) {
    cost.operations += operations_of(graph, node, cost.known);
    double times = 1;
    if (const auto* scan = std::get_if<graph::ScanOp>(&node.operation)) {
      const Dim trips = trips_of(graph, node, *scan);
      times = static_cast<double>(trips.known() ? trips.value : 1);
      cost.known = cost.known && trips.known() && !scan->batched;
      if (trips.known()) cost.steps = std::max(cost.steps, trips.value);
    }
    if (std::holds_alternative<graph::LoopOp>(node.operation)) cost.known = false;
    double most = 0;  // of two branches one is taken
    graph::for_each_body(node, [&](const graph::Body& body, std::string_view) {
      const GraphCost inner = cost_of(*body.graph);
      cost.known = cost.known && inner.known;
      most = std::max(most, inner.operations);
    });
    cost.operations += times * most;
  }
  return cost;
}

}  // namespace pawl::scan
