// Random kernels that are in order: no access out of bounds, no lane that reads what another one stores, the same
// result in every order of reduced loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/program.h"

namespace pawl::tests {

struct RandomKernel {
  kernel::Program program;
  std::vector<std::int64_t> params;
  /// What each buffer holds before; as many elements of its type as the kernel reaches.
  std::vector<std::vector<std::byte>> buffers;
  std::int64_t lanes = 0;  ///< of a kernel that splits
};

struct RandomKernelOptions {
  int statements = 20;
  bool functions = true;  ///< exp, log, …
};

/// The same for the same seed and options. Loops of every kind in each other, all types and operations, addresses with
/// factors and params of any sign. Sums of floats are of numbers that make them exact. Which NaN something is shows
/// nowhere but in floats.
RandomKernel random_kernel(std::uint32_t seed, const RandomKernelOptions& options);

}  // namespace pawl::tests
