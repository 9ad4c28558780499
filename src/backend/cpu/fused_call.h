// One run of a fused loop: tensors to addresses and numbers, parts to threads.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "backend/cpu/meeting.h"
#include "backend/reference/evaluate.h"
#include "base/spares.h"
#include "kernel/fused_loop.h"

namespace pawl::cpu {

/// A buffer of a kernel: `size` elements of its type.
struct KernelMemory {
  void* data = nullptr;
  std::int64_t size = 0;
};
/// A compiled kernel. Memory and params by index. Called by several threads at once; `meeting` is where those wait for
/// each other that share the steps of one run, null where one call does all.
using KernelCall = std::function<Result<void>(std::span<const KernelMemory> memory,
                                              std::span<const std::int64_t> params, Meeting* meeting)>;

/// Asked before each block of steps: takes what the block before gave out from `results`, and puts the next elements
/// where those before were.
///   returns : how many steps there are, at most the call's trips; 0 after the last ones
using NextBlock = std::function<Result<std::int64_t>(std::vector<Value>& results)>;

/// A buffer of a kernel, and where in it step 0 of lane 0 is.
struct KernelArgument {
  KernelMemory memory;
  std::int64_t origin = 0;
  std::int64_t time = 0;  ///< elements from step to step
};

/// What a call needs to keep; what one call leaves behind serves the next one.
struct CallMemory {
  std::vector<std::int64_t> params;
  std::vector<KernelArgument> arguments;                    ///< by binding
  std::vector<Tensor> kept;                                 ///< what the addresses point into
  std::vector<std::pair<std::size_t, std::size_t>> packed;  ///< of those, states in another order: which binding

  void clear();
};

/// A kernel, and what is known of it before it is called.
struct LoopKernel {
  std::shared_ptr<const kernel::FusedLoop> loop;  ///< null: there is none; the kernel may refer to it
  KernelCall kernel;
  std::vector<Tensor> constants;   ///< by binding, packed as it says, dense; undefined where it is no constant
  std::vector<Dims> outputs;       ///< by scan output: the shape of one step's element
  std::int64_t bytes_of_step = 0;  ///< of all outputs
  std::int64_t bytes_of_row = 0;   ///< of the largest one
  std::shared_ptr<Spares<CallMemory>> spares = std::make_shared<Spares<CallMemory>>();
};

/// Whether outputs had better not come into the caches: there is no room for them, or threads write parts of rows that
/// are too short.
bool passes_caches(const LoopKernel& kernel, std::int64_t trips, int threads);

/// Whether a kernel reads dense elements from where they are.
bool reads_in_place(const kernel::FusedLoop& loop);

/// A loop that reads in place, block by block on the calling thread, all in the same memory. As call_fused_loop.
Result<void> call_in_blocks(const LoopKernel& kernel, const reference::ScanCall& call, const NextBlock& next,
                            std::vector<Value>& results);

/// Gives finals, then stacked outputs; those that nobody needs are none.
///   Errors: limit; interrupted, between calls of the kernel
Result<void> call_fused_loop(const LoopKernel& kernel, const reference::ScanCall& call, int threads,
                             std::vector<Value>& results);

}  // namespace pawl::cpu
