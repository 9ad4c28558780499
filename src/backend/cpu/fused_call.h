// One run of a fused loop: tensors to addresses and numbers, parts to threads.
#pragma once

#include "backend/cpu/scan_kernels.h"

namespace pawl::cpu {

/// A tensor as a binding has it: neighbouring axes as one, and in its order. Errors: limit.
Result<Tensor> packed(const kernel::Binding& binding, const Tensor& tensor);

/// Whether outputs had better not come into the caches: there is no room for them, or threads write parts of rows that
/// are too short.
bool passes_caches(const kernel::FusedLoop& loop, const std::vector<Dims>& outputs, const reference::ScanCall& call,
                   int threads);

/// Finals, then stacked outputs; those that nobody needs are none.
///   constants : by binding, packed as it says, dense; undefined where the binding is no constant
///   outputs   : by scan output, the shape of one step's element
///   Errors    : limit; interrupted, between calls of the kernel
Result<std::vector<Value>> call_fused_loop(const kernel::FusedLoop& loop, const KernelCall& kernel,
                                           const std::vector<Tensor>& constants, const std::vector<Dims>& outputs,
                                           const reference::ScanCall& call, int threads);

}  // namespace pawl::cpu
