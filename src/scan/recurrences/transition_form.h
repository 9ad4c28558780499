// States that a step multiplies by a matrix:  v = A s + b, or  v = s A + b.
#pragma once

#include "scan/lift.h"

namespace pawl::scan {

struct TransitionForm {
  enum class Side : std::uint8_t { none, left, right };
  Side side = Side::none;  ///< none: s + b
  graph::ValueId a;        ///< of the lift; with a side only
  graph::ValueId b;        ///< invalid: 0
};

/// The form of the only state of a component. nullopt: it has none, or no matrix; `refusal` names the node in the way.
Result<std::optional<TransitionForm>> transition_step(const Component& component, Lift& lift, std::string& refusal);

}  // namespace pawl::scan
