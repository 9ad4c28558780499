#include "backend/reference/chunked.h"

#include "backend/reference/evaluator.h"
#include "backend/reference/stack.h"
#include "base/try.h"

namespace pawl::reference {
namespace {

using graph::ValueId;
using Values = std::vector<Value>;

/// A graph of its own around a class's combine or act. Shapes are those of the values that come.
template <class Emit>
Result<std::unique_ptr<graph::Graph>> graph_of(const std::vector<std::vector<DType>>& tuples, Emit emit) {
  graph::Builder builder("class");
  std::vector<scan::Tuple> inputs;
  for (const std::vector<DType>& tuple : tuples) {
    scan::Tuple ids;
    for (const DType dtype : tuple) ids.push_back(builder.add_input({"x", {Type::tensor(dtype), std::nullopt}, {}}));
    inputs.push_back(std::move(ids));
  }
  TRY_ASSIGN(scan::Tuple made, emit(builder, inputs));
  return std::make_unique<graph::Graph>(builder.finish(std::move(made)));
}

Result<ChunkedComponent> prepare_component(const scan::ScanFacts& facts, const scan::ComponentFacts& component) {
  const scan::Recurrence& law = *component.match->recurrence;
  ChunkedComponent made;
  made.states = component.states;
  made.lift = &component.match->lift;
  made.prepared_lift = prepare_body(*made.lift->graph);
  std::vector<DType> element;
  for (const ValueId id : made.lift->graph->outputs) element.push_back((*made.lift->graph)[id].fact.type.dtype);
  std::vector<DType> states;
  for (const std::size_t state : component.states) states.push_back(facts.states[state].type.dtype);
  TRY_ASSIGN(made.combine, graph_of({element, element}, [&](graph::Builder& to, const std::vector<scan::Tuple>& in) {
               return law.combine(to, in[0], in[1]);
             }));
  TRY_ASSIGN(made.act, graph_of({element, states}, [&](graph::Builder& to, const std::vector<scan::Tuple>& in) {
               return scan::act_on_states(*component.match, to, in[0], in[1]);
             }));
  made.prepared_combine = prepare_body(*made.combine);
  made.prepared_act = prepare_body(*made.act);
  return made;
}

}  // namespace

Result<std::unique_ptr<ChunkedScan>> prepare_chunked(const scan::ScanFacts& facts, std::size_t parts) {
  auto made = std::make_unique<ChunkedScan>();
  made->parts = parts;
  for (const scan::ComponentFacts& component : facts.components) {
    if (!component.match) return std::unique_ptr<ChunkedScan>();
    TRY_ASSIGN(ChunkedComponent each, prepare_component(facts, component));
    made->components.push_back(std::move(each));
  }
  return made;
}

Result<Values> Evaluator::apply(const Prepared& prepared, const graph::Body* body, Values inputs, const Frame* outer) {
  Frame frame = enter(prepared, body, outer);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (prepared.read_inputs[i]) at(frame, prepared.graph->inputs[i]) = std::move(inputs[i]);
  TRY(run(frame));
  return take_outputs(frame);
}

/// States before each step, and after the last one, by way of the class: the parts' elements are combined first, then
/// the parts start from what the parts before them made of the initial states.
Result<void> Evaluator::chunked_states(const ChunkedComponent& component, std::size_t parts,
                                       const std::vector<Values>& inputs, std::vector<Values>& states,
                                       const Frame& outer) {
  const std::size_t steps = inputs.size();
  const auto both = [](const Values& a, const Values& b) {
    Values joined = a;
    joined.insert(joined.end(), b.begin(), b.end());
    return joined;
  };
  std::vector<Values> elements;
  for (std::size_t t = 0; t < steps; ++t) {
    // Earlier components' states are inputs like elements.
    Values given = states[t];
    given.insert(given.end(), inputs[t].begin(), inputs[t].end());
    TRY_ASSIGN(Values element, apply(*component.prepared_lift, component.lift, std::move(given), &outer));
    elements.push_back(std::move(element));
  }
  Values initial;
  for (const std::size_t state : component.states) initial.push_back(states[0][state]);
  std::optional<Values> before;  // of all parts before this one
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = steps * part / parts;
    const std::size_t end = steps * (part + 1) / parts;
    Values start = initial;
    if (before) {
      TRY_ASSIGN(start, apply(*component.prepared_act, nullptr, both(*before, initial), nullptr));
    }
    std::optional<Values> running;
    for (std::size_t t = first; t < end; ++t) {
      if (running) {
        TRY_ASSIGN(running, apply(*component.prepared_combine, nullptr, both(*running, elements[t]), nullptr));
      } else {
        running = elements[t];
      }
      TRY_ASSIGN(const Values next, apply(*component.prepared_act, nullptr, both(*running, start), nullptr));
      for (std::size_t i = 0; i < component.states.size(); ++i) {
        const Dims& had = initial[i].tensor().shape();
        const Dims& after = next[i].tensor().shape();
        if (!(after == had))
          return fail(Code::bad_shape, "step {}: state {} has shape {}, before the step it had {}", t,
                      component.states[i], pawl::to_string(after), pawl::to_string(had));
        states[t + 1][component.states[i]] = next[i];
      }
    }
    if (!running) continue;
    if (before) {
      TRY_ASSIGN(before, apply(*component.prepared_combine, nullptr, both(*before, *running), nullptr));
    } else {
      before = running;
    }
  }
  return {};
}

Result<Values> Evaluator::chunked_steps(const NodePlan& plan, const graph::ScanOp& scan, const Values& initial,
                                        const std::vector<Tensor>& elements, std::int64_t trips, Frame& outer) {
  const ChunkedScan& chunked = *plan.chunked;
  const Prepared& prepared = *plan.bodies[0];
  std::vector<Values> inputs(static_cast<std::size_t>(trips));
  for (std::int64_t t = 0; t < trips; ++t)
    for (std::size_t i = 0; i < scan.elements; ++i)
      inputs[static_cast<std::size_t>(t)].emplace_back(
          elements[i].select(0, scan.input_reversed[i] ? trips - 1 - t : t));
  std::vector<Values> states(inputs.size() + 1, initial);
  for (const ChunkedComponent& component : chunked.components)
    TRY(chunked_states(component, chunked.parts, inputs, states, outer));
  Values results = states.back();
  std::vector<Stack> stacks;
  for (std::size_t k = 0; k < scan.outputs; ++k) stacks.emplace_back(scan.output_axes[k], trips);
  for (std::int64_t t = 0; t < trips; ++t) {
    Values given = states[static_cast<std::size_t>(t)];
    const Values& now = inputs[static_cast<std::size_t>(t)];
    given.insert(given.end(), now.begin(), now.end());
    TRY_ASSIGN(const Values made, apply(prepared, &scan.body, std::move(given), &outer));
    for (std::size_t k = 0; k < scan.outputs; ++k)
      if (prepared.needed_outputs[scan.states + k])
        TRY(stacks[k].put(made[scan.states + k].tensor(), scan.output_reversed[k] ? trips - 1 - t : t));
  }
  for (std::size_t k = 0; k < scan.outputs; ++k) {
    const bool is_made = trips > 0 && prepared.needed_outputs[scan.states + k];
    results.push_back(is_made ? Value(std::move(stacks[k]).take()) : Value());
  }
  return results;
}

}  // namespace pawl::reference
