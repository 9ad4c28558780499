// Operators that only say where elements are.
#include <algorithm>

#include "kernel/step_builder.h"
#include "ops/extents.h"
#include "scan/selection.h"

namespace pawl::kernel {
namespace {

AxisIndex along(std::size_t axis) { return {0, {{1, axis}}}; }

/// Where the axes of `operand` are read by one of `shape` that has the same elements in row-major order; nothing where
/// an axis of the operand is no sum of axes.
std::optional<Indices> reshaped(const Dims& operand, const Dims& shape) {
  Indices indices(operand.size());
  std::size_t from = shape.size();
  for (std::size_t axis = operand.size(); axis-- > 0;) {
    if (operand[axis] == 1) continue;
    // The axes that this one is split into, the last one first.
    std::int64_t factor = 1;
    while (factor < operand[axis]) {
      if (from == 0) return std::nullopt;
      --from;
      if (shape[from] == 1) continue;
      indices[axis].terms.push_back({factor, from});
      factor *= shape[from];
    }
    if (factor != operand[axis]) return std::nullopt;
    std::reverse(indices[axis].terms.begin(), indices[axis].terms.end());
  }
  return indices;
}

}  // namespace

StepId StepBuilder::moved(const Node& node, const OpCall& call, std::size_t) {
  const std::string_view op = call.def->name;
  const StepId operand = value(node.inputs[0]);
  if (!operand.valid() || op == "Identity") return operand;
  const Dims own = shape(node.outputs[0]);
  const Dims from = at(operand).shape;
  Indices indices(from.size());
  if (op == "Transpose") {
    const auto order = scan::order_of_transpose(node, fact(node.inputs[0]).type);
    if (!order) return {};
    for (std::size_t axis = 0; axis < own.size(); ++axis)
      indices[static_cast<std::size_t>((*order)[axis])] = along(axis);
    return view(operand, own, std::move(indices));
  }
  if (op == "Expand") {
    for (std::size_t axis = 0; axis < from.size(); ++axis)
      if (from[axis] != 1) indices[axis] = along(axis + own.size() - from.size());
    return view(operand, own, std::move(indices));
  }
  if (auto split = reshaped(from, own)) return view(operand, own, std::move(*split));
  return reshape(operand, own);
}

StepId StepBuilder::selected(const Node& node, const OpCall&, std::size_t output) {
  const auto selections = scan::selections_of(facts_, node, output);
  const StepId operand = value(node.inputs[0]);
  if (!selections || !operand.valid()) return {};
  const Dims own = shape(node.outputs[output]);
  // Axes of the result as they come: those that are dropped have none.
  std::vector<const scan::Selection*> by_axis(at(operand).shape.size(), nullptr);
  for (const scan::Selection& each : *selections) {
    if (by_axis[each.axis] != nullptr) return {};
    by_axis[each.axis] = &each;
  }
  Indices indices(by_axis.size());
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < by_axis.size(); ++axis) {
    const scan::Selection* selection = by_axis[axis];
    if (selection == nullptr) {
      indices[axis] = along(next++);
      continue;
    }
    const std::int64_t first = selection->runs.empty() ? 0 : selection->runs[0].first;
    if (selection->drops) {
      indices[axis] = {first, {}};
      continue;
    }
    std::int64_t factor = 1;
    if (selection->runs.size() > 1) {
      // Steps of one length are an index still.
      const std::vector<std::int64_t> places = selection->places();
      factor = places[1] - places[0];
      for (std::size_t i = 1; i < places.size(); ++i)
        if (places[i] - places[i - 1] != factor) return {};
    }
    indices[axis] = {first, {{factor, next++}}};
  }
  // A single place that stays an axis has no term.
  for (AxisIndex& index : indices)
    if (!index.terms.empty() && own[index.terms[0].axis] == 1) index.terms.clear();
  return view(operand, own, std::move(indices));
}

StepId StepBuilder::joined(const Node& node, const OpCall& call, std::size_t) {
  StepValue made;
  made.kind = StepValue::Kind::join;
  made.name = body_[node.outputs[0]].name;
  made.dtype = fact(node.outputs[0]).type.dtype;
  made.shape = shape(node.outputs[0]);
  const Result<std::size_t> axis = ops::resolve_axis(call.attributes.integer("axis", 1), made.shape.size());
  if (!axis.ok()) return {};
  made.axis = *axis;
  for (const graph::ValueId input : node.inputs) {
    const StepId part = value(input);
    if (!part.valid()) return {};
    if (at(part).shape[*axis] != 0) made.operands.push_back(part);
  }
  if (made.operands.empty()) return {};
  if (made.operands.size() == 1) return made.operands[0];
  return add(std::move(made));
}

}  // namespace pawl::kernel
