// Scans that run block by block of their steps, with what makes their elements.
#include <algorithm>

#include "backend/reference/evaluator.h"
#include "backend/reference/stack.h"
#include "base/try.h"

namespace pawl::reference {
namespace {

using graph::ValueId;

/// Bytes that elements, and what they are made of, may take as a whole; and those of a block, of which there are many.
constexpr std::int64_t kWhole = std::int64_t{16} << 20;
constexpr std::int64_t kBlock = std::int64_t{1} << 20;
/// Steps of a block at least: a product of few rows is slow.
constexpr std::int64_t kFewest = 16;

/// A range of an axis.
Tensor range(const Tensor& tensor, int axis, std::int64_t first, std::int64_t count) {
  const auto at = static_cast<std::size_t>(axis);
  Dims shape = tensor.shape();
  shape[at] = count;
  return tensor.view(std::move(shape), tensor.strides(), first * tensor.strides()[at]);
}

/// The extent that the sources have in time; -1 where they are not alike.
std::int64_t steps_of(const ElementMakers& makers, const std::vector<Value>& values) {
  std::int64_t steps = -1;
  for (const ElementMakers::Source& source : makers.sources) {
    const Value& value = values[source.id.index];
    if (!value.is_tensor() || !value.tensor().defined()) return -1;
    if (source.axis < 0) continue;
    if (source.axis >= value.tensor().rank()) return -1;
    const std::int64_t extent = value.tensor().shape()[static_cast<std::size_t>(source.axis)];
    if (steps >= 0 && extent != steps) return -1;
    steps = extent;
  }
  return steps;
}

}  // namespace

Result<bool> Evaluator::run_blocks(const BlockPlan& plan, Frame& frame) {
  const std::vector<ElementMakers::Source>& sources = plan.makers.sources;
  const std::int64_t steps = steps_of(plan.makers, frame.values);
  const std::int64_t bytes = std::max<std::int64_t>(plan.makers.bytes_of_step, 1);
  const std::int64_t most = std::max(kBlock / bytes, kFewest);
  if (steps <= 2 * most || steps < kWhole / bytes) return false;

  const NodePlan& scan_plan = frame.prepared->nodes[plan.scan];
  const auto& scan = std::get<graph::ScanOp>(scan_plan.node->operation);
  Values whole, states, results;
  for (const ElementMakers::Source& source : sources) whole.push_back(std::move(at(frame, source.id)));
  const auto restore = [&] {
    for (std::size_t i = 0; i < sources.size(); ++i) at(frame, sources[i].id) = whole[i];
  };
  restore();
  for (std::size_t i = 0; i < scan.states; ++i) {
    TRY(as_tensor(at(frame, scan_plan.node->inputs[i]), i));
    states.push_back(take_input(scan_plan, frame, i));
  }
  Stretch stretch{.first = 0, .total = steps};
  for (std::int64_t count = 0; stretch.first < steps; stretch.first += count) {
    count = std::min(most, steps - stretch.first);
    restore();
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (sources[i].axis >= 0)
        at(frame, sources[i].id) = range(whole[i].tensor(), sources[i].axis, stretch.first, count);
    TRY(run_nodes(frame, plan.first, plan.scan, true));
    TRY_ASSIGN(const bool done, run_block(scan_plan, scan, states, count, stretch, frame, results));
    if (!done && stretch.first > 0) return fail(Code::internal, "a block of steps has no kernel, others have");
    if (!done) {
      restore();
      for (std::size_t i = 0; i < scan.states; ++i) at(frame, scan_plan.node->inputs[i]) = std::move(states[i]);
      return false;
    }
    std::move(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(scan.states), states.begin());
    results.clear();
  }
  restore();
  for (std::size_t k = 0; k < scan.outputs; ++k)
    states.push_back(scan_plan.wanted[scan.states + k] ? Value(std::move(stretch.outputs[k])) : Value());
  store_outputs(scan_plan, frame, states);
  for (std::size_t n = plan.first; n <= plan.scan; ++n)
    for (const ValueId id : frame.prepared->nodes[n].dead) at(frame, id) = Value();
  return true;
}

Result<bool> Evaluator::run_block(const NodePlan& plan, const graph::ScanOp& scan, Values& states, std::int64_t steps,
                                  Stretch& stretch, Frame& frame, Values& results) {
  std::vector<Tensor> elements;
  for (std::size_t i = 0; i < scan.elements; ++i) {
    const std::size_t input = scan.states + i;
    TRY_ASSIGN(const Tensor* tensor, as_tensor(at(frame, plan.node->inputs[input]), input));
    TRY_ASSIGN(const std::size_t axis, graph::resolve_axis(scan.input_axes[i], tensor->shape().size(), "axis"));
    elements.push_back(time_first(*tensor, axis));
    if (elements.back().shape()[0] != steps) return false;
  }
  return accelerated_steps(plan, scan, states, elements, steps, &stretch, frame, results);
}

}  // namespace pawl::reference
