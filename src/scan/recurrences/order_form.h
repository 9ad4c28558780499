// Values that a step shifts and clamps:  v = min(max(s + shift, low), high), each part optional.
#pragma once

#include "scan/lift.h"

namespace pawl::scan {

struct OrderForm {
  graph::ValueId shift;  ///< invalid: 0
  graph::ValueId low;    ///< invalid: no bound
  graph::ValueId high;
  bool masked = false;
  /// Not a number but a condition: whether `compared` (of the body) is above the state as it came in, or below it.
  graph::ValueId compared;
  bool above = false;
};

/// The form of the only state of a component. nullopt: it has none; `obstacle` names the node in the way.
Result<std::optional<OrderForm>> order_step(const Component& component, Lift& lift, Obstacle& obstacle);

/// Numbers that no number is below, or above.
graph::ValueId lowest(DType dtype, Arithmetic& make);
graph::ValueId highest(DType dtype, Arithmetic& make);

}  // namespace pawl::scan
