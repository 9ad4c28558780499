// A Scan whose body is one kernel.
#pragma once

#include "graph/graph.h"
#include "kernel/program.h"

namespace pawl::kernel {

/// What a buffer of the kernel is, in the Scan.
struct Binding {
  enum class Kind : std::uint8_t {
    state,     ///< [state's axes], dense: the initial one before, the final one after
    element,   ///< the scanned tensor; its strides are params, unless it has an order
    captured,  ///< [its axes], dense
    constant,  ///< the same, known before the run
    output,    ///< the stacked tensor; its strides are params
    scratch,   ///< [its axes], dense; of no use before and after
  };
  Kind kind = Kind::state;
  std::size_t index = 0;     ///< of the Scan's states, elements, outputs, or the body's captures
  graph::ValueId constant;   ///< of the body
  std::uint32_t buffer = 0;  ///< of the program
  Dims shape;                ///< of one step; neighbouring axes of the tensor may be one
  /// How its axes lie in memory, the outermost first; empty: in their order. Time is outside of them.
  std::vector<std::size_t> order;
  /// More than 0: the last axis of the order lies in pieces of so many, filled up, which are outside of all other axes.
  std::int64_t tile = 0;
  /// Elements from one entry to the next along an axis that can be split: fixed, or one of the tensor's strides below.
  struct Stride {
    std::int64_t fixed = 0;
    Param param;
    friend bool operator==(const Stride&, const Stride&) = default;
  };
  std::vector<Stride> along;
  /// Strides that are not known before the run: `axis` is one of an element, time not counted.
  struct TensorStride {
    std::size_t axis = 0;
    Param param;
  };
  std::vector<TensorStride> strides;
  /// Dense strides that the kernel is told, so that it serves tensors of other extents too.
  std::vector<std::pair<Param, std::int64_t>> dense;
  Param origin;  ///< where the first step of the first lane is, in elements
  Param time;    ///< of elements and outputs: the stride from step to step
  Param visit;   ///< and from visit to visit
};

/// The kernel of a Scan, and how it is called. A call may be given any part of time, and of an axis that can be split:
/// origins moved on, extents made smaller.
struct FusedLoop {
  /// An axis whose places have nothing to do with each other.
  struct Axis {
    std::int64_t extent = 0;
    Param param;
    bool innermost = false;  ///< neighbours in memory
    bool can_split = true;
    std::int64_t tile = 1;  ///< places that the param counts as one, and that have one thread
  };
  /// A stage whose lanes can be shared out among calls side by side, in blocks; all others are for the first call.
  struct Blocks {
    std::int64_t count = 0;
    std::int64_t rest = 0;  ///< lanes behind the last whole block
    Param first_param;
    Param count_param;
    Param rest_param;
  };
  Program program;
  std::vector<Binding> bindings;
  std::vector<Axis> axes;
  std::vector<std::pair<Param, std::int64_t>> extents;  ///< of the other axes of lanes, where the kernel is told them
  Param visits;                                         ///< how often
  Param steps;                                          ///< so many steps are done
  std::int64_t steps_per_visit = 0;                     ///< 0: all of them in one visit
  bool splits_time = false;                             ///< steps have nothing to do with each other either
  std::int64_t work = 0;                                ///< of a step: about how many operations of one lane
  /// Where steps are shared out: the program has barriers, and as many of these as stages that have blocks.
  bool shares_steps = false;
  std::int64_t share = 1;  ///< operations of a step that are worth a thread
  std::vector<Blocks> blocks;
  Param alone;  ///< 1 in the first call, else 0
  /// Of steps that are lanes too: so many places of an axis go through all steps before the next ones do, because what
  /// the steps have in common of more places would not stay in the cache.
  struct Cut {
    std::size_t axis = 0;
    std::int64_t places = 0;
  };
  std::optional<Cut> cut;
};

/// Values to be tuned: how a fused loop is cut.
struct FusedLoopPolicy {
  std::int64_t register_lanes = 64;    ///< up to so many, states stay in registers through all steps
  std::int64_t steps_per_visit = 8;    ///< of more: steps that are done while a vector of states is in registers
  int unroll = 4;                      ///< vectors in lockstep
  int sums = 24;                       ///< that are kept in registers, as vectors
  int threads = 1;                     ///< that share the rows of a batch, or a step
  std::int64_t shared_work = 1 << 17;  ///< operations of a step from which threads share it: some 5 microseconds
  bool tiles = true;                   ///< matrices may be packed in tiles
  bool moves = true;                   ///< tensors may be copied into another order
  bool sides = true;                   ///< extremes may be looked for in parts of their axis side by side
  int vector = 16;           ///< lanes of the widest vector, of four bytes each: how many there are to go side by side
  std::int64_t near = 8192;  ///< elements of a matrix, or of several, that stay in the first-level cache
  std::int64_t stays = 512 << 10;       ///< bytes that steps have in common and that stay in the second-level cache
  std::int64_t cache_bytes = 52 << 10;  ///< of states of all lanes of an axis: of more, tiles are made
  std::int64_t tile_bytes = 40 << 10;   ///< of a tile of states at most: it stays in the first-level cache
  std::int64_t steps_per_tile = 32;     ///< steps that are done while it is there
  bool many_steps = false;              ///< copying states to tiles and back is soon made up for
  bool streaming = false;               ///< outputs go past the caches
  bool open = false;                    ///< extents and strides are params: one kernel for many shapes
  bool barriers = false;                ///< after each stage, whoever runs it
  bool exact = false;                   ///< the bits of the reference evaluator
};

/// Why there is no such kernel, in words, or the kernel.
struct Lowering {
  std::optional<FusedLoop> loop;
  std::string refusal;
};

/// Shapes are fixed, but for the number of steps: `facts` are those of all body values, with their extents known.
///   wanted : by body output, whether anything needs it: of states also the next step of something that is wanted
Result<Lowering> lower_fused_loop(const graph::ScanOp& scan, const std::vector<ops::Fact>& facts,
                                  const std::vector<bool>& wanted, const FusedLoopPolicy& policy = {});

}  // namespace pawl::kernel
