// Collects what a loop's body gives step by step into one tensor with a new axis.
#pragma once

#include <optional>
#include <string>

#include "pawl/error.h"
#include "pawl/tensor.h"

namespace pawl::reference {

/// Writes elements of one shape at positions of a new axis. The number of positions may be unknown at first: room
/// grows.
class Stack {
 public:
  /// axis   : where the new axis is inserted, negative from the end of the result's rank
  /// length : positions in all, if known; then elements may come in any order, else in order from 0
  Stack(std::int64_t axis, std::optional<std::int64_t> length) : axis_(axis), length_(length) {}

  /// Puts `element` at `position`. Errors: bad_shape or bad_type when it differs from the first one; limit.
  Result<void> put(const Tensor& element, std::int64_t position);

  /// The result, once put() was called at least once; its axis as long as the elements that came (or `length`).
  [[nodiscard]] Tensor take() &&;

 private:
  Result<void> reserve(std::int64_t positions);

  std::int64_t axis_;
  std::optional<std::int64_t> length_;
  std::int64_t count_ = 0;
  std::int64_t capacity_ = 0;
  std::size_t at_ = 0;
  Dims element_shape_;
  Tensor room_;
};

/// The result of no steps at all: an empty tensor (0 at `axis`) of elements of that shape. Errors as Stack.
Result<Tensor> empty_stack(DType dtype, Dims element_shape, std::int64_t axis);

/// A view with `axis` moved to the front.
Tensor time_first(const Tensor& tensor, std::size_t axis);

/// Where a new axis goes in a tensor of `rank` axes. Errors: bad_shape.
Result<std::size_t> resolve_new_axis(std::int64_t axis, std::size_t rank);

}  // namespace pawl::reference
