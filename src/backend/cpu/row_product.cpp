#include "backend/cpu/row_product.h"

#include <cstddef>
#include <cstring>

namespace pawl::cpu {
namespace {

/// Made of whatever vectors the machine has. Products are rounded before they are added, on every machine.
using Vector [[gnu::vector_size(64)]] = float;
constexpr std::int64_t kWidth = 16;

struct RowTimesMatrix {
  const float* x = nullptr;
  std::int64_t x_step = 1;
  const float* w = nullptr;
  std::int64_t step = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  float* y = nullptr;
};

/// Adds so many rows at once, each of which is a stream of its own from memory.
template <std::int64_t Rows>
[[gnu::always_inline]] inline void add_rows(const RowTimesMatrix& of, std::int64_t first) {
  const float* const w = of.w + first * of.step;
  float x[Rows];
  for (std::int64_t r = 0; r < Rows; ++r) x[r] = of.x[(first + r) * of.x_step];
  std::int64_t j = 0;
  for (; j + kWidth <= of.columns; j += kWidth) {
    Vector sum{};
    if (first > 0) std::memcpy(&sum, of.y + j, sizeof sum);
    for (std::int64_t r = 0; r < Rows; ++r) {
      Vector row;
      std::memcpy(&row, w + r * of.step + j, sizeof row);
      sum += x[r] * row;
    }
    std::memcpy(of.y + j, &sum, sizeof sum);
  }
  for (; j < of.columns; ++j) {
    float sum = first > 0 ? of.y[j] : 0;
    for (std::int64_t r = 0; r < Rows; ++r) sum += x[r] * w[r * of.step + j];
    of.y[j] = sum;
  }
}

[[gnu::always_inline]] inline void by_rows(const RowTimesMatrix& of) {
  constexpr std::int64_t kRows = 8;
  std::int64_t k = 0;
  for (; k + kRows <= of.rows; k += kRows) add_rows<kRows>(of, k);
  for (; k < of.rows; ++k) add_rows<1>(of, k);
}

/// So many columns at once, from column j on.
template <std::int64_t Columns>
[[gnu::always_inline]] inline void sum_columns(const RowTimesMatrix& of, std::int64_t j) {
  const float* const w = of.w + j * of.step;
  Vector sums[Columns]{};
  std::int64_t k = 0;
  for (; k + kWidth <= of.rows; k += kWidth) {
    Vector x;
    std::memcpy(&x, of.x + k, sizeof x);
    for (std::int64_t c = 0; c < Columns; ++c) {
      Vector column;
      std::memcpy(&column, w + c * of.step + k, sizeof column);
      sums[c] += x * column;
    }
  }
  for (std::int64_t c = 0; c < Columns; ++c) {
    float rest = 0;
    for (std::int64_t i = k; i < of.rows; ++i) rest += of.x[i] * w[c * of.step + i];
    float parts[kWidth];
    std::memcpy(parts, &sums[c], sizeof parts);
    for (std::int64_t half = kWidth / 2; half > 0; half /= 2)
      for (std::int64_t i = 0; i < half; ++i) parts[i] += parts[i + half];
    of.y[j + c] = parts[0] + rest;
  }
}

[[gnu::always_inline]] inline void by_columns(const RowTimesMatrix& of) {
  constexpr std::int64_t kColumns = 4;
  std::int64_t j = 0;
  for (; j + kColumns <= of.columns; j += kColumns) sum_columns<kColumns>(of, j);
  for (; j < of.columns; ++j) sum_columns<1>(of, j);
}

void plain(const RowTimesMatrix& of, bool columns) { columns ? by_columns(of) : by_rows(of); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void with_avx2(const RowTimesMatrix& of, bool columns) {
  columns ? by_columns(of) : by_rows(of);
}
[[gnu::target("avx512f")]] void with_avx512(const RowTimesMatrix& of, bool columns) {
  columns ? by_columns(of) : by_rows(of);
}
#endif

void multiply(const RowTimesMatrix& of, bool columns) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return with_avx512(of, columns);
  if (__builtin_cpu_supports("avx2")) return with_avx2(of, columns);
#endif
  plain(of, columns);
}

}  // namespace

void multiply_rows(const float* x, std::int64_t x_step, const float* w, std::int64_t step, std::int64_t rows,
                   std::int64_t columns, float* y) {
  multiply({x, x_step, w, step, rows, columns, y}, false);
}

void multiply_columns(const float* x, const float* w, std::int64_t step, std::int64_t rows, std::int64_t columns,
                      float* y) {
  multiply({x, 1, w, step, rows, columns, y}, true);
}

}  // namespace pawl::cpu
