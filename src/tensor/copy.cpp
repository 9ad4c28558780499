// Copying between tensors that lie in memory in unlike ways.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/try.h"
#include "tensor/row_copy.h"
#include "tensor/walk.h"

namespace pawl {
namespace {

/// An axis of both tensors; steps in elements.
struct Axis {
  std::int64_t extent = 1;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// Without axes of extent 1, in the order in which the target's lie in memory; neighbours that both tensors go through
/// in one stride are one.
std::vector<Axis> simplified(const Tensor& from, const Tensor& to) {
  std::vector<Axis> all, axes;
  for (std::size_t i = 0; i < to.shape().size(); ++i)
    if (to.shape()[i] != 1) all.push_back({to.shape()[i], from.strides()[i], to.strides()[i]});
  const auto is_outside = [](const Axis& a, const Axis& b) { return std::abs(a.to) > std::abs(b.to); };
  if (!std::is_sorted(all.begin(), all.end(), is_outside)) std::stable_sort(all.begin(), all.end(), is_outside);
  for (const Axis& axis : all) {
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
  // A matrix that is turned over: neighbours along one axis on one side, along the other on the other side.
  const auto is_unit = [](std::int64_t step) { return step == 1 || step == -1; };
  const auto neighbours = std::find_if(axes.begin(), axes.end(),
                                       [&](const Axis& axis) { return is_unit(last.from == 1 ? axis.to : axis.from); });
  if (neighbours == axes.end())
    return over(
        axes, [&](std::int64_t a, std::int64_t b) { copy_row<kWidth>(source + a * kUnit, target + b * kUnit, last); });
  const Axis rows = *neighbours;
  axes.erase(neighbours);
  over(axes, [&](std::int64_t a, std::int64_t b) {
    copy_rows(source + a * kUnit, {rows.from * kUnit, last.from * kUnit}, target + b * kUnit,
              {rows.to * kUnit, last.to * kUnit}, rows.extent, last.extent, kWidth);
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
