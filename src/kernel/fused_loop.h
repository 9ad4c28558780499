// A Scan whose body is one kernel: step after step, lanes side by side.
#pragma once

#include "graph/graph.h"
#include "kernel/program.h"

namespace pawl::kernel {

/// What a buffer of the kernel is, in the Scan.
struct Binding {
  enum class Kind : std::uint8_t {
    state,     ///< [state's axes], dense: the initial one before, the final one after
    element,   ///< the scanned tensor; its strides are params
    captured,  ///< [its axes], dense
    constant,  ///< the same, known before the run
    output,    ///< the stacked tensor; its strides are params
  };
  Kind kind = Kind::state;
  std::size_t index = 0;     ///< of the Scan's states, elements, outputs, or the body's captures
  graph::ValueId constant;   ///< of the body
  std::uint32_t buffer = 0;  ///< of the program
  /// Elements from one entry to the next along an axis of lanes: fixed, or one of the tensor's strides below.
  struct Stride {
    std::int64_t fixed = 0;
    Param param;
  };
  std::vector<Stride> lanes;
  /// Strides that are not known before the run: `axis` is one of an element, time not counted.
  struct TensorStride {
    std::size_t axis = 0;
    Param param;
  };
  std::vector<TensorStride> strides;
  Param origin;  ///< where the first step of the first lane is, in elements
  Param time;    ///< of elements and outputs: the stride from step to step
  Param rest;    ///< and how far behind the origin the steps after the visits begin
};

/// The kernel of a Scan, and how it is called. It reads and writes each lane by itself, so a call may be given any part
/// of an axis of lanes, and of time: origins moved on, extents made smaller.
struct FusedLoop {
  Program program;
  std::vector<Binding> bindings;
  std::vector<std::int64_t> extents;  ///< of the axes of lanes, outermost first
  std::vector<Param> extent_params;   ///< by axis
  std::vector<bool> can_split;        ///< by axis: whether a call for a part of it is one with origins moved on
  Param visits;                       ///< how often `steps_per_visit` steps are done
  Param rest;                         ///< and how many more
  std::int64_t steps_per_visit = 0;   ///< 0: there are no visits
};

/// Values to be tuned: how a fused loop is cut.
struct FusedLoopPolicy {
  std::int64_t register_lanes = 64;  ///< up to so many, states stay in registers through all steps
  std::int64_t steps_per_visit = 8;  ///< of more: steps that are done while a vector of states is in registers
  int unroll = 4;                    ///< vectors in lockstep
};

/// Why there is no such kernel, in words, or the kernel.
struct Lowering {
  std::optional<FusedLoop> loop;
  std::string refusal;
};

/// Shapes are fixed, but for the number of steps: `types` are those of all body values, with their extents known.
///   wanted : by body output, whether anything needs it
Result<Lowering> lower_fused_loop(const graph::ScanOp& scan, const std::vector<Type>& types,
                                  const std::vector<bool>& wanted, const FusedLoopPolicy& policy = {});

}  // namespace pawl::kernel
