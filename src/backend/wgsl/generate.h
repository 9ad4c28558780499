// Kernels as WGSL. A lane becomes an invocation; a program with barriers becomes one workgroup, whose invocations go
// through the lanes of each stage together.
#pragma once

#include <string>
#include <vector>

#include "backend/wgsl/target.h"
#include "kernel/program.h"

namespace pawl::wgsl {

/// A compute shader with the entry point `main`. Its bindings in group 0: the buffers by index, storage, and behind
/// them the params, if there are any, as a uniform struct of i32 in the program's order.
struct Shader {
  std::string text;
  bool is_one_workgroup = false;  ///< all lanes are done by one workgroup, else by as many as there are invocations for
  std::vector<kernel::Affine> lanes;  ///< extents of the first nest of lanes
};

/// Elements, counters and params are 32-bit: whoever calls it looks that buffers have fewer than 2^31 elements.
/// Booleans lie in memory as u32, 0 or 1.
///   Errors: unsupported, of a type or an operation that WGSL or the target lacks.
Result<Shader> generate(const kernel::Program& program, const Target& target);

}  // namespace pawl::wgsl
