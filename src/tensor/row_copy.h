// Copying between rows that lie one behind the other and rows that lie side by side.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pawl {

/// Units at row r and step s are `row * r + step * s` bytes from the first one.
struct Grid {
  std::int64_t row = 0;
  std::int64_t step = 0;
};

/// Copies `rows` x `steps` units of `unit` bytes. Strides may be negative, addresses unaligned; the two do not overlap.
void copy_rows(const std::byte* from, Grid source, std::byte* to, Grid target, std::int64_t rows, std::int64_t steps,
               std::size_t unit);

}  // namespace pawl
