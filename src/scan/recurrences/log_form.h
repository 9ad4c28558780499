// Values that a step adds to in the logarithm:  v = log(exp(s + a) + exp(b)).
#pragma once

#include "scan/lift.h"

namespace pawl::scan {

struct LogForm {
  graph::ValueId a;  ///< invalid: 0
  graph::ValueId b;  ///< invalid: minus infinity
};

/// The form of the only state of a component, spelled with or without taking the larger one out first. nullopt: it has
/// none; `obstacle` names the node in the way.
Result<std::optional<LogForm>> log_step(const Component& component, Lift& lift, Obstacle& obstacle);

/// log(exp(x) + exp(y)), with infinities and NaN right.
graph::ValueId log_add_exp(graph::ValueId x, graph::ValueId y, DType dtype, Arithmetic& make);

}  // namespace pawl::scan
