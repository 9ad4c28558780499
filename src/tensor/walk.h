// Walking strided tensors in row-major order.
#pragma once

#include <array>
#include <optional>
#include <tuple>

#include "pawl/error.h"
#include "pawl/tensor.h"

namespace pawl {

/// Calls f(offset_0, …, offset_{N-1}) for every index of `shape` in row-major order; offset_k is the distance in
/// elements from the first element of operand k, whose strides are strides[k] (each as long as the shape).
template <std::size_t N, class F>
void walk(const Dims& shape, const std::array<const Dims*, N>& strides, F&& f) {
  const std::size_t rank = shape.size();
  for (const std::int64_t extent : shape)
    if (extent == 0) return;
  std::array<std::int64_t, N> offset{};
  if (rank == 0) {
    std::apply([&](auto... at) { f(at...); }, offset);
    return;
  }
  Dims index(rank, 0);
  const std::size_t last = rank - 1;
  std::array<std::int64_t, N> step{};
  for (std::size_t k = 0; k < N; ++k) step[k] = (*strides[k])[last];
  while (true) {
    std::array<std::int64_t, N> at = offset;
    for (std::int64_t i = 0; i < shape[last]; ++i) {
      std::apply([&](auto... o) { f(o...); }, at);
      for (std::size_t k = 0; k < N; ++k) at[k] += step[k];
    }
    std::size_t axis = last;
    while (true) {
      if (axis == 0) return;
      --axis;
      for (std::size_t k = 0; k < N; ++k) offset[k] += (*strides[k])[axis];
      if (++index[axis] < shape[axis]) break;
      for (std::size_t k = 0; k < N; ++k) offset[k] -= (*strides[k])[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

/// Row-major strides, in elements, of a dense tensor of that shape.
Dims dense_strides(const Dims& shape);

/// Product of the extents; nullopt when negative extents or an overflow of int64 stand in the way.
std::optional<std::int64_t> checked_size(std::span<const std::int64_t> shape);

/// numpy's rule: right-aligned, an extent of 1 stretches. Errors: bad_shape, naming both shapes.
Result<Dims> broadcast_shapes(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// The tensor seen with `shape`, which it must be broadcastable to: stretched axes get stride 0.
Tensor broadcast_view(const Tensor& tensor, const Dims& shape);

/// Copies every element of `from` (any strides) to `to` (same shape and type, any strides, writable).
void copy_elements(const Tensor& from, Tensor& to);

}  // namespace pawl
