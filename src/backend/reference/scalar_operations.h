// What one operation of a kernel computes in one lane.
#pragma once

#include <cstdint>
#include <span>

#include "base/try.h"
#include "expr/op.h"

namespace pawl::reference {

/// A value of one lane: the bits of its type, the rest 0.
using Bits = std::uint64_t;

/// `types` and `operands` as result_type takes them. Which NaN an operation gives is open, but that negate flips its
/// sign, absolute clears it, and casts to other floats keep it. Errors: internal, for a division of an integer by 0 and
/// a shift by the width or more.
Result<Bits> apply(expr::Op op, std::span<const DType> types, std::span<const Bits> operands, DType to);

}  // namespace pawl::reference
