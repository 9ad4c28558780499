// The classes, asked in order.
#include <algorithm>
#include <array>

#include "scan/choices.h"
#include "scan/recurrence.h"
#include "scan/recurrences/affine_form.h"
#include "scan/recurrences/boolean_form.h"
#include "scan/recurrences/line_form.h"
#include "scan/recurrences/log_form.h"
#include "scan/recurrences/order_form.h"
#include "scan/recurrences/transition_form.h"
#include "scan/selection.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

constexpr std::array kClasses = {&kDelay,         &kSum,
                                 &kProduct,       &kAffine,
                                 &kMatrix,        &kTransition,
                                 &kDelta,         &kMaxPlusMatrix,
                                 &kMinPlusMatrix, &kLogSumExpMatrix,
                                 &kMax,           &kMin,
                                 &kMaxPlus,       &kMinPlus,
                                 &kClamp,         &kClampAdd,
                                 &kLogical,       &kBitwise,
                                 &kLogSumExp,     &kReset,
                                 &kDelayLine,     &kDelayLineFromFront};

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

/// A state of which each step keeps all but a few places, next to others that come in.
Result<std::optional<Match>> as_delay_line(const Component& component) {
  if (component.states.size() != 1) return std::optional<Match>();
  TRY_ASSIGN(Lift lift, Lift::start(component));
  TRY_ASSIGN(const std::optional<LineForm> form, line_step(component, lift));
  if (!form) return std::optional<Match>();
  Arithmetic make(lift.builder());
  const std::size_t rank = component.body[component.body.inputs[component.states[0]]].fact.type.shape->size();
  std::vector<std::int64_t> order{static_cast<std::int64_t>(form->axis)};
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (axis != form->axis) order.push_back(static_cast<std::int64_t>(axis));
  const bool moves = form->axis != 0;
  const ValueId fresh = moves ? make.call("Transpose", {form->fresh}, {{"perm", order}}) : form->fresh;
  const ValueId length = make.integers({form->length});
  TRY(make.status());
  Match match = finish(form->at_end ? kDelayLine : kDelayLineFromFront, component, lift, {fresh, length});
  if (moves) match.arrangement.order = std::move(order);
  return std::optional<Match>(std::move(match));
}

/// The next states do not depend on the component at all.
Result<std::optional<Match>> as_delay(const Component& component, Obstacle&) {
  for (std::size_t i = 0; i < component.states.size(); ++i)
    if (component.reaches(component.next(i))) return as_delay_line(component);
  TRY_ASSIGN(Lift lift, Lift::start(component));
  Tuple element;
  for (std::size_t i = 0; i < component.states.size(); ++i) element.push_back(lift(component.next(i)));
  return std::optional<Match>(finish(kDelay, component, lift, std::move(element)));
}

bool adds_only(const AffineStep& step) {
  for (std::size_t i = 0; i < step.next.size(); ++i)
    for (std::size_t j = 0; j < step.next.size(); ++j)
      if (i == j ? !step.next[i].a[j].is_one() : !step.next[i].a[j].is_zero()) return false;
  return true;
}

Result<std::optional<Match>> as_affine(const Component& component, Obstacle& obstacle) {
  TRY_ASSIGN(Lift lift, Lift::start(component));
  TRY_ASSIGN(const std::optional<AffineStep> step, affine_step(component, lift, obstacle));
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
    obstacle.words = fmt::format("{} states mix, {} are the most", step->next.size(), kMaxMixed);
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

Result<std::optional<Match>> as_transition(const Component& component, Semiring semiring, Obstacle& obstacle) {
  TRY_ASSIGN(Lift lift, Lift::start(component));
  TRY_ASSIGN(std::optional<Transition> step, transition_step(component, lift, semiring, obstacle));
  if (!step) return std::optional<Match>();
  Match match = finish(*step->recurrence, component, lift, std::move(step->element));
  match.arrangement = std::move(step->arrangement);
  return std::optional<Match>(std::move(match));
}

Result<std::optional<Match>> as_order(const Component& component, Obstacle& obstacle) {
  TRY_ASSIGN(Lift lift, Lift::start(component));
  TRY_ASSIGN(const std::optional<OrderForm> form, order_step(component, lift, obstacle));
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

Result<std::optional<Match>> as_boolean(const Component& component, Obstacle& obstacle) {
  TRY_ASSIGN(Lift lift, Lift::start(component));
  TRY_ASSIGN(const std::optional<BooleanForm> form, boolean_step(component, lift, obstacle));
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

Result<std::optional<Match>> as_logarithm(const Component& component, Obstacle& obstacle) {
  TRY_ASSIGN(Lift lift, Lift::start(component));
  TRY_ASSIGN(const std::optional<LogForm> form, log_step(component, lift, obstacle));
  if (!form) return std::optional<Match>();
  Arithmetic make(lift.builder());
  const DType dtype = component.body[component.body.inputs[component.states[0]]].fact.type.dtype;
  Tuple element{form->a.valid() ? form->a : make.constant(dtype, 0), form->b};
  TRY(make.status());
  return std::optional<Match>(finish(kLogSumExp, component, lift, std::move(element)));
}

/// A state, or what is beside one, as the class takes it.
ValueId laid_out(const Arrangement& arrangement, Arithmetic& make, ValueId value) {
  if (!arrangement.order.empty()) value = make.call("Transpose", {value}, {{"perm", arrangement.order}});
  if (arrangement.column) value = make.call("Unsqueeze", {value, make.integers({-1})});
  return value;
}

/// The families of classes, in the order in which they are asked.
using Ask = Result<std::optional<Match>> (*)(const Component& component, Obstacle& obstacle);
template <Semiring S>
Result<std::optional<Match>> as_matrix(const Component& component, Obstacle& obstacle) {
  return as_transition(component, S, obstacle);
}
constexpr std::array<Ask, 9> kFamilies = {as_delay,
                                          as_affine,
                                          as_matrix<Semiring::ordinary>,
                                          as_order,
                                          as_boolean,
                                          as_logarithm,
                                          as_matrix<Semiring::max_plus>,
                                          as_matrix<Semiring::min_plus>,
                                          as_matrix<Semiring::log_sum>};

Result<std::optional<Match>> ask_families(const Component& component, Obstacle& furthest) {
  for (const Ask ask : kFamilies) {
    Obstacle obstacle;
    TRY_ASSIGN(std::optional<Match> match, ask(component, obstacle));
    if (match) return match;
    // Who follows the step furthest knows best what is in the way.
    if (furthest.words.empty() || obstacle.at > furthest.at) furthest = std::move(obstacle);
  }
  return std::optional<Match>();
}

/// Asks about the step that a condition chooses, then about the whole.
Result<std::optional<Match>> ask(const Component& component, Obstacle& furthest) {
  const std::optional<Choice> choice = choice_of(component);
  if (choice && choice->kind == Choice::Kind::either && component.states.size() == 1) {
    TRY_ASSIGN(Match match, kept_or_replaced(component, *choice));
    return std::optional(std::move(match));
  }
  if (choice && choice->kind != Choice::Kind::either) {
    Component inner = component;
    inner.instead = choice->step;
    const std::vector<ValueId> given = choice->given();
    inner.also.insert(inner.also.end(), given.begin(), given.end());
    TRY_ASSIGN(std::optional<Match> match, ask(inner, furthest));
    if (match) {
      TRY_ASSIGN(std::optional<Match> made, with_choice(component, *choice, std::move(*match)));
      if (made) return made;
    }
  }
  return ask_families(component, furthest);
}

}  // namespace

Result<Tuple> unchanged(const Recurrence& recurrence, graph::Builder& to, const Tuple& beside,
                        const std::vector<DType>& states) {
  if (recurrence.unchanged != nullptr) return recurrence.unchanged(to, beside);
  CHECK(recurrence.identity != nullptr);
  return recurrence.identity(to, states);
}

Result<ValueId> arranged(const Arrangement& arrangement, graph::Builder& to, ValueId value, std::size_t rank) {
  if (!to.fact(value).type.shape || to.fact(value).type.shape->size() > rank) return ValueId();
  Arithmetic make(to);
  std::vector<std::int64_t> leading;
  for (std::size_t i = to.fact(value).type.shape->size(); i < rank; ++i)
    leading.push_back(static_cast<std::int64_t>(leading.size()));
  if (!leading.empty()) value = make.call("Unsqueeze", {value, make.integers(leading)});
  value = laid_out(arrangement, make, value);
  TRY(make.status());
  return value;
}

Result<Tuple> act_on_states(const Match& match, graph::Builder& to, const Tuple& element, const Tuple& states) {
  const auto& [order, column] = match.arrangement;
  if (order.empty() && !column) return match.recurrence->act(to, element, states);
  Arithmetic make(to);
  Tuple arranged = states;
  for (ValueId& state : arranged) state = laid_out(match.arrangement, make, state);
  TRY(make.status());
  TRY_ASSIGN(Tuple next, match.recurrence->act(to, element, arranged));
  for (ValueId& state : next) {
    if (column) state = make.call("Squeeze", {state, make.integers({-1})});
    if (!order.empty()) state = make.call("Transpose", {state}, {{"perm", inverse_order(order)}});
  }
  return make.done(std::move(next));
}

std::span<const Recurrence* const> recurrences() { return kClasses; }

Result<Recognition> recognise(const Component& component) {
  Recognition recognition;
  Obstacle furthest;
  TRY_ASSIGN(recognition.match, ask(component, furthest));
  if (!recognition.match) recognition.refusal = std::move(furthest.words);
  return recognition;
}

}  // namespace pawl::scan
