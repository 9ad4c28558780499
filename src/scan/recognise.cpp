// The classes, asked in order.
#include <algorithm>
#include <array>

#include "scan/recurrence.h"
#include "scan/recurrences/affine_form.h"
#include "scan/recurrences/boolean_form.h"
#include "scan/recurrences/log_form.h"
#include "scan/recurrences/order_form.h"
#include "scan/recurrences/transition_form.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

constexpr std::array kClasses = {&kDelay,      &kSum,     &kProduct,       &kAffine,        &kMatrix,
                                 &kTransition, &kDelta,   &kMaxPlusMatrix, &kMinPlusMatrix, &kLogSumExpMatrix,
                                 &kMax,        &kMin,     &kMaxPlus,       &kMinPlus,       &kClamp,
                                 &kClampAdd,   &kLogical, &kBitwise,       &kLogSumExp};

/// More states than this mix in more products than a step is worth.
constexpr std::size_t kMaxMixed = 8;

/// Whether a value of the lift is the same in every step: no input of the lift reaches it.
bool is_steady(const graph::Graph& lift, ValueId id) {
  std::vector<bool> moves(lift.values.size(), false);
  for (const ValueId input : lift.inputs) moves[input.index] = true;
  for (const graph::Node& node : lift.nodes) {
    bool any = draws(node);
    for_each_read(node, [&](ValueId read) { any = any || moves[read.index]; });
    for (const ValueId output : node.outputs)
      if (output.valid()) moves[output.index] = any;
  }
  return !moves[id.index];
}

Match finish(const Recurrence& recurrence, const Component& component, Lift& lift, Tuple element) {
  Match match;
  match.recurrence = &recurrence;
  match.lift = lift.finish(component, std::move(element));
  return match;
}

/// The next states do not depend on the component at all.
Result<std::optional<Match>> as_delay(const Component& component) {
  for (const std::size_t state : component.states)
    if (component.reaches(component.body.outputs[state])) return std::optional<Match>();
  TRY_ASSIGN(Lift lift, Lift::start(component));
  Tuple element;
  for (const std::size_t state : component.states) element.push_back(lift(component.body.outputs[state]));
  return std::optional<Match>(finish(kDelay, component, lift, std::move(element)));
}

bool adds_only(const AffineStep& step) {
  for (std::size_t i = 0; i < step.next.size(); ++i)
    for (std::size_t j = 0; j < step.next.size(); ++j)
      if (i == j ? !step.next[i].a[j].is_one() : !step.next[i].a[j].is_zero()) return false;
  return true;
}

Result<std::optional<Match>> as_affine(const Component& component, std::string& refusal) {
  TRY_ASSIGN(Lift lift, Lift::start(component));
  TRY_ASSIGN(const std::optional<AffineStep> step, affine_step(component, lift, refusal));
  if (!step) return std::optional<Match>();
  Arithmetic make(lift.builder());
  const auto value = [&](const Coefficient& each) { return value_of(each, step->dtype, make); };
  Tuple element;
  const Recurrence* recurrence = &kMatrix;
  if (adds_only(*step)) {
    recurrence = &kSum;
    for (const AffineForm& form : step->next) element.push_back(value(form.b));
  } else if (step->next.size() == 1 && step->next[0].b.is_zero()) {
    recurrence = &kProduct;
    element = {value(step->next[0].a[0])};
  } else if (step->next.size() == 1) {
    recurrence = &kAffine;
    element = {value(step->next[0].a[0]), value(step->next[0].b)};
  } else if (step->next.size() <= kMaxMixed) {
    for (const AffineForm& form : step->next)
      for (const Coefficient& each : form.a) element.push_back(value(each));
    for (const AffineForm& form : step->next) element.push_back(value(form.b));
  } else {
    refusal = fmt::format("{} states mix, {} are the most", step->next.size(), kMaxMixed);
    return std::optional<Match>();
  }
  TRY(make.status());
  Match match = finish(*recurrence, component, lift, element);
  for (const AffineForm& form : step->next) {
    match.masked = match.masked || form.masked;
    match.reset = match.reset || form.reset;
  }
  match.counter = recurrence == &kSum && element.size() == 1 && is_steady(*match.lift.graph, element[0]);
  return std::optional<Match>(std::move(match));
}

Result<std::optional<Match>> as_transition(const Component& component, Semiring semiring, std::string& refusal) {
  TRY_ASSIGN(Lift lift, Lift::start(component));
  TRY_ASSIGN(std::optional<Transition> step, transition_step(component, lift, semiring, refusal));
  if (!step) return std::optional<Match>();
  Match match = finish(*step->recurrence, component, lift, std::move(step->element));
  match.arrangement = std::move(step->arrangement);
  return std::optional<Match>(std::move(match));
}

Result<std::optional<Match>> as_order(const Component& component, std::string& refusal) {
  TRY_ASSIGN(Lift lift, Lift::start(component));
  TRY_ASSIGN(const std::optional<OrderForm> form, order_step(component, lift, refusal));
  if (!form) return std::optional<Match>();
  Arithmetic make(lift.builder());
  const DType dtype = component.body[component.body.inputs[component.states[0]]].fact.type.dtype;
  const auto low = [&] { return form->low.valid() ? form->low : lowest(dtype, make); };
  const auto high = [&] { return form->high.valid() ? form->high : highest(dtype, make); };
  const Recurrence* recurrence = nullptr;
  Tuple element;
  if (form->shift.valid()) {
    recurrence = !form->high.valid() ? &kMaxPlus : !form->low.valid() ? &kMinPlus : &kClampAdd;
    element.push_back(form->shift);
  } else {
    recurrence = !form->high.valid() ? &kMax : !form->low.valid() ? &kMin : &kClamp;
  }
  if (recurrence != &kMin && recurrence != &kMinPlus) element.push_back(low());
  if (recurrence != &kMax && recurrence != &kMaxPlus) element.push_back(high());
  TRY(make.status());
  Match match = finish(*recurrence, component, lift, std::move(element));
  match.masked = form->masked;
  return std::optional<Match>(std::move(match));
}

Result<std::optional<Match>> as_boolean(const Component& component, std::string& refusal) {
  TRY_ASSIGN(Lift lift, Lift::start(component));
  TRY_ASSIGN(const std::optional<BooleanForm> form, boolean_step(component, lift, refusal));
  if (!form) return std::optional<Match>();
  Arithmetic make(lift.builder());
  const DType dtype = component.body[component.body.inputs[component.states[0]]].fact.type.dtype;
  Tuple element{form->a.valid() ? form->a : all_ones(dtype, make), form->b.valid() ? form->b : make.constant(dtype, 0)};
  TRY(make.status());
  Match match = finish(dtype == DType::boolean ? kLogical : kBitwise, component, lift, std::move(element));
  match.masked = form->masked;
  match.reset = form->reset;
  return std::optional<Match>(std::move(match));
}

Result<std::optional<Match>> as_logarithm(const Component& component, std::string& refusal) {
  TRY_ASSIGN(Lift lift, Lift::start(component));
  TRY_ASSIGN(const std::optional<LogForm> form, log_step(component, lift, refusal));
  if (!form) return std::optional<Match>();
  Arithmetic make(lift.builder());
  const DType dtype = component.body[component.body.inputs[component.states[0]]].fact.type.dtype;
  Tuple element{form->a.valid() ? form->a : make.constant(dtype, 0), form->b};
  TRY(make.status());
  return std::optional<Match>(finish(kLogSumExp, component, lift, std::move(element)));
}

}  // namespace

Result<Tuple> act_on_states(const Match& match, graph::Builder& to, const Tuple& element, const Tuple& states) {
  const auto& [order, column] = match.arrangement;
  if (order.empty() && !column) return match.recurrence->act(to, element, states);
  Arithmetic make(to);
  const ValueId last = to.add_constant(Tensor::of<std::int64_t>({1}, {-1}), "last");
  std::vector<std::int64_t> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  Tuple arranged = states;
  for (ValueId& state : arranged) {
    if (!order.empty()) state = make.call("Transpose", {state}, {{"perm", order}});
    if (column) state = make.call("Unsqueeze", {state, last});
  }
  TRY(make.status());
  TRY_ASSIGN(Tuple next, match.recurrence->act(to, element, arranged));
  for (ValueId& state : next) {
    if (column) state = make.call("Squeeze", {state, last});
    if (!order.empty()) state = make.call("Transpose", {state}, {{"perm", back}});
  }
  return make.done(std::move(next));
}

std::span<const Recurrence* const> recurrences() { return kClasses; }

/// Whether what stands in the way of a matrix is further on than what stands in the way of coefficients: the latter
/// take no products and parts of a state.
bool knows_more(const Component& component, const std::string& refusal) {
  return component.states.size() == 1 && refusal.find("is not linear") != std::string::npos &&
         refusal.find("Where") == std::string::npos && refusal.find("Mul") == std::string::npos;
}

Result<Recognition> recognise(const Component& component) {
  Recognition recognition;
  TRY_ASSIGN(recognition.match, as_delay(component));
  std::string refusal;
  if (!recognition.match) {
    // The affine classes are the ones that most bodies are near to: what stands in their way is what is told.
    TRY_ASSIGN(recognition.match, as_affine(component, recognition.refusal));
  }
  if (!recognition.match) {
    TRY_ASSIGN(recognition.match, as_transition(component, Semiring::ordinary, refusal));
    if (knows_more(component, refusal)) recognition.refusal = refusal;
  }
  if (!recognition.match) {
    TRY_ASSIGN(recognition.match, as_order(component, refusal));
  }
  if (!recognition.match) {
    TRY_ASSIGN(recognition.match, as_boolean(component, refusal));
  }
  if (!recognition.match) {
    TRY_ASSIGN(recognition.match, as_logarithm(component, refusal));
  }
  for (const Semiring semiring : {Semiring::max_plus, Semiring::min_plus, Semiring::log_sum}) {
    if (recognition.match) break;
    TRY_ASSIGN(recognition.match, as_transition(component, semiring, refusal));
  }
  if (recognition.match) recognition.refusal.clear();
  return recognition;
}

}  // namespace pawl::scan
