// What random kernels work on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernel/constant.h"

namespace pawl::tests {

enum class Contents : std::uint8_t {
  any,     ///< corners of the type, small numbers, random bits
  exact,   ///< odd multiples of 1/8 up to 4: sums of a few thousand and of their products are exact
  powers,  ///< 1/2, 1, 2 and their negatives: products of a few dozen are exact
};

/// Each is uniform in [0, n).
std::int64_t below(std::mt19937& random, std::int64_t n);
bool one_in(std::mt19937& random, int n);

/// Bits of a number of any type that kernels have.
std::uint64_t random_bits(std::mt19937& random, DType dtype, Contents contents);
kernel::Constant random_constant(std::mt19937& random, DType dtype, Contents contents);
std::vector<std::byte> random_elements(std::mt19937& random, DType dtype, Contents contents, std::int64_t count);

}  // namespace pawl::tests
