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

Result<void> Lift::copy(const graph::Graph& from, const std::vector<bool>& values) {
  for (const ValueId id : from.inputs) mapping_[id] = builder_.add_input(from[id]);
  for (const ValueId id : from.captured) mapping_[id] = builder_.add_captured(from[id]);
  return graph::copy_nodes(from, values, mapping_, builder_);
}

Result<Lift> Lift::start(const Component& component) {
  Lift lift(component.body);
  std::vector<bool> free(component.body.values.size());
  for (std::uint32_t i = 0; i < free.size(); ++i) free[i] = !component.reaches({i});
  TRY(lift.copy(component.body, free));
  return lift;
}

Result<Lift> Lift::reopen(const graph::Body& finished) {
  Lift lift(*finished.graph);
  TRY(lift.copy(*finished.graph, std::vector<bool>(finished.graph->values.size(), true)));
  return lift;
}

graph::Body Lift::finish(const Component& component, Tuple element) {
  for (const ValueId id : component.also) element.push_back(mapping_(id));
  return finish(component.scan.body, std::move(element));
}

graph::Body Lift::finish(const graph::Body& like, Tuple outputs) {
  graph::Body body;
  body.graph = std::make_unique<graph::Graph>(builder_.finish(std::move(outputs)));
  for (std::size_t i = 0; i < like.captures.size(); ++i)
    body.captures.push_back({like.captures[i].outer, body.graph->captured[i]});
  return body;
}

}  // namespace pawl::scan
