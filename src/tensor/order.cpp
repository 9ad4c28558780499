#include "tensor/order.h"

#include <algorithm>
#include <numeric>

#include "base/try.h"

namespace pawl {

Tensor in_order(const Tensor& tensor, const std::vector<std::size_t>& order) {
  Dims shape, strides;
  for (const std::size_t axis : order) {
    shape.push_back(tensor.shape()[axis]);
    strides.push_back(tensor.strides()[axis]);
  }
  return tensor.view(shape, strides);
}

Tensor from_order(const Tensor& tensor, const std::vector<std::size_t>& order) {
  Dims shape = tensor.shape(), strides = tensor.strides();
  for (std::size_t i = 0; i < order.size(); ++i) {
    shape[order[i]] = tensor.shape()[i];
    strides[order[i]] = tensor.strides()[i];
  }
  return tensor.view(shape, strides);
}

std::vector<std::size_t> order_in_memory(const Tensor& tensor) {
  const Dims &shape = tensor.shape(), &strides = tensor.strides();
  if (tensor.dense()) return {};
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1 && strides[axis] <= 0) return {};
  // Of an axis of one place nothing is seen in memory: it stays before the one that it is before.
  const auto reach = [&](std::size_t axis) {
    while (axis + 1 < shape.size() && shape[axis] == 1) ++axis;
    return shape[axis] == 1 ? 0 : strides[axis];
  };
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return reach(a) > reach(b); });
  if (std::is_sorted(order.begin(), order.end())) order.clear();
  return order;
}

Result<Tensor> allocate_in_order(DType dtype, const Dims& shape, const std::vector<std::size_t>& order) {
  if (order.empty()) return Tensor::allocate(dtype, shape);
  Dims outside;
  for (const std::size_t axis : order) outside.push_back(shape[axis]);
  TRY_ASSIGN(const Tensor made, Tensor::allocate(dtype, outside));
  return from_order(made, order);
}

}  // namespace pawl
