// Scan of version 9 and later, and the step loop that every version runs.
#include "backend/reference/evaluator.h"
#include "backend/reference/stack.h"
#include "base/try.h"

namespace pawl::reference {
namespace {

using graph::ScanOp;
using graph::ValueId;

/// Scan inputs as views [T, …]; `lead` axes stand before the ones that scan_input_axes counts.
Result<void> resolve_elements(const ScanOp& scan, std::span<const Value> inputs, std::vector<Tensor>& elements) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TRY_ASSIGN(const Tensor* tensor, as_tensor(inputs[i], scan.states + i));
    if (tensor->rank() == 0)
      return fail(Code::bad_shape, "scan input {} is a scalar; it needs an axis to be scanned along", i);
    Result<std::size_t> axis = graph::resolve_axis(scan.input_axes[i], tensor->shape().size(), "axis");
    if (!axis.ok()) {
      const std::string what = fmt::format("scan_input_axes[{}]", i);
      return graph::resolve_axis(scan.input_axes[i], tensor->shape().size(), what).error();
    }
    elements.push_back(time_first(*tensor, *axis));
    if (elements[i].shape()[0] != elements[0].shape()[0]) {
      return fail(Code::bad_shape, "scan input {} has length {} along axis {}, scan input 0 has {}", i,
                  elements[i].shape()[0], *axis, elements[0].shape()[0]);
    }
  }
  return {};
}

/// A state keeps its type and shape through every step.
Result<void> check_state(const graph::Body& body, std::size_t i, const Dims& shape, DType dtype, const Value& after) {
  const auto what = [&] {
    return fmt::format("state {} (body output \"{}\")", i, (*body.graph)[body.graph->outputs[i]].name);
  };
  if (!after.is_tensor()) return fail(Code::bad_type, "{}: Scan gives tensors, found {}", what(), describe(after));
  const Tensor& tensor = after.tensor();
  if (tensor.dtype() != dtype)
    return fail(Code::bad_type, "{} is {}, before the step it was {}", what(), name(tensor.dtype()), name(dtype));
  if (!(tensor.shape() == shape)) {
    return fail(Code::bad_shape, "{} has shape {}, before the step it had {}", what(), pawl::to_string(tensor.shape()),
                pawl::to_string(shape));
  }
  return {};
}

Result<void> put_output(const graph::Body& body, std::size_t output, std::size_t k, const Value& element, Stack& stack,
                        std::int64_t position) {
  const auto what = [&] {
    return fmt::format("scan output {} (body output \"{}\")", k, (*body.graph)[body.graph->outputs[output]].name);
  };
  if (!element.is_tensor()) return fail(Code::bad_type, "{}: Scan gives tensors, found {}", what(), describe(element));
  if (Result<void> put = stack.put(element.tensor(), position); !put.ok()) return std::move(put).error().in(what());
  return {};
}

}  // namespace

Result<const Tensor*> as_tensor(const Value& value, std::size_t input) {
  if (!value.is_tensor()) return fail(Code::bad_type, "input {}: Scan takes tensors, found {}", input, describe(value));
  return &value.tensor();
}

Result<void> Evaluator::check_trips(std::int64_t trips, const std::vector<Tensor>& elements) const {
  if (trips <= options_.max_steps) return {};
  for (const Tensor& element : elements)
    if (element.size() > 0 && element.strides()[0] != 0) return {};
  return fail(Code::limit, "{} steps over elements that hold no data; the limit is {}", trips, options_.max_steps);
}

Result<Evaluator::Values> Evaluator::scan_steps(const NodePlan& plan, const ScanOp& scan, Values states,
                                                const std::vector<Tensor>& elements, std::int64_t trips, Frame& outer) {
  const Prepared& prepared = *plan.bodies[0];
  const graph::Graph& body = *scan.body.graph;
  std::vector<Stack> stacks;
  stacks.reserve(scan.outputs);
  for (std::size_t k = 0; k < scan.outputs; ++k) stacks.emplace_back(scan.output_axes[k], trips);
  std::vector<std::pair<Dims, DType>> before;
  for (const Value& state : states) before.emplace_back(state.tensor().shape(), state.tensor().dtype());

  Frame frame = enter(prepared, &scan.body, &outer);
  const DepthGuard guard(depth_);
  for (std::int64_t t = 0; t < trips; ++t) {
    const auto place = [&] { return fmt::format("step {}", t); };
    TRY(step(*plan.node, t, trips));
    for (std::size_t i = 0; i < scan.states; ++i)
      at(frame, body.inputs[i]) = needed_state(prepared, i) ? std::move(states[i]) : states[i];
    for (std::size_t i = 0; i < scan.elements; ++i) {
      if (prepared.read_inputs[scan.states + i])
        at(frame, body.inputs[scan.states + i]) = elements[i].select(0, scan.input_reversed[i] ? trips - 1 - t : t);
    }
    if (Result<void> done = run(frame); !done.ok()) return std::move(done).error().in(place());
    Values results = take_outputs(frame);
    for (std::size_t i = 0; i < scan.states; ++i) {
      if (!needed_state(prepared, i)) continue;
      if (Result<void> same = check_state(scan.body, i, before[i].first, before[i].second, results[i]); !same.ok())
        return std::move(same).error().in(place());
      states[i] = std::move(results[i]);
    }
    for (std::size_t k = 0; k < scan.outputs; ++k) {
      const std::size_t output = scan.states + k;
      if (!prepared.needed_outputs[output]) continue;
      const std::int64_t position = scan.output_reversed[k] ? trips - 1 - t : t;
      if (Result<void> put = put_output(scan.body, output, k, results[output], stacks[k], position); !put.ok())
        return std::move(put).error().in(place());
    }
  }
  for (std::size_t k = 0; k < scan.outputs; ++k) {
    const bool made = trips > 0 && prepared.needed_outputs[scan.states + k];
    states.push_back(made ? Value(std::move(stacks[k]).take()) : Value());
  }
  return states;
}

std::vector<ops::Fact> body_inputs(std::span<const Value> states, std::span<const Tensor> elements) {
  std::vector<ops::Fact> facts;
  for (const Value& state : states) facts.push_back({type_of(state), std::nullopt});
  for (const Tensor& element : elements) {
    Type type = type_of(Value(element));
    type.shape->erase(type.shape->begin());
    facts.push_back({std::move(type), std::nullopt});
  }
  return facts;
}

Result<bool> Evaluator::accelerated_steps(const NodePlan& plan, const ScanOp& scan, Values& states,
                                          std::span<const Tensor> elements, std::int64_t trips, Stretch* stretch,
                                          Frame& frame, Values& results) {
  if (options_.scans == nullptr || trips == 0) return false;
  frame.captured.clear();
  for (const ValueId id : plan.captures) frame.captured.push_back(&at(frame, id));
  const std::int64_t first = stretch == nullptr ? 0 : stretch->first;
  const std::int64_t total = stretch == nullptr ? trips : stretch->total;
  const auto progress = [&](std::int64_t done) { return step(*plan.node, first + done, total); };
  const ScanCall call{.scan = scan,
                      .states = states,
                      .elements = elements,
                      .captured = frame.captured,
                      .wanted = plan.bodies[0]->needed_outputs,
                      .trips = trips,
                      .reuse = options_.reuse,
                      .stretch = stretch,
                      .progress = progress};
  Observed observed(options_.observer, *plan.node, true);
  TRY_ASSIGN(const bool done, options_.scans->run(call, results));
  if (!done) observed.did_nothing();
  return done;
}

Result<void> Evaluator::scan(const NodePlan& plan, const ScanOp& scan, Frame& frame) {
  const graph::Node& node = *plan.node;
  Values& inputs = frame.taken;
  std::vector<Tensor>& elements = frame.elements;
  inputs.clear();
  elements.clear();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    TRY(as_tensor(at(frame, node.inputs[i]), i));
    inputs.push_back(take_input(plan, frame, i));
  }
  TRY(resolve_elements(scan, std::span(inputs).subspan(scan.states), elements));
  inputs.resize(scan.states);
  const std::int64_t trips = elements[0].shape()[0];
  TRY(check_trips(trips, elements));
  std::vector<ops::Fact> body_facts;
  if (trips == 0) body_facts = body_inputs(inputs, elements);
  TRY_ASSIGN(const bool fast, accelerated_steps(plan, scan, inputs, elements, trips, nullptr, frame, frame.results));
  Values& results = frame.results;
  if (!fast && plan.chunked != nullptr) {
    TRY_ASSIGN(results, chunked_steps(plan, scan, inputs, elements, trips, frame));
  } else if (!fast) {
    TRY_ASSIGN(results, scan_steps(plan, scan, std::move(inputs), elements, trips, frame));
  }
  inputs.clear();
  elements.clear();
  if (trips == 0 && scan.outputs > 0) {
    // What the first step would have had: the states' values are known, the elements' are not.
    for (std::size_t i = 0; i < scan.states; ++i) body_facts[i].constant = results[i];
    TRY_ASSIGN_IN("body", const std::vector<Type> types, body_output_types(scan.body, std::move(body_facts), frame));
    for (std::size_t k = 0; k < scan.outputs; ++k) {
      const std::size_t output = scan.states + k;
      if (!plan.wanted[output]) continue;
      const Type type = graph::meet(types[output], declared_element(frame, node.outputs[output], scan.output_axes[k]));
      TRY_ASSIGN(Dims shape, shape_of_nothing(type, fmt::format("scan output {}", k)));
      TRY_ASSIGN(Tensor empty, empty_stack(type.dtype, std::move(shape), scan.output_axes[k]));
      results[output] = std::move(empty);
    }
  }
  store_outputs(plan, frame, results);
  results.clear();
  return {};
}

}  // namespace pawl::reference
