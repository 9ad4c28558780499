#include "scan/choices.h"

#include <algorithm>

#include "graph/walk.h"
#include "scan/lift.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

/// What a Where of the component chooses from.
struct Branches {
  ValueId condition;
  ValueId yes;
  ValueId no;
};

std::optional<Branches> branches_of(const Component& component, std::size_t i) {
  const graph::Node* node = graph::producer_of(component.body, component.next(i));
  if (graph::call_of(node, "Where") == nullptr || component.reaches(node->inputs[0])) return std::nullopt;
  return Branches{node->inputs[0], node->inputs[1], node->inputs[2]};
}

/// Rows and columns of a state that is a matrix go together: a condition may not tell them apart.
bool is_same_in_matrix(const Type& condition) {
  if (!condition.shape || condition.shape->size() < 2) return false;
  const auto& shape = *condition.shape;
  return std::all_of(shape.end() - 2, shape.end(), [](const Dim& dim) { return dim.known() && dim.value == 1; });
}

}  // namespace

std::vector<ValueId> Choice::given() const {
  std::vector<ValueId> all{condition};
  if (kind == Kind::replaced) all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::optional<Choice> choice_of(const Component& component) {
  Choice choice;
  for (std::size_t i = 0; i < component.states.size(); ++i) {
    const std::optional<Branches> branches = branches_of(component, i);
    if (!branches || (i > 0 && !(branches->condition == choice.condition))) return std::nullopt;
    const ValueId state = component.body.inputs[component.states[i]];
    const bool keeps_yes = branches->yes == state;
    const bool keeps = keeps_yes || branches->no == state;
    const bool free_yes = !component.reaches(branches->yes);
    const bool free = free_yes || !component.reaches(branches->no);
    if (!keeps && !free) return std::nullopt;
    const Choice::Kind kind = keeps && free ? Choice::Kind::either
                              : keeps       ? Choice::Kind::kept
                                            : Choice::Kind::replaced;
    // The branch that is no step: the state as it was, or what needs no state.
    const bool other_is_yes = keeps ? keeps_yes : free_yes;
    if (i > 0 && (kind != choice.kind || other_is_yes != choice.negated)) return std::nullopt;
    choice.kind = kind;
    choice.condition = branches->condition;
    choice.negated = other_is_yes;
    choice.step.push_back(other_is_yes ? branches->no : branches->yes);
    choice.others.push_back(other_is_yes ? branches->yes : branches->no);
  }
  return choice;
}

Result<Match> kept_or_replaced(const Component& component, const Choice& choice) {
  TRY_ASSIGN(Lift lift, Lift::start(component));
  Arithmetic make(lift.builder());
  ValueId replaces = lift(choice.condition);
  if (choice.negated) replaces = make.call("Not", {replaces});
  TRY(make.status());
  Match match;
  match.recurrence = &kReset;
  match.lift = lift.finish(component, {replaces, lift(choice.step[0])});
  match.masked = true;
  match.reset = true;
  return match;
}

namespace {

/// Puts a choice around the class of the step that is chosen or not.
class Around {
 public:
  Around(const Component& component, const Choice& choice, const Match& match, Lift& lift)
      : component_(component), choice_(choice), match_(match), make_(lift.builder()) {
    // The lift gives out the element, what the component asked for, the condition, and what replaces states.
    Tuple given;
    for (const ValueId id : match.lift.graph->outputs) given.push_back(lift(id));
    const auto own = given.end() - static_cast<std::ptrdiff_t>(choice.given().size());
    const auto also = own - static_cast<std::ptrdiff_t>(component.also.size());
    element_.assign(given.begin(), also);
    also_.assign(also, own);
    given_.assign(own, given.end());
  }

  /// The element of the whole step, then what the component asked for. nullopt: the class has no such.
  Result<std::optional<Tuple>> run() {
    TRY_ASSIGN(condition_, laid_out(given_[0], 0));
    if (!condition_.valid() || (matrices() && !is_same_in_matrix(fact(condition_).type))) return std::optional<Tuple>();
    const bool resets = choice_.kind == Choice::Kind::replaced;
    TRY_ASSIGN(std::optional<Tuple> made, resets ? starting_anew() : masked());
    if (made) made->insert(made->end(), also_.begin(), also_.end());
    TRY(make_.status());
    return made;
  }

 private:
  [[nodiscard]] bool matrices() const { return match_.recurrence->multiplies_matrices; }
  [[nodiscard]] const Type& state_type(std::size_t i) const {
    return component_.body[component_.body.inputs[component_.states[i]]].fact.type;
  }
  [[nodiscard]] ops::Fact fact(ValueId id) { return make_.builder().fact(id); }

  /// A value beside state i, as the class takes states; invalid where its rank is not known.
  Result<ValueId> laid_out(ValueId id, std::size_t i) {
    if (!matrices()) return id;
    if (!state_type(i).shape) return ValueId();
    return arranged(match_.arrangement, make_.builder(), id, state_type(i).shape->size());
  }

  /// The step, or the one that changes nothing.
  Result<std::optional<Tuple>> masked() {
    std::vector<DType> types;
    for (std::size_t i = 0; i < component_.states.size(); ++i) types.push_back(state_type(i).dtype);
    TRY_ASSIGN(const Tuple still, unchanged(*match_.recurrence, make_.builder(), element_, types));
    Tuple made;
    for (std::size_t i = 0; i < element_.size(); ++i)
      made.push_back(choice_.negated ? make_.where(condition_, still[i], element_[i])
                                     : make_.where(condition_, element_[i], still[i]));
    return std::optional(std::move(made));
  }

  /// Whether states are replaced, what by, and the step.
  Result<std::optional<Tuple>> starting_anew() {
    Tuple made{choice_.negated ? condition_ : make_.call("Not", {condition_})};
    for (std::size_t i = 0; i < component_.states.size(); ++i) {
      TRY_ASSIGN(ValueId value, laid_out(given_[1 + i], i));
      if (value.valid() && matrices()) {
        TRY_ASSIGN(value, with_rows(value));
      }
      if (!value.valid()) return std::optional<Tuple>();
      made.push_back(value);
    }
    made.insert(made.end(), element_.begin(), element_.end());
    return std::optional(std::move(made));
  }

  /// As many rows as the state has, which a product needs; invalid where they are not known.
  Result<ValueId> with_rows(ValueId value) {
    const auto shape = fact(element_.back()).type.shape;
    if (!shape || shape->size() < 2 || !(*shape)[shape->size() - 2].known()) return ValueId();
    return make_.call("Expand", {value, make_.integers({(*shape)[shape->size() - 2].value, 1})});
  }

  const Component& component_;
  const Choice& choice_;
  const Match& match_;
  Arithmetic make_;
  Tuple element_;
  Tuple also_;
  Tuple given_;
  ValueId condition_;
};

}  // namespace

Result<std::optional<Match>> with_choice(const Component& component, const Choice& choice, Match match) {
  const bool resets = choice.kind == Choice::Kind::replaced;
  const Recurrence* recurrence = resets ? with_reset(*match.recurrence) : match.recurrence;
  if (recurrence == nullptr || (recurrence->identity == nullptr && recurrence->unchanged == nullptr))
    return std::optional<Match>();
  TRY_ASSIGN(Lift lift, Lift::reopen(match.lift));
  TRY_ASSIGN(std::optional<Tuple> outputs, Around(component, choice, match, lift).run());
  if (!outputs) return std::optional<Match>();
  match.lift = lift.finish(match.lift, std::move(*outputs));
  match.recurrence = recurrence;
  match.masked = match.masked || !resets;
  match.reset = match.reset || resets;
  // What is added in some steps only is not the same in all of them.
  match.counter = false;
  return std::optional(std::move(match));
}

}  // namespace pawl::scan
