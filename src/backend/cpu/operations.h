// Scalar operations as LLVM IR, for one value or a vector of them. No flags that allow other results: what a kernel
// computes is what the operation says, on every target.
#pragma once

#include <span>

#include "backend/cpu/instructions.h"
#include "backend/cpu/target.h"
#include "expr/op.h"
#include "pawl/error.h"

namespace pawl::cpu {

/// Operands have equal widths. Errors: unsupported, where the target lacks the operation.
Result<Ssa> compute(Instructions& out, const Target& target, expr::Op op, std::span<const Ssa> x, DType to);

/// The smaller or the larger of two numbers; of equal ones the first. Where one is NaN: the first.
Ssa extreme_of_numbers(Instructions& out, expr::Op op, const Ssa& a, const Ssa& b);

/// A number as another type, as docs/element-semantics.md says.
Ssa cast(Instructions& out, const Target& target, const Ssa& x, DType to);

/// The number that changes no other one under add, multiply, minimum or maximum.
Ssa identity_of(expr::Op op, DType dtype, int width);

/// All lanes of a vector together, in a fixed order: halves with halves.
Result<Ssa> combine_lanes(Instructions& out, const Target& target, expr::Op op, Ssa x);

}  // namespace pawl::cpu
