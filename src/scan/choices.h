// Steps that are another step, or none, by a condition.
#pragma once

#include "scan/recurrence.h"

namespace pawl::scan {

/// Next states that are all chosen by one condition which no state of the component reaches.
struct Choice {
  enum class Kind : std::uint8_t {
    kept,      ///< where the condition holds, the step; where not, the states as they were
    replaced,  ///< where the condition holds, the step; where not, something that needs no state
    either,    ///< where the condition holds, something that needs no state; where not, the states as they were
  };
  Kind kind = Kind::kept;
  graph::ValueId condition;
  bool negated = false;                ///< "holds" and "holds not" change places
  std::vector<graph::ValueId> step;    ///< by state; of `either`: what needs no state
  std::vector<graph::ValueId> others;  ///< by state, of `replaced`: what needs no state

  /// What the lift of the chosen step has to give out besides: the condition, then what replaces states.
  [[nodiscard]] std::vector<graph::ValueId> given() const;
};

std::optional<Choice> choice_of(const Component& component);

/// The match of the whole step, made of the match of the step that is chosen or not, whose lift gives out
/// choice.given() last. nullopt: the class has no such.
Result<std::optional<Match>> with_choice(const Component& component, const Choice& choice, Match match);

/// A state that is kept or replaced.
Result<Match> kept_or_replaced(const Component& component, const Choice& choice);

}  // namespace pawl::scan
