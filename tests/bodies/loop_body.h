// Random models of loops in and around something, from a seed.
#pragma once

#include "random_body.h"

namespace pawl::tests {

/// Scans in the bodies of Scans, Scans over batches (version 8), and Scans between transpositions; of 64-bit integers,
/// which wrap: every order of adding gives the same.
RandomModel loop_model(std::uint32_t seed);

}  // namespace pawl::tests
