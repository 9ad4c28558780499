// Copying between tensors that lie in memory in unlike ways.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/try.h"
#include "tensor/walk.h"

namespace pawl {
namespace {

/// An axis of both tensors; steps in elements.
struct Axis {
  std::int64_t extent = 1;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// Without axes of extent 1; neighbours that both tensors go through in one stride are one.
std::vector<Axis> simplified(const Tensor& from, const Tensor& to) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < to.shape().size(); ++i) {
    const Axis axis{to.shape()[i], from.strides()[i], to.strides()[i]};
    if (axis.extent == 1) continue;
    if (!axes.empty() && axes.back().from == axis.from * axis.extent && axes.back().to == axis.to * axis.extent)
      axes.back() = {axes.back().extent * axis.extent, axis.from, axis.to};
    else
      axes.push_back(axis);
  }
  if (axes.empty()) axes.push_back({1, 1, 1});
  return axes;
}

/// Calls f(source, target) with the offset of each place along the outer axes.
template <class F>
void over(std::span<const Axis> axes, F&& f) {
  Dims shape, from, to;
  for (const Axis& axis : axes) {
    shape.push_back(axis.extent);
    from.push_back(axis.from);
    to.push_back(axis.to);
  }
  walk<2>(shape, {&from, &to}, f);
}

/// Neither side needs to be aligned.
template <std::size_t kWidth>
void copy_row(const std::byte* from, std::byte* to, const Axis& axis) {
  constexpr auto kUnit = static_cast<std::int64_t>(kWidth);
  for (std::int64_t i = 0; i < axis.extent; ++i)
    std::memcpy(to + i * axis.to * kUnit, from + i * axis.from * kUnit, kWidth);
}

/// Four rows of four, turned over: neighbours in a row go to neighbouring rows.
void turn_four(const std::byte* from, std::int64_t from_step, std::byte* to, std::int64_t to_step) {
  using Four = std::uint32_t __attribute__((vector_size(16)));
  std::array<Four, 4> rows{}, pairs{};
  for (std::size_t i = 0; i < 4; ++i) std::memcpy(&rows[i], from + static_cast<std::int64_t>(i) * from_step, 16);
  pairs[0] = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  pairs[1] = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  pairs[2] = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  pairs[3] = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(pairs[0], pairs[1], 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(pairs[0], pairs[1], 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(pairs[2], pairs[3], 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(pairs[2], pairs[3], 2, 3, 6, 7);
  for (std::size_t i = 0; i < 4; ++i) std::memcpy(to + static_cast<std::int64_t>(i) * to_step, &rows[i], 16);
}

/// A matrix in squares, so that what a cache line brings is used while it is there.
template <std::size_t kWidth>
void copy_squares(const std::byte* from, std::byte* to, const Axis& rows, const Axis& columns) {
  constexpr auto kUnit = static_cast<std::int64_t>(kWidth);
  constexpr std::int64_t kSide = 16, kTurned = 4;
  const bool turns = kWidth == 4 && rows.from == 1 && columns.to == 1;
  const auto copy = [&](std::int64_t row, std::int64_t column, std::int64_t height, std::int64_t width) {
    const std::byte* source = from + (row * rows.from + column * columns.from) * kUnit;
    std::byte* target = to + (row * rows.to + column * columns.to) * kUnit;
    if (turns && height == kTurned && width == kTurned)
      return turn_four(source, columns.from * kUnit, target, rows.to * kUnit);
    for (std::int64_t i = 0; i < height; ++i)
      copy_row<kWidth>(source + i * rows.from * kUnit, target + i * rows.to * kUnit, {width, columns.from, columns.to});
  };
  const std::int64_t part = turns ? kTurned : kSide;
  for (std::int64_t row = 0; row < rows.extent; row += kSide)
    for (std::int64_t column = 0; column < columns.extent; column += kSide) {
      const std::int64_t last_row = std::min(row + kSide, rows.extent);
      const std::int64_t last_column = std::min(column + kSide, columns.extent);
      for (std::int64_t i = row; i < last_row; i += part)
        for (std::int64_t j = column; j < last_column; j += part)
          copy(i, j, std::min(part, last_row - i), std::min(part, last_column - j));
    }
}

template <std::size_t kWidth>
void copy_units(const Tensor& from, Tensor& to) {
  constexpr auto kUnit = static_cast<std::int64_t>(kWidth);
  const std::byte* source = from.bytes();
  std::byte* target = to.mutable_bytes();
  std::vector<Axis> axes = simplified(from, to);
  const Axis last = axes.back();
  axes.pop_back();
  if (last.from == 1 && last.to == 1)
    return over(axes, [&](std::int64_t a, std::int64_t b) {
      std::memcpy(target + b * kUnit, source + a * kUnit, static_cast<std::size_t>(last.extent) * kWidth);
    });
  const auto neighbours =
      std::find_if(axes.begin(), axes.end(), [](const Axis& axis) { return axis.from == 1 || axis.from == -1; });
  if (neighbours == axes.end() || last.from == 1)
    return over(
        axes, [&](std::int64_t a, std::int64_t b) { copy_row<kWidth>(source + a * kUnit, target + b * kUnit, last); });
  const Axis rows = *neighbours;
  axes.erase(neighbours);
  over(axes, [&](std::int64_t a, std::int64_t b) {
    copy_squares<kWidth>(source + a * kUnit, target + b * kUnit, rows, last);
  });
}

}  // namespace

void copy_elements(const Tensor& from, Tensor& to) {
  CHECK(from.dtype() == to.dtype() && from.shape() == to.shape());
  if (from.size() == 0) return;
  if (from.dtype() == DType::string) {
    const auto* source = from.data<std::string>();
    auto* target = to.mutable_data<std::string>();
    walk<2>(to.shape(), {&from.strides(), &to.strides()},
            [&](std::int64_t a, std::int64_t b) { target[b] = source[a]; });
    return;
  }
  switch (size_of(from.dtype())) {
    case 1: return copy_units<1>(from, to);
    case 2: return copy_units<2>(from, to);
    case 4: return copy_units<4>(from, to);
    case 8: return copy_units<8>(from, to);
    case 16: return copy_units<16>(from, to);
    default: CHECK(false);
  }
}

}  // namespace pawl
