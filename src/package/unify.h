// Kernels of one form for different extents, as one kernel that is told what differs.
#pragma once

#include "kernel/program.h"
#include "package/polynomial.h"

namespace pawl::package {

/// A kernel and the numbers that it is called with, for one set of extents.
struct Variant {
  const kernel::Program* program = nullptr;
  std::vector<std::int64_t> params;  ///< by param
};

struct Unified {
  kernel::Program program;
  std::vector<Polynomial> params;  ///< by param of the program
};

/// Numbers that are the same everywhere become part of the kernel, all others params; what it is not told is gone.
/// Nothing where the kernels differ in more than numbers, or a number is no polynomial of the extents: `same` then says
/// of each point whether its kernel has the first one's form.
///   variants : by point
std::optional<Unified> unify(const Points& points, const std::vector<Variant>& variants, std::vector<bool>& same);

/// 64-bit integers as 32-bit ones, for kernels all of whose integers fit.
///   Errors: unsupported, of a constant that does not fit
Result<void> narrow(kernel::Program& program);

/// A kernel for each stage of one that has barriers in a single step: what a stage wrote is there when the next one
/// begins. Others are the only kernel of the list. Buffers and params are those of the whole.
std::vector<kernel::Program> split_at_barriers(const kernel::Program& program);

/// Which buffers the kernel loads from and stores to; those that it does neither with can go.
struct Uses {
  std::vector<bool> loads;
  std::vector<bool> stores;
};
Uses uses_of(const kernel::Program& program);

/// The kernel with its buffers in another order: `to` by buffer, several may go to one.
void renumber_buffers(kernel::Program& program, const std::vector<std::uint32_t>& to,
                      std::vector<kernel::Buffer> buffers);

}  // namespace pawl::package
