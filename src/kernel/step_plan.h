// In which order the values of a step are made, and what lies in memory between them.
#pragma once

#include "kernel/step_graph.h"

namespace pawl::kernel {

/// In indices of a stage: the axes of its lanes are 0, 1, …; those of the loops inside of a lane begin here.
inline constexpr std::size_t kLoopAxis = 64;

/// A place where a value is kept.
struct Keep {
  enum class Kind : std::uint8_t { state, output, scratch };
  Kind kind = Kind::state;
  std::size_t index = 0;  ///< of the Scan's states or outputs, or of the plan's scratch
  auto operator<=>(const Keep&) const = default;
};

/// value[from] goes to `to`[at].
struct StepStore {
  StepId value;  ///< invalid: what lies in the scratch of the same shape that `copies` says
  Keep to;
  Indices from;
  Indices at;
  std::vector<std::int64_t> loops;  ///< extents of loops inside of a lane
  std::size_t copies = SIZE_MAX;
};

/// Lanes side by side, each of which computes its values and stores them.
struct Stage {
  std::vector<std::int64_t> lanes;   ///< extents
  std::vector<std::size_t> classes;  ///< by lane axis: which axis of the others it goes along with; SIZE_MAX: none
  std::vector<StepStore> stores;
};

struct Scratch {
  DType dtype = DType::undefined;
  Dims shape;
};

struct StepPlan {
  /// One stage, no lane of which reads what another one stores: all steps of a lane may be done before the next lane's.
  bool lanes_outside = false;
  std::vector<Stage> stages;
  std::vector<Scratch> scratch;
  /// Where a value is once its stage is done, for the stages after it.
  std::vector<std::pair<StepId, Keep>> kept;
  std::size_t classes = 0;  ///< axes that all stages have, along which nothing is read by other lanes
};

/// Each axis at its own place.
Indices identity(const Dims& shape);
/// Whether places differ inside of a lane.
bool has_loop(const Indices& indices);
/// The indices at which an operand is read where the value itself is at `indices`; those of a reduce get loops.
Indices operand_indices(const StepGraph& graph, const StepValue& value, StepId operand, const Indices& indices);

class StepAxes;
/// Where all results have axes in common along which no place needs another one: nothing elsewhere.
std::optional<StepPlan> plan_lanes_outside(const StepGraph& graph, const StepAxes& axes, std::size_t states);
StepPlan plan_steps_outside(const StepGraph& graph, const StepAxes& axes, std::size_t states);

/// The first of these that there is. `states` is the number of the Scan's states; outputs of the graph are those of the
/// body.
StepPlan plan_step(const StepGraph& graph, std::size_t states);

}  // namespace pawl::kernel
