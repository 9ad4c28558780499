// Indices into an axis, and the copying of single elements that they lead to.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "pawl/tensor.h"

namespace pawl::ops {

/// The elements of an index tensor in row-major order, negative ones counted from the end of an axis of `extent`.
/// Errors: bad_value, naming the first index that is out of range, and the extent.
Result<Dims> resolve_indices(const Tensor& indices, std::int64_t extent);

/// Errors: bad_shape, when indices that stand for elements of `data` along `axis` have another rank, or reach further
/// than data beside that axis.
Result<void> check_element_indices(const Dims& data, const Dims& indices, std::size_t axis);

/// Where index tuples point in dense data.
struct TuplePlaces {
  std::vector<std::int64_t> offsets;  ///< in elements, one per tuple in row-major order
  std::int64_t block = 1;             ///< elements at each place
  std::size_t axes = 0;               ///< leading axes of the data that a tuple and the batch axes use up
};

/// The last axis of `indices` holds tuples that index the axes of `data` after `batch` common ones; negative ones count
/// from the end. Errors: bad_shape; bad_value, naming the index and the extent; limit.
Result<TuplePlaces> resolve_tuples(const Tensor& indices, const Dims& data, std::size_t batch);

/// Copies elements of one type by their size; neither side needs to be aligned.
class ElementCopy {
 public:
  explicit ElementCopy(DType dtype)
      : width_(static_cast<std::int64_t>(size_of(dtype))), text_(dtype == DType::string) {}

  [[nodiscard]] std::int64_t width() const { return width_; }
  /// `count` adjacent elements, from element `offset` after `from`, to `to`.
  void operator()(std::byte* to, const std::byte* from, std::int64_t offset, std::int64_t count = 1) const {
    from += offset * width_;
    if (!text_) {
      std::memcpy(to, from, static_cast<std::size_t>(count * width_));
    } else {
      const auto* source = reinterpret_cast<const std::string*>(from);
      std::copy(source, source + count, reinterpret_cast<std::string*>(to));
    }
  }

 private:
  std::int64_t width_;
  bool text_;
};

}  // namespace pawl::ops
