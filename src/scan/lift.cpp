#include "scan/lift.h"

#include <algorithm>

#include "ops/convert.h"
#include "scan/step_walk.h"

namespace pawl::scan {

using graph::ValueId;

Arithmetic::V Arithmetic::constant(DType dtype, double value) {
  Result<Tensor> tensor = ops::convert(Tensor::scalar<double>(value), dtype);
  if (tensor.ok()) return to_.add_constant(std::move(tensor).value(), "c");
  if (status_.ok()) status_ = std::move(tensor).error();
  return {};
}

std::vector<bool> made_into_next_states(const Component& component) {
  std::vector<ValueId> next;
  for (std::size_t i = 0; i < component.states.size(); ++i) next.push_back(component.next(i));
  return graph::values_behind(component.body, next);
}

bool Component::has(std::size_t state) const { return std::find(states.begin(), states.end(), state) != states.end(); }

bool Component::reaches(ValueId id) const {
  return std::any_of(states.begin(), states.end(), [&](std::size_t state) { return dependence.on_state(id, state); });
}

Result<Lift> Lift::start(const Component& component) {
  const graph::Graph& body = component.body;
  Lift lift(body);
  for (const ValueId id : body.inputs) lift.mapping_[id] = lift.builder_.add_input(body[id]);
  for (const ValueId id : body.captured) lift.mapping_[id] = lift.builder_.add_captured(body[id]);
  std::vector<bool> free(body.values.size());
  for (std::uint32_t i = 0; i < free.size(); ++i) free[i] = !component.reaches({i});
  TRY(graph::copy_nodes(body, free, lift.mapping_, lift.builder_));
  return lift;
}

graph::Body Lift::finish(const Component& component, Tuple element) {
  for (const ValueId id : component.also) element.push_back(mapping_(id));
  graph::Body body;
  body.graph = std::make_unique<graph::Graph>(builder_.finish(std::move(element)));
  for (std::size_t i = 0; i < component.scan.body.captures.size(); ++i)
    body.captures.push_back({component.scan.body.captures[i].outer, body.graph->captured[i]});
  return body;
}

}  // namespace pawl::scan
