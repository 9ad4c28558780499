// How places and loops depend on counters: what decides which values are vectors, and how memory is read.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/program.h"

namespace pawl::cpu {

/// What an affine form gains when a counter goes up by one: a number, and numbers times params.
struct Slope {
  std::int64_t constant = 0;
  std::vector<kernel::Term> by_params;

  [[nodiscard]] bool is_zero() const { return constant == 0 && by_params.empty(); }
  [[nodiscard]] bool is(std::int64_t number) const { return constant == number && by_params.empty(); }
};
Slope slope_of(const kernel::Affine& form, kernel::Counter counter);

/// How a loop of kind lanes, or a reduced one, is run.
struct Shape {
  int width = 1;   ///< lanes of a vector
  int copies = 1;  ///< vectors, or single lanes, side by side
};
/// Of a loop that is not inside vectors.
Shape shape_of(const kernel::Program& program, const kernel::Loop& loop, int vector_bytes);

/// The smallest element, in bytes, that is loaded or stored in the loop.
std::size_t smallest_element(const kernel::Program& program, const kernel::Block& block);

}  // namespace pawl::cpu
