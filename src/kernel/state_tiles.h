// Which lanes' states stay in the first-level cache from step to step.
#pragma once

#include "kernel/fused_loop.h"
#include "kernel/step_plan.h"

namespace pawl::kernel {

/// States that a lane goes through in each step, where those of all lanes are more than the first-level cache has.
struct StateTiles {
  std::int64_t width = 0;          ///< lanes whose states lie together; 0: they lie as they are
  std::int64_t vectors = 1 << 10;  ///< of lanes side by side, at most
};

/// Tiles of a stage, all steps of which are done for one lane after the other.
///   lanes : along the axis that vectors go along
StateTiles state_tiles(const StepGraph& graph, const Stage& stage, std::int64_t lanes, const FusedLoopPolicy& policy);

}  // namespace pawl::kernel
