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

/// The step of a match goes on in a builder of its own: its lift, copied, with more behind it.
class Extended {
 public:
  explicit Extended(const Match& match) : match_(match), from_(*match.lift.graph), builder_("lift"), mapping_(from_) {}

  Result<void> copy() {
    for (const ValueId id : from_.inputs) mapping_[id] = builder_.add_input(from_[id]);
    for (const ValueId id : from_.captured) mapping_[id] = builder_.add_captured(from_[id]);
    return graph::copy_nodes(from_, std::vector<bool>(from_.values.size(), true), mapping_, builder_);
  }
  graph::Builder& builder() { return builder_; }
  Tuple outputs() {
    Tuple made;
    for (const ValueId id : from_.outputs) made.push_back(mapping_(id));
    return made;
  }
  Match finish(const Recurrence& recurrence, Tuple element) {
    Match made;
    made.recurrence = &recurrence;
    made.arrangement = match_.arrangement;
    made.masked = match_.masked;
    made.reset = match_.reset;
    made.lift.graph = std::make_unique<graph::Graph>(builder_.finish(std::move(element)));
    for (std::size_t i = 0; i < match_.lift.captures.size(); ++i)
      made.lift.captures.push_back({match_.lift.captures[i].outer, made.lift.graph->captured[i]});
    return made;
  }

 private:
  const Match& match_;
  const graph::Graph& from_;
  graph::Builder builder_;
  graph::Mapping mapping_;
};

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

Result<std::optional<Match>> with_choice(const Component& component, const Choice& choice, Match match) {
  const auto& body = component.body;
  const bool resets = choice.kind == Choice::Kind::replaced;
  const Recurrence* recurrence = resets ? with_reset(*match.recurrence) : match.recurrence;
  if (recurrence == nullptr || (recurrence->identity == nullptr && recurrence->unchanged == nullptr))
    return std::optional<Match>();
  Extended extended(match);
  TRY(extended.copy());
  graph::Builder& to = extended.builder();
  const auto state_type = [&](std::size_t i) -> const Type& {
    return body[body.inputs[component.states[i]]].fact.type;
  };
  Arithmetic make(to);
  const bool matrices = match.recurrence->multiplies_matrices;
  const auto laid_out = [&](ValueId id, std::size_t i) -> Result<ValueId> {
    if (!matrices) return id;
    if (!state_type(i).shape) return ValueId();
    return arranged(match.arrangement, to, id, state_type(i).shape->size());
  };
  // The lift gives out the element, what the component asked for, the condition, and what replaces states.
  const Tuple given = extended.outputs();
  const std::size_t own = choice.given().size();
  const std::size_t width = given.size() - own - component.also.size();
  const Tuple element(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(width));
  const auto own_given = given.end() - static_cast<std::ptrdiff_t>(own);
  const auto finished = [&](Tuple made) {
    made.insert(made.end(), given.begin() + static_cast<std::ptrdiff_t>(width), own_given);
    return extended.finish(*recurrence, std::move(made));
  };
  TRY_ASSIGN(const ValueId condition, laid_out(own_given[0], 0));
  if (!condition.valid() || (matrices && !is_same_in_matrix(to.fact(condition).type))) return std::optional<Match>();
  if (!resets) {
    std::vector<DType> types;
    for (std::size_t i = 0; i < component.states.size(); ++i) types.push_back(state_type(i).dtype);
    TRY_ASSIGN(const Tuple still, unchanged(*match.recurrence, to, element, types));
    Tuple masked;
    for (std::size_t i = 0; i < element.size(); ++i)
      masked.push_back(choice.negated ? make.where(condition, still[i], element[i])
                                      : make.where(condition, element[i], still[i]));
    TRY(make.status());
    Match made = finished(std::move(masked));
    made.masked = true;
    return std::optional(std::move(made));
  }
  Tuple starting{choice.negated ? condition : make.call("Not", {condition})};
  for (std::size_t i = 0; i < component.states.size(); ++i) {
    TRY_ASSIGN(const ValueId value, laid_out(own_given[1 + static_cast<std::ptrdiff_t>(i)], i));
    if (!value.valid()) return std::optional<Match>();
    starting.push_back(value);
  }
  TRY(make.status());
  if (matrices) {
    const auto rows = to.fact(element.back()).type.shape;
    if (!rows || rows->size() < 2 || !(*rows)[rows->size() - 2].known()) return std::optional<Match>();
    const std::int64_t extents[] = {(*rows)[rows->size() - 2].value, 1};
    const ValueId shape = to.add_constant(Tensor::of<std::int64_t>({2}, extents), "shape");
    starting[1] = make.call("Expand", {starting[1], shape});
  }
  starting.insert(starting.end(), element.begin(), element.end());
  TRY(make.status());
  Match made = finished(std::move(starting));
  made.reset = true;
  return std::optional(std::move(made));
}

}  // namespace pawl::scan
