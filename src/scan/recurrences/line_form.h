// Steps that move what a state holds along an axis, and let something in at the end that becomes free.
#pragma once

#include "scan/lift.h"

namespace pawl::scan {

struct LineForm {
  std::size_t axis = 0;
  std::int64_t length = 0;
  bool at_end = true;    ///< new things come in behind the last one; otherwise before the first one
  graph::ValueId fresh;  ///< of the lift: what comes in, with the axis
};

/// Nothing where the next state is no such, or has no known length. The component has one state.
Result<std::optional<LineForm>> line_step(const Component& component, Lift& lift);

}  // namespace pawl::scan
