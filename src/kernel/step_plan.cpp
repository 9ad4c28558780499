#include "kernel/step_plan.h"

#include <algorithm>

#include "kernel/step_axes.h"

namespace pawl::kernel {

using Kind = StepValue::Kind;

Indices identity(const Dims& shape) {
  Indices indices;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    indices.push_back(shape[axis] == 1 ? AxisIndex{} : AxisIndex{0, {{1, axis}}});
  return indices;
}

bool has_loop(const Indices& indices) {
  for (const AxisIndex& index : indices)
    for (const AxisTerm& term : index.terms)
      if (term.axis >= kLoopAxis) return true;
  return false;
}

Indices operand_indices(const StepGraph& graph, const StepValue& value, StepId operand, const Indices& indices) {
  const Dims& shape = graph[operand].shape;
  if (value.kind == Kind::view) return compose(value.indices, indices);
  Indices made;
  if (value.kind == Kind::reduce) {
    std::size_t kept = 0, loops = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const bool gone = std::find(value.axes.begin(), value.axes.end(), axis) != value.axes.end();
      made.push_back(gone ? AxisIndex{0, {{1, kLoopAxis + loops++}}} : indices[kept++]);
    }
    return made;
  }
  // A lane's: broadcast.
  made.assign(indices.end() - static_cast<std::ptrdiff_t>(shape.size()), indices.end());
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] == 1) made[axis] = {};
  return made;
}

StepPlan plan_step(const StepGraph& graph, std::size_t states) {
  const StepAxes axes(graph, states);
  if (std::optional<StepPlan> made = plan_lanes_outside(graph, axes, states)) return std::move(*made);
  return plan_steps_outside(graph, axes, states);
}

}  // namespace pawl::kernel
