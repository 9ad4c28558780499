#include "backend/reference/stack.h"

#include <algorithm>

#include "base/try.h"
#include "tensor/walk.h"

namespace pawl::reference {

Result<std::size_t> resolve_new_axis(std::int64_t axis, std::size_t rank) {
  const auto bound = static_cast<std::int64_t>(rank) + 1;
  if (axis < -bound || axis >= bound)
    return fail(Code::bad_shape, "output axis {} is out of range, allowed are {} to {} for elements of rank {}", axis,
                -bound, bound - 1, rank);
  return static_cast<std::size_t>(axis < 0 ? axis + bound : axis);
}

Result<void> Stack::reserve(std::int64_t positions) {
  if (positions <= capacity_) return {};
  const std::int64_t capacity = length_ ? *length_ : std::max<std::int64_t>(positions, capacity_ * 2);
  Dims shape = element_shape_;
  shape.insert(at_, capacity);
  TRY_ASSIGN(Tensor room, Tensor::allocate(room_.dtype(), std::move(shape)));
  if (count_ > 0) {
    Dims used = room.shape();
    used[at_] = count_;
    const Tensor from = room_.view(used, room_.strides());
    Tensor to = room.view(used, room.strides());
    copy_elements(from, to);
  }
  room_ = std::move(room);
  capacity_ = capacity;
  return {};
}

Result<void> Stack::put(const Tensor& element, std::int64_t position) {
  if (capacity_ == 0) {
    TRY_ASSIGN(at_, resolve_new_axis(axis_, element.shape().size()));
    element_shape_ = element.shape();
    room_ = Tensor::borrow(element.dtype(), {0}, nullptr);
  }
  if (element.dtype() != room_.dtype())
    return fail(Code::bad_type, "{} here, {} in the first step", name(element.dtype()), name(room_.dtype()));
  if (!(element.shape() == element_shape_))
    return fail(Code::bad_shape, "shape {} here, {} in the first step", pawl::to_string(element.shape()),
                pawl::to_string(element_shape_));
  TRY(reserve(position + 1));
  Tensor slot = room_.select(static_cast<std::int64_t>(at_), position);
  copy_elements(element, slot);
  count_ = std::max(count_, position + 1);
  return {};
}

Tensor Stack::take() && {
  if (count_ == capacity_) return std::move(room_);
  Dims used = room_.shape();
  used[at_] = count_;
  Dims strides = room_.strides();
  return room_.view(std::move(used), std::move(strides));
}

Result<Tensor> empty_stack(DType dtype, Dims element_shape, std::int64_t axis) {
  TRY_ASSIGN(const std::size_t at, resolve_new_axis(axis, element_shape.size()));
  element_shape.insert(at, 0);
  return Tensor::allocate(dtype, std::move(element_shape));
}

Tensor time_first(const Tensor& tensor, std::size_t axis) {
  Dims shape = tensor.shape();
  Dims strides = tensor.strides();
  shape.erase(axis);
  strides.erase(axis);
  shape.insert(0, tensor.shape()[axis]);
  strides.insert(0, tensor.strides()[axis]);
  return tensor.view(std::move(shape), std::move(strides));
}

}  // namespace pawl::reference
