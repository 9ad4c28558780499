#include "ops/indices.h"

#include "ops/extents.h"

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

}  // namespace pawl::ops
