// Random models around a Scan whose step is linear in its state, from a seed.
#pragma once

#include "random_body.h"

namespace pawl::tests {

/// One state of up to three axes, of 64-bit integers, which wrap: every order of adding gives the same. The next state
/// is made by products, sums, transposes, cuts and joins, and may be masked or start anew by a condition.
RandomModel linear_model(std::uint32_t seed);

}  // namespace pawl::tests
