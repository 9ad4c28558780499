#include "backend/reference/evaluate.h"

#include <algorithm>
#include <new>

#include "backend/reference/evaluator.h"
#include "base/try.h"
#include "tensor/order.h"

namespace pawl::reference {
namespace {

/// Memory that an operator does not get has a place too.
Result<void> evaluate_call(const ops::OpDef& def, ops::EvalContext& context) {
  try {
    return def.eval(context);
  } catch (const std::bad_alloc&) {
    return fail(Code::limit, "out of memory");
  }
}

}  // namespace

using graph::ValueId;

Frame Evaluator::enter(const Prepared& prepared, const graph::Body* body, const Frame* outer) {
  Frame frame;
  frame.prepared = &prepared;
  frame.values.resize(prepared.graph->values.size());
  for (const auto& [id, value] : prepared.constants()) frame.values[id.index] = value;
  if (body != nullptr)
    for (const graph::Capture& capture : body->captures)
      frame.values[capture.inner.index] = outer->values[capture.outer.index];
  return frame;
}

Evaluator::Values Evaluator::take_outputs(Frame& frame) {
  const graph::Graph& graph = *frame.prepared->graph;
  Values outputs(graph.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (frame.prepared->needed_outputs[i]) outputs[i] = at(frame, graph.outputs[i]);
  // The outputs are the caller's now: what stays behind here would make them look shared.
  for (const ValueId id : graph.outputs)
    if (!frame.prepared->pinned[id.index]) at(frame, id) = Value();
  return outputs;
}

Result<void> Evaluator::run(Frame& frame) { return run_nodes(frame, 0, frame.prepared->nodes.size(), false); }

Result<void> Evaluator::run_nodes(Frame& frame, std::size_t begin, std::size_t end, bool in_block) {
  const Prepared& prepared = *frame.prepared;
  const auto from = [&](const auto& plans, std::size_t n) {
    return std::find_if(plans.begin(), plans.end(), [&](const auto& plan) { return plan.first >= n; });
  };
  auto next = options_.scans == nullptr ? prepared.groups.end() : from(prepared.groups, begin);
  auto block = options_.scans == nullptr || in_block ? prepared.blocks.end() : prepared.blocks.begin();
  for (std::size_t n = begin; n < end;) {
    if (block != prepared.blocks.end() && block->first == n) {
      TRY_ASSIGN(const bool ran, run_blocks(*block, frame));
      if (ran) next = from(prepared.groups, n = block->scan + 1);
      ++block;
      if (ran) continue;
    }
    std::size_t count = 1;
    bool done = false;
    if (next != prepared.groups.end() && next->first == n) {
      TRY_ASSIGN(done, group(*next, frame));
      if (done) count = next->count;
      ++next;
    }
    for (; count > 0; --count, ++n) {
      const NodePlan& plan = prepared.nodes[n];
      if (!done)
        if (Result<void> ran = node(plan, frame); !ran.ok()) return std::move(ran).error().in(plan.node->label);
      for (const ValueId id : plan.dead) at(frame, id) = Value();
    }
  }
  return {};
}

Result<bool> Evaluator::group(const GroupPlan& plan, Frame& frame) {
  if (options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed))
    return fail(Code::interrupted, "interrupted");
  frame.captured.clear();
  for (const ValueId id : plan.group.reads) {
    if (!at(frame, id).is_tensor() || !at(frame, id).tensor().defined()) return false;
    frame.captured.push_back(&at(frame, id));
  }
  const TurnedGroup* turned = nullptr;
  if (plan.rank && *plan.rank > 1 && !frame.captured.empty()) {
    TRY_ASSIGN(turned, plan.turned->find(plan.group.scan, *plan.rank, frame.captured));
  }
  std::vector<Value> views(turned == nullptr ? 0 : frame.captured.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (!turned->turned[i]) continue;
    views[i] = in_order(frame.captured[i]->tensor(), turned->order);
    frame.captured[i] = &views[i];
  }
  const ScanCall call{.scan = turned == nullptr ? plan.group.scan : turned->scan,
                      .states = {},
                      .elements = {},
                      .captured = frame.captured,
                      .wanted = plan.wanted,
                      .trips = 1,
                      .reuse = plan.gives_output ? options_.reuse : nullptr,
                      .stretch = nullptr,
                      .progress = {}};
  Observed observed(options_.observer, *plan.group.nodes.back(), true);
  TRY_ASSIGN(const bool done, options_.scans->run(call, frame.results));
  if (!done) {
    observed.did_nothing();
    return false;
  }
  for (std::size_t k = 0; k < plan.group.gives.size(); ++k) {
    Tensor& stacked = frame.results[k].tensor();
    Dims shape = stacked.shape(), strides = stacked.strides();
    shape.erase(0);
    strides.erase(0);
    const Tensor result = stacked.view(std::move(shape), std::move(strides));
    at(frame, plan.group.gives[k]) = turned == nullptr ? result : from_order(result, turned->order);
  }
  frame.results.clear();
  return true;
}

Result<Evaluator::Values> Evaluator::graph(const Prepared& prepared, Values inputs) {
  std::unique_ptr<Workspace> workspace = prepared.workspaces.take();
  if (workspace == nullptr) {
    workspace = std::make_unique<Workspace>();
    workspace->frame = enter(prepared, nullptr, nullptr);
  }
  const MemoryPool::Use memory(workspace->memory);
  Frame& frame = workspace->frame;
  for (std::size_t i = 0; i < inputs.size(); ++i) at(frame, prepared.graph->inputs[i]) = std::move(inputs[i]);
  TRY(run(frame));
  Values outputs = take_outputs(frame);
  // What nobody read. After an error there may be more, and the next run makes a frame of its own.
  for (std::size_t i = 0; i < frame.values.size(); ++i)
    if (!prepared.pinned[i] && !frame.values[i].is_none()) frame.values[i] = Value();
  prepared.workspaces.give(std::move(workspace));
  return outputs;
}

Result<void> Evaluator::node(const NodePlan& plan, Frame& frame) {
  if (options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed))
    return fail(Code::interrupted, "interrupted");
  const graph::Node& node = *plan.node;
  const Observed observed(options_.observer, node);
  if (options_.evaluations != nullptr)
    ++(*options_.evaluations)[std::string(
        std::visit([](const auto& operation) { return operation.schema->name; }, node.operation))];
  if (const auto* call = std::get_if<graph::OpCall>(&node.operation)) {
    TRY(this->call(plan, *call, frame));
  } else if (const auto* scan = std::get_if<graph::ScanOp>(&node.operation)) {
    TRY(scan->batched ? batched_scan(plan, *scan, frame) : this->scan(plan, *scan, frame));
  } else if (const auto* loop = std::get_if<graph::LoopOp>(&node.operation)) {
    TRY(this->loop(plan, *loop, frame));
  } else {
    TRY(branch(plan, std::get<graph::IfOp>(node.operation), frame));
  }
  for (const std::size_t i : plan.declared) {
    const graph::ValueInfo& info = (*frame.prepared->graph)[node.outputs[i]];
    TRY(graph::check_declared(info.declared, type_of(at(frame, node.outputs[i])), info.name));
  }
  return {};
}

Value Evaluator::take_input(const NodePlan& plan, Frame& frame, std::size_t i) {
  const ValueId id = plan.node->inputs[i];
  if (!id.valid()) return {};
  return plan.last_use[i] ? std::move(at(frame, id)) : at(frame, id);
}

Result<void> Evaluator::call(const NodePlan& plan, const graph::OpCall& call, Frame& frame) {
  const graph::Node& node = *plan.node;
  frame.arguments.assign(node.inputs.size(), nullptr);
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i].valid()) frame.arguments[i] = &at(frame, node.inputs[i]);
  if (plan.check_types) {
    std::vector<ops::Fact> facts(node.inputs.size());
    std::vector<const ops::Fact*> pointers(node.inputs.size(), nullptr);
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (frame.arguments[i] == nullptr) continue;
      facts[i].type = type_of(*frame.arguments[i]);
      pointers[i] = &facts[i];
    }
    TRY(graph::check_call(call, pointers));
  }
  frame.results.resize(node.outputs.size());
  if (plan.moves && frame.arguments[0]->is_tensor()) return move(plan, call, frame);
  TRY(evaluate(plan, call, frame));
  store_results(plan, frame);
  return {};
}

Result<void> Evaluator::move(const NodePlan& plan, const graph::OpCall& call, Frame& frame) {
  frame.seen.resize(frame.prepared->nodes.size());
  SeenViews& seen = frame.seen[static_cast<std::size_t>(&plan - frame.prepared->nodes.data())];
  const Tensor input = frame.arguments[0]->tensor();
  if (!seen.recall(input, frame.results)) {
    TRY(evaluate(plan, call, frame));
    seen.remember(input, frame.results);
  }
  store_results(plan, frame);
  return {};
}

Result<void> Evaluator::evaluate(const NodePlan& plan, const graph::OpCall& call, Frame& frame) {
  const graph::Node& node = *plan.node;
  ops::EvalContext context{*call.schema,    call.attributes,
                           frame.arguments, {plan.last_use.get(), node.inputs.size()},
                           frame.results,   {plan.wanted.get(), node.outputs.size()},
                           &random_};
  bool done = false;
  if (plan.accelerated && depth_ == 0 && options_.accelerate != nullptr) {
    TRY_ASSIGN(done, options_.accelerate(*call.def, context));
  }
  if (!done) TRY(evaluate_call(*call.def, context));
  return {};
}

void Evaluator::store_results(const NodePlan& plan, Frame& frame) {
  for (std::size_t i = 0; i < plan.node->outputs.size(); ++i)
    if (plan.wanted[i]) at(frame, plan.node->outputs[i]) = std::move(frame.results[i]);
  frame.results.clear();
}

Result<void> Evaluator::branch(const NodePlan& plan, const graph::IfOp& branch, Frame& frame) {
  const Value& condition = at(frame, plan.node->inputs[0]);
  TRY_ASSIGN_IN("condition", const bool taken, read_condition(condition));
  const graph::Body& body = taken ? branch.then_branch : branch.else_branch;
  Frame inner = enter(*plan.bodies[taken ? 0 : 1], &body, &frame);
  TRY_IN(taken ? "then_branch" : "else_branch", run(inner));
  Values results = take_outputs(inner);
  store_outputs(plan, frame, results);
  return {};
}

void Evaluator::store_outputs(const NodePlan& plan, Frame& frame, std::span<Value> results) {
  for (std::size_t i = 0; i < plan.node->outputs.size(); ++i)
    if (plan.wanted[i]) at(frame, plan.node->outputs[i]) = std::move(results[i]);
}

Result<void> Evaluator::step(const graph::Node& node, std::int64_t done, std::int64_t total) {
  if (options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed))
    return fail(Code::interrupted, "interrupted after {} steps", done);
  constexpr std::uint64_t kEvery = 256;
  if (depth_ == 1 && options_.progress && ++ticks_ % kEvery == 0) options_.progress({node.label, done, total});
  return {};
}

Result<std::vector<Type>> Evaluator::body_output_types(const graph::Body& body, std::vector<ops::Fact> inputs,
                                                       const Frame& outer) const {
  std::vector<ops::Fact> captured;
  for (const graph::Capture& capture : body.captures) {
    const Value& value = outer.values[capture.outer.index];
    captured.push_back({type_of(value), value});
  }
  auto inferred = graph::infer_graph(*body.graph, inputs, captured);
  if (!inferred.ok()) {
    // With these values a step would fail, but none is run: an index beyond the end is no error yet.
    for (ops::Fact& fact : inputs) fact.constant.reset();
    for (ops::Fact& fact : captured) fact.constant.reset();
    inferred = graph::infer_graph(*body.graph, std::move(inputs), std::move(captured));
  }
  TRY_ASSIGN(const std::vector<ops::Fact> facts, std::move(inferred));
  std::vector<Type> types;
  for (const ValueId id : body.graph->outputs) {
    const graph::ValueInfo& value = (*body.graph)[id];
    types.push_back(graph::meet(graph::meet(facts[id.index].type, value.fact.type), value.declared));
  }
  return types;
}

Type Evaluator::declared_element(const Frame& frame, ValueId id, std::int64_t axis) {
  Type type = id.valid() ? (*frame.prepared->graph)[id].declared : Type();
  if (!type.is_tensor() || !type.shape) return type.is_tensor() ? type : Type();
  const Result<std::size_t> at = graph::resolve_axis(axis, type.shape->size(), "axis");
  if (!at.ok()) return {};
  type.shape->erase(type.shape->begin() + static_cast<std::ptrdiff_t>(*at));
  return type;
}

Result<Dims> shape_of_nothing(const Type& type, std::string_view what) {
  if (!type.is_tensor() || type.dtype == DType::undefined)
    return fail(Code::bad_type, "{}: no step was run, and its element type is not known without one", what);
  if (!type.shape) return fail(Code::bad_shape, "{}: no step was run, and its rank is not known without one", what);
  Dims shape;
  for (const Dim& dim : *type.shape) shape.push_back(dim.known() ? dim.value : 0);
  return shape;
}

Result<bool> read_condition(const Value& value) {
  if (!value.is_tensor() || value.tensor().dtype() != DType::boolean || value.tensor().size() != 1)
    return fail(Code::bad_type, "expected one bool, found {}", describe(value));
  return *reinterpret_cast<const std::uint8_t*>(value.tensor().bytes()) != 0;
}

Result<std::vector<Value>> evaluate(const Prepared& prepared, std::vector<Value> inputs,
                                    const EvaluateOptions& options) {
  return Evaluator(options).graph(prepared, std::move(inputs));
}

}  // namespace pawl::reference
