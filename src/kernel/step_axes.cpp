#include "kernel/step_axes.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace pawl::kernel {

using Kind = StepValue::Kind;

std::size_t StepAxes::find(std::size_t at) const {
  while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
  return at;
}

void StepAxes::tie(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

StepAxes::StepAxes(const StepGraph& graph, std::size_t states) {
  std::size_t count = 0;
  for (const StepValue& value : graph.values) {
    first_.push_back(count);
    count += value.shape.size();
    bool behind = value.kind == Kind::source && value.source == StepValue::Source::state;
    for (const StepId operand : value.operands) behind = behind || depends_[operand.index];
    depends_.push_back(behind);
  }
  parent_.resize(count);
  std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  for (std::uint32_t i = 0; i < graph.values.size(); ++i) {
    add(graph, {i});
    const StepValue& value = graph.values[i];
    const bool is_state = value.kind == Kind::source && value.source == StepValue::Source::state;
    if (!is_state || value.index >= states || !graph.outputs[value.index].valid()) continue;
    const StepId next = graph.outputs[value.index];
    for (std::size_t axis = 0; axis < value.shape.size(); ++axis) tie(first_[i] + axis, first_[next.index] + axis);
  }
  mixed_.assign(count, false);
  for (const std::size_t each : mixing_) mixed_[find(each)] = true;
  // A class that a value has twice: its diagonal is one place.
  for (std::uint32_t i = 0; i < graph.values.size(); ++i) {
    std::map<std::size_t, int> seen;
    for (std::size_t axis = 0; axis < graph.values[i].shape.size(); ++axis)
      if (graph.values[i].shape[axis] != 1 && ++seen[class_of({i}, axis)] > 1) mixed_[class_of({i}, axis)] = true;
  }
}

void StepAxes::add(const StepGraph& graph, StepId id) {
  const StepValue& value = graph[id];
  const std::size_t first = first_[id.index];
  for (const StepId operand : value.operands) {
    const Dims& shape = graph[operand].shape;
    const std::size_t own = first_[operand.index];
    if (value.kind == Kind::lane) {
      const std::size_t ahead = value.shape.size() - shape.size();
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] != 1) tie(own + axis, first + ahead + axis);
    }
    if (value.kind == Kind::reduce) {
      std::size_t kept = 0;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool gone = std::find(value.axes.begin(), value.axes.end(), axis) != value.axes.end();
        if (!gone) tie(own + axis, first + kept++);
        if (gone && depends(operand)) mix(operand, axis);
      }
    }
    if (value.kind == Kind::join)
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis != value.axis) tie(own + axis, first + axis);
        if (axis != value.axis || !depends(operand)) continue;
        mix(operand, axis);
        mix(id, axis);
      }
  }
  if (value.kind == Kind::view) add_view(graph, id);
}

void StepAxes::add_view(const StepGraph& graph, StepId id) {
  const StepValue& value = graph[id];
  const StepId operand = value.operands[0];
  const Dims& shape = graph[operand].shape;
  const bool moves_states = depends(operand);
  if (value.is_reshape) {
    for (std::size_t axis = 0; axis < shape.size() && moves_states; ++axis) mix(operand, axis);
    for (std::size_t axis = 0; axis < value.shape.size() && moves_states; ++axis) mix(id, axis);
    return;
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const AxisIndex& index = value.indices[axis];
    if (shape[axis] == 1) continue;
    const bool is_whole = index.offset == 0 && index.terms.size() == 1 && index.terms[0].factor == 1 &&
                          value.shape[index.terms[0].axis] == shape[axis];
    if (is_whole) {
      tie(first_[operand.index] + axis, first_[id.index] + index.terms[0].axis);
    } else if (moves_states) {
      mix(operand, axis);
      for (const AxisTerm& term : index.terms) mix(id, term.axis);
    }
  }
}

}  // namespace pawl::kernel
