#include "ops/indices.h"

#include "ops/extents.h"
#include "tensor/walk.h"

namespace pawl::ops {

Result<Dims> resolve_indices(const Tensor& indices, std::int64_t extent) {
  TRY_ASSIGN(Dims positions, integers_of(indices));
  for (std::int64_t& position : positions) {
    if (position < -extent || position >= extent)
      return fail(Code::bad_value, "index {} is out of range for an axis of {}", position, extent);
    if (position < 0) position += extent;
  }
  return positions;
}

Result<void> check_element_indices(const Dims& data, const Dims& indices, std::size_t axis) {
  bool fits = data.size() == indices.size();
  for (std::size_t i = 0; fits && i < data.size(); ++i) fits = i == axis || indices[i] <= data[i];
  if (fits) return {};
  return fail(Code::bad_shape, "indices {} do not fit data {} along axis {}", to_string(indices), to_string(data),
              axis);
}

Result<TuplePlaces> resolve_tuples(const Tensor& indices, const Dims& data, std::size_t batch) {
  const Dims& shape = indices.shape();
  const std::size_t depth = shape.empty() ? 0 : static_cast<std::size_t>(shape.back());
  bool fits = batch < shape.size() && batch <= data.size() && depth <= data.size() - batch;
  for (std::size_t i = 0; fits && i < batch; ++i) fits = shape[i] == data[i];
  if (!fits) {
    return fail(Code::bad_shape, "indices {} do not fit data {} with {} batch axes", to_string(shape), to_string(data),
                batch);
  }
  TRY_ASSIGN(const Dims tuples, integers_of(indices));
  const std::span<const std::int64_t> extents(data);
  TuplePlaces places;
  places.axes = batch + depth;
  places.block = checked_size(extents.subspan(places.axes)).value_or(0);
  const std::int64_t count = checked_size(std::span<const std::int64_t>(shape).first(shape.size() - 1)).value_or(0);
  const std::int64_t batches = checked_size(extents.first(batch)).value_or(0);
  if (count > (std::int64_t{1} << 31)) return fail(Code::limit, "{} indices are too many", count);
  places.offsets.reserve(static_cast<std::size_t>(count));
  std::size_t next = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t at = i / (count / batches);
    for (std::size_t axis = batch; axis < places.axes; ++axis) {
      const std::int64_t extent = data[axis];
      std::int64_t position = tuples[next++];
      if (position < -extent || position >= extent)
        return fail(Code::bad_value, "index {} is out of range for axis {} of {}", position, axis, extent);
      if (position < 0) position += extent;
      at = at * extent + position;
    }
    places.offsets.push_back(at * places.block);
  }
  return places;
}

}  // namespace pawl::ops
