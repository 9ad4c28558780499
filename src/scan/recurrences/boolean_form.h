// Values that are affine in a state bit by bit:  v = (s and a) xor b.
#pragma once

#include "scan/lift.h"

namespace pawl::scan {

struct BooleanForm {
  graph::ValueId a;  ///< invalid: all ones
  graph::ValueId b;  ///< invalid: all zeros
  bool masked = false;
  bool reset = false;
};

/// The form of the only state of a component, a bool or an integer. nullopt: it has none; `obstacle` names the node in
/// the way.
Result<std::optional<BooleanForm>> boolean_step(const Component& component, Lift& lift, Obstacle& obstacle);

/// true, or an integer with all bits set.
graph::ValueId all_ones(DType dtype, Arithmetic& make);

}  // namespace pawl::scan
