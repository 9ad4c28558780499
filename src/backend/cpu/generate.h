// Kernels as LLVM IR. A loop of kind lanes becomes vectors along its innermost one, a reduced loop vectors of partial
// sums; what all lanes share stays scalar.
#pragma once

#include <string>

#include "backend/cpu/target.h"
#include "kernel/program.h"

namespace pawl::cpu {

/// Part of every cache's key: raised when the same program becomes other code.
inline constexpr int kGeneratorVersion = 4;

/// One module with one function of external linkage:
///   void NAME(ptr buffers, ptr params, i64 begin, i64 end)
/// `buffers` is an array of pointers, aligned as they happen to be, and of a program with barriers one to the Meeting
/// of the calls side by side behind them, null where there is one call; `params` one of i64. It runs the iterations
/// [begin, end) of the outermost loop where the program splits, else everything. What a kernel computes does not
/// depend on where a range begins or ends. Errors: unsupported, where the target lacks an operation; internal.
Result<std::string> generate(const kernel::Program& program, const Target& target);

/// The function's name: the program's, with what no symbol has replaced.
std::string entry_name(const kernel::Program& program);

}  // namespace pawl::cpu
