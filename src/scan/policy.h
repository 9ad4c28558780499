// When moving work out of a loop pays. A row says what may move and by how much the moved value may be larger than what
// would be read or written anyway.
#pragma once

#include <string_view>

#include "ops/op.h"
#include "pawl/type.h"

namespace pawl::scan {

/// Who runs the loop.
enum class Runner : std::uint8_t {
  interpreter,  ///< every node of every step costs a call: a quarter of a microsecond and more
  kernel  ///< the body is one fused kernel: a node costs its arithmetic, a value that leaves the loop costs memory
          ///< traffic
};

struct MovePolicy {
  ops::AxisKind kind;
  double interpreter;  ///< largest ratio of elements moved to elements that are read (hoist) or written (sink) anyway;
                       ///< 0: never for its own sake
  double kernel;
  std::string_view reason;
};

/// The row for a loop inside a loop.
const MovePolicy& policy_for_loop();
/// The row for an operator. `with_weights`: a contraction one side of which is the same in every step.
const MovePolicy& policy_for(const ops::OpDef& row, bool with_weights);
double limit(const MovePolicy& policy, Runner runner);
/// The same ratio for the nodes of a Scan without states. An interpreter is rid of a call for each node and step; a
/// value that is much larger than what it is made of would fill the memory with all steps.
double growth_without_states(Runner runner);

}  // namespace pawl::scan
