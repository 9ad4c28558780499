// Kernels of more buffers than every device binds: some lie one behind the other in one buffer.
#pragma once

#include "kernel/fused_loop.h"
#include "package/draft_builder.h"

namespace pawl::package {

/// A kernel with its arguments.
struct KernelCall {
  const kernel::FusedLoop& loop;
  std::string name;
  std::vector<std::size_t> buffers;  ///< of the draft, by buffer of the kernel
  std::vector<std::int64_t> params;
};

/// What has to go where it belongs once the kernel is done.
struct CopyBack {
  std::size_t from = 0;
  std::int64_t origin = 0;
  std::size_t to = 0;
};

/// Puts buffers of one kind and type into one, until there are at most `most` or nothing is left that could be:
/// scratch, states, what is captured, elements, outputs. Adds the copies that go before the kernel.
Result<std::vector<CopyBack>> pack_buffers(KernelCall& call, std::size_t most, DraftBuilder& to);

}  // namespace pawl::package
