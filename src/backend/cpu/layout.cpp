#include "backend/cpu/layout.h"

#include "base/try.h"
#include "tensor/order.h"
#include "tensor/walk.h"

namespace pawl::cpu {
namespace {

/// [others, columns] as [tiles, others, tile]. What the last tile has too much is nobody's.
Result<Tensor> in_tiles(const Tensor& tensor, std::int64_t tile) {
  const std::int64_t columns = tensor.shape().back(), apart = tensor.strides().back();
  const std::int64_t whole = columns / tile, rest = columns % tile;
  Dims shape{whole + (rest > 0 ? 1 : 0)}, strides{tile * apart};
  for (const std::int64_t extent : tensor.shape()) shape.push_back(extent);
  for (const std::int64_t stride : tensor.strides()) strides.push_back(stride);
  shape.back() = tile;
  TRY_ASSIGN(Tensor made, Tensor::allocate(tensor.dtype(), shape));
  const auto copy = [&](std::int64_t first, std::int64_t tiles, std::int64_t width) {
    Dims region = shape;
    region[0] = tiles;
    region.back() = width;
    Tensor to = made.view(region, made.strides(), first * made.strides()[0]);
    copy_elements(tensor.view(region, strides, first * strides[0]), to);
  };
  if (whole > 0) copy(0, whole, tile);
  if (rest > 0) copy(whole, 1, rest);
  return made;
}

}  // namespace

Result<Tensor> packed(const kernel::Binding& binding, const Tensor& tensor) {
  if (binding.order.empty()) return tensor;
  Tensor whole = tensor;
  if (!(tensor.shape() == binding.shape)) {
    TRY_ASSIGN(const Tensor dense, tensor.to_dense());
    whole = dense.reshaped(binding.shape);
  }
  const Tensor ordered = in_order(whole, binding.order);
  if (binding.tile == 0) return ordered;
  return in_tiles(ordered, binding.tile);
}

void unpack(const kernel::Binding& binding, const Tensor& from, Tensor& to) {
  const Tensor ordered = in_order(to.reshaped(binding.shape), binding.order);
  Dims strides = ordered.strides();
  if (binding.tile > 0) strides.insert(0, strides.back() * binding.tile);
  Tensor places = ordered.view(from.shape(), strides);
  copy_elements(from, places);
}

}  // namespace pawl::cpu
