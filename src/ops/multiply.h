// The product of two matrices, whichever way they lie in memory.
#pragma once

#include <algorithm>
#include <vector>

#include "ops/wide.h"
#include "pawl/tensor.h"

namespace pawl::ops {

/// A matrix inside a tensor; steps in elements, of any sign.
template <class T>
struct Matrix {
  const T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_step = 0;
  std::int64_t column_step = 0;

  [[nodiscard]] Matrix transposed() const { return {data, columns, rows, column_step, row_step}; }
};

/// The types that MatMul and Gemm multiply.
using Factors = Join<Floats, TypeList<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>>;

/// The first matrix of a stack; the tensor has rank 2 at least.
template <class T>
Matrix<T> last_two_axes(const Tensor& tensor) {
  const std::size_t rank = tensor.shape().size();
  return {tensor.data<T>(), tensor.shape()[rank - 2], tensor.shape()[rank - 1], tensor.strides()[rank - 2],
          tensor.strides()[rank - 1]};
}

/// The tensor itself where it is aligned, with whatever strides it has; else a dense copy.
inline Result<Tensor> aligned(const Tensor& tensor) {
  if (tensor.aligned()) return tensor;
  return tensor.to_dense();
}

/// Calls emit(i, j, sums, n) with sums[0 … n) = row i of a·b from column j on, until every row is complete. Each sum
/// runs over k in ascending order. a.columns must be b.rows, which may be 0.
template <class T, class Emit>
void multiply(const Matrix<T>& a, const Matrix<T>& b, Emit&& emit) {
  using W = Wide<T>;
  // A panel of b is converted once for a block of rows of a; both stay in the cache.
  constexpr std::int64_t kRows = 8, kDepth = 16, kColumns = 512;
  const std::int64_t width = std::min(b.columns, kColumns);
  std::vector<W> panel(static_cast<std::size_t>(kDepth * width));
  std::vector<W> sums(static_cast<std::size_t>(kRows * width));
  const auto load_panel = [&](std::int64_t k, std::int64_t depth, std::int64_t column, std::int64_t n) {
    const T* from = b.data + k * b.row_step + column * b.column_step;
    if (b.row_step == 1)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t d = 0; d < depth; ++d) panel[d * width + j] = to_wide(from[d + j * b.column_step]);
    else
      for (std::int64_t d = 0; d < depth; ++d)
        for (std::int64_t j = 0; j < n; ++j) panel[d * width + j] = to_wide(from[d * b.row_step + j * b.column_step]);
  };
  const auto add_row = [&](const T* row, std::int64_t depth, std::int64_t n, W* sum) {
    std::int64_t d = 0;
    for (; d + 4 <= depth; d += 4) {
      const W x0 = to_wide(row[d * a.column_step]), x1 = to_wide(row[(d + 1) * a.column_step]);
      const W x2 = to_wide(row[(d + 2) * a.column_step]), x3 = to_wide(row[(d + 3) * a.column_step]);
      const W* p = panel.data() + d * width;
      for (std::int64_t j = 0; j < n; ++j)
        sum[j] = (((sum[j] + x0 * p[j]) + x1 * p[width + j]) + x2 * p[2 * width + j]) + x3 * p[3 * width + j];
    }
    for (; d < depth; ++d) {
      const W x = to_wide(row[d * a.column_step]);
      for (std::int64_t j = 0; j < n; ++j) sum[j] += x * panel[d * width + j];
    }
  };
  for (std::int64_t column = 0; column < b.columns; column += width) {
    const std::int64_t n = std::min(width, b.columns - column);
    for (std::int64_t first = 0; first < a.rows; first += kRows) {
      const std::int64_t rows = std::min(kRows, a.rows - first);
      std::fill(sums.begin(), sums.end(), W{0});
      for (std::int64_t k = 0; k < a.columns; k += kDepth) {
        const std::int64_t depth = std::min(kDepth, a.columns - k);
        load_panel(k, depth, column, n);
        for (std::int64_t r = 0; r < rows; ++r)
          add_row(a.data + (first + r) * a.row_step + k * a.column_step, depth, n, sums.data() + r * width);
      }
      for (std::int64_t r = 0; r < rows; ++r) emit(first + r, column, sums.data() + r * width, n);
    }
  }
}

}  // namespace pawl::ops
