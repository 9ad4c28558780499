// One run of a fused loop: tensors to addresses and numbers, parts to threads.
#pragma once

#include "backend/cpu/scan_kernels.h"

namespace pawl::cpu {

/// Whether outputs had better not come into the caches: there is no room for them, or threads write parts of rows that
/// are too short.
bool passes_caches(const kernel::FusedLoop& loop, const std::vector<Dims>& outputs, const reference::ScanCall& call,
                   int threads);

/// Asked before each block of steps: takes what the block before gave out from `results`, and puts the next elements
/// where those before were.
///   returns : how many steps there are, at most the call's trips; 0 after the last ones
using NextBlock = std::function<Result<std::int64_t>(std::vector<Value>& results)>;

/// Whether a kernel reads dense elements from where they are.
bool reads_in_place(const kernel::FusedLoop& loop);

/// A loop that reads in place, block by block on the calling thread, all in the same memory. As call_fused_loop.
Result<std::vector<Value>> call_in_blocks(const kernel::FusedLoop& loop, const KernelCall& kernel,
                                          const std::vector<Tensor>& constants, const std::vector<Dims>& outputs,
                                          const reference::ScanCall& call, const NextBlock& next);

/// Finals, then stacked outputs; those that nobody needs are none.
///   constants : by binding, packed as it says, dense; undefined where the binding is no constant
///   outputs   : by scan output, the shape of one step's element
///   Errors    : limit; interrupted, between calls of the kernel
Result<std::vector<Value>> call_fused_loop(const kernel::FusedLoop& loop, const KernelCall& kernel,
                                           const std::vector<Tensor>& constants, const std::vector<Dims>& outputs,
                                           const reference::ScanCall& call, int threads);

}  // namespace pawl::cpu
