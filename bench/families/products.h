// Matrix products of the hand-written kernels: rows times panels of 32 columns, sums in registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels.h"
#include "vec.h"

namespace pawl::bench {

inline constexpr std::int64_t kPanel = 2 * kLanes;

/// How many rows at once, and so how many sums stay in registers.
inline constexpr std::int64_t kMostRows = 12;

/// sums[r][v] = Σ over k of a[r][k] * panel(v / 2)[k][v % 2], for the rows R and P panels one after the other.
///   a : rows `stride` floats apart
template <std::int64_t P, std::size_t... R>
inline void multiply_tile(const float* a, std::int64_t stride, const float* panel, std::int64_t depth,
                          Vec (&sums)[sizeof...(R)][2 * P], std::index_sequence<R...> /*rows*/) {
  const auto step = [&]<std::size_t... V>(std::int64_t k, std::index_sequence<V...>) {
    const Vec b[] = {load(panel + (V / 2) * depth * kPanel + k * kPanel + (V % 2) * kLanes)...};
    const auto row = [&](Vec* sum, float x) { ((sum[V] += x * b[V]), ...); };
    (row(sums[R], a[static_cast<std::int64_t>(R) * stride + k]), ...);
  };
  for (std::int64_t k = 0; k < depth; ++k) step(k, std::make_index_sequence<2 * P>());
}

/// finish(row, column vector number, sum) for each vector of `R` rows times P panels.
template <std::int64_t R, std::int64_t P, class F>
inline void tile(const float* a, std::int64_t stride, const float* panel, std::int64_t depth, F&& finish) {
  Vec sums[R][2 * P] = {};
  multiply_tile<P>(a, stride, panel, depth, sums, std::make_index_sequence<R>());
  for (std::int64_t r = 0; r < R; ++r)
    for (std::int64_t v = 0; v < 2 * P; ++v) finish(r, v, sums[r][v]);
}

/// R rows times all panels: several side by side where few rows leave registers free.
template <std::int64_t R, class F>
inline void row_block(const float* a, std::int64_t stride, const float* panels, std::int64_t depth, std::int64_t count,
                      F&& finish) {
  constexpr std::int64_t kBeside = R == 1 ? 4 : R <= 4 ? 2 : 1;
  std::int64_t p = 0;
  const auto from = [&](std::int64_t r, std::int64_t v, Vec sum) { finish(r, 2 * p + v, sum); };
  for (; p + kBeside <= count; p += kBeside) tile<R, kBeside>(a, stride, panels + p * depth * kPanel, depth, from);
  for (; p < count; ++p) tile<R, 1>(a, stride, panels + p * depth * kPanel, depth, from);
}

/// finish(row, column vector number, sum) for all vectors of a[rows][depth] times `count` panels.
template <class F>
inline void product(const float* a, std::int64_t stride, std::int64_t rows, const float* panels, std::int64_t depth,
                    std::int64_t count, F&& finish) {
  // A panel stays in the second-level cache while all rows pass by.
  const std::int64_t together = rows <= kMostRows ? count : 1;
  for (std::int64_t p = 0; p < count; p += together) {
    for (std::int64_t r = 0; r < rows;) {
      const float* from = a + r * stride;
      const float* panel = panels + p * depth * kPanel;
      const auto place = [&](std::int64_t row, std::int64_t v, Vec sum) { finish(r + row, 2 * p + v, sum); };
      const std::int64_t left = rows - r;
      if (left >= 12) {
        row_block<12>(from, stride, panel, depth, together, place);
        r += 12;
      } else if (left >= 8) {
        row_block<8>(from, stride, panel, depth, together, place);
        r += 8;
      } else if (left >= 4) {
        row_block<4>(from, stride, panel, depth, together, place);
        r += 4;
      } else if (left >= 2) {
        row_block<2>(from, stride, panel, depth, together, place);
        r += 2;
      } else {
        row_block<1>(from, stride, panel, depth, together, place);
        r += 1;
      }
    }
  }
}

}  // namespace pawl::bench
