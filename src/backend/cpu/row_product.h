// One row times a matrix: as fast as the matrix comes from memory.
#pragma once

#include <cstdint>

namespace pawl::cpu {

/// y[j] = Σ x[k·x_step]·w[k·step + j] for j < columns: rows of the matrix lie without gaps. Each sum runs over k in
/// ascending order, however columns are shared out.
void multiply_rows(const float* x, std::int64_t x_step, const float* w, std::int64_t step, std::int64_t rows,
                   std::int64_t columns, float* y);

/// y[j] = Σ x[k]·w[j·step + k] for j < columns: columns of the matrix, and x, lie without gaps. The order of each sum
/// depends on `rows` alone.
void multiply_columns(const float* x, const float* w, std::int64_t step, std::int64_t rows, std::int64_t columns,
                      float* y);

}  // namespace pawl::cpu
