#include "tensor/walk.h"

#include <fmt/format.h>

#include <string>

#include "base/try.h"

namespace pawl {

std::string to_string(std::span<const std::int64_t> dims) {
  return fmt::format("[{}]", fmt::join(dims.begin(), dims.end(), ","));
}

Dims dense_strides(const Dims& shape) {
  Dims strides(shape.size(), 0);
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    // Empty tensors have no element to reach; keep the product from overflowing on their other extents.
    step = shape[i] == 0
               ? 0
               : static_cast<std::int64_t>(static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(shape[i]));
  }
  return strides;
}

std::optional<std::int64_t> checked_size(std::span<const std::int64_t> shape) {
  std::int64_t size = 1;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0)
      empty = true;
    else if (!empty && __builtin_mul_overflow(size, extent, &size)) {
      // A zero further on makes it all empty after all.
      size = -1;
      for (const std::int64_t other : shape)
        if (other == 0) empty = true;
      if (!empty) return std::nullopt;
    }
  }
  return empty ? 0 : size;
}

Result<Dims> broadcast_shapes(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  const std::size_t rank = std::max(a.size(), b.size());
  Dims shape(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1)
      return fail(Code::bad_shape, "shape {} cannot be broadcast with {}", to_string(a), to_string(b));
    shape[rank - 1 - i] = left == 1 ? right : left;
  }
  return shape;
}

Tensor broadcast_view(const Tensor& tensor, const Dims& shape) {
  Dims strides(shape.size(), 0);
  CHECK(tensor.shape().size() <= shape.size());
  const std::size_t shift = shape.size() - tensor.shape().size();
  for (std::size_t i = 0; i < tensor.shape().size(); ++i) {
    CHECK(tensor.shape()[i] == shape[i + shift] || tensor.shape()[i] == 1);
    strides[i + shift] = tensor.shape()[i] == 1 ? 0 : tensor.strides()[i];
  }
  return tensor.view(shape, std::move(strides));
}

}  // namespace pawl
