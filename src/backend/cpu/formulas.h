// Functions (exp, tanh, …) by their formulas in operations that every target has.
#pragma once

#include <span>

#include "backend/cpu/instructions.h"
#include "backend/cpu/target.h"
#include "expr/op.h"
#include "pawl/error.h"

namespace pawl::cpu {

/// Errors: unsupported, of a function without a formula, or whose formula has operations that the target lacks.
Result<Ssa> formula(Instructions& out, const Target& target, expr::Op op, std::span<const Ssa> x);

}  // namespace pawl::cpu
