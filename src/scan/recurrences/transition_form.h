// States that a step multiplies by a matrix and adds to, over a semiring: how such a step becomes a monoid element.
#pragma once

#include "scan/recurrences/contraction.h"

namespace pawl::scan {

struct Transition {
  const Recurrence* recurrence = nullptr;
  Tuple element;
  Arrangement arrangement;
};

/// The step of the only state of a component as a matrix along one axis of it, or as coefficients of its elements.
/// nullopt: it is neither; `obstacle` names the node in the way.
Result<std::optional<Transition>> transition_step(const Component& component, Lift& lift, Semiring semiring,
                                                  Obstacle& obstacle);

}  // namespace pawl::scan
