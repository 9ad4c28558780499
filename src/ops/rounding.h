// Integers on their way to floats.
#pragma once

#include <cstdint>

namespace pawl::ops {

/// An integer as a double that rounds to any type of at most 51 mantissa bits as the integer itself would: where bits
/// are lost, the last one kept tells that they were (rounding to odd).
double for_rounding(std::uint64_t magnitude);

}  // namespace pawl::ops
