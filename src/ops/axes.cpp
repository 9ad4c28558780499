#include "ops/axes.h"

namespace pawl::ops {

Result<std::size_t> resolve_axis(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (count == 0) return fail(Code::bad_shape, "axis {} of a scalar: it has no axes", axis);
  if (axis < -count || axis >= count)
    return fail(Code::bad_shape, "axis {} is out of range [{}, {}] for rank {}", axis, -count, count - 1, rank);
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

Result<std::vector<bool>> mark_axes(std::span<const std::int64_t> axes, std::size_t rank) {
  std::vector<bool> marked(rank, false);
  for (const std::int64_t axis : axes) {
    TRY_ASSIGN(const std::size_t at, resolve_axis(axis, rank));
    if (marked[at]) return fail(Code::bad_shape, "axis {} is listed twice in axes {}", axis, to_string(axes));
    marked[at] = true;
  }
  return marked;
}

Result<Dims> integers_of(const Tensor& tensor) {
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  if (dense.dtype() == DType::i64) return Dims(dense.values<std::int64_t>());
  if (dense.dtype() != DType::i32) return fail(Code::bad_type, "int64 or int32 values are needed, not {}", name(dense.dtype()));
  Dims values(static_cast<std::size_t>(dense.size()), 0);
  const auto from = dense.values<std::int32_t>();
  std::copy(from.begin(), from.end(), values.begin());
  return values;
}

Result<Dim> product_of(std::span<const Dim> extents) {
  if (extents.size() == 1) return extents[0];
  std::int64_t product = 1;
  bool unknown = false;
  for (const Dim& extent : extents) {
    if (extent.known() && extent.value == 0) return Dim(0);
    if (!extent.known()) unknown = true;
    else if (__builtin_mul_overflow(product, extent.value, &product))
      return fail(Code::limit, "shape {} has more elements than can be counted", to_string(SymbolicShape(extents.begin(), extents.end())));
  }
  return unknown ? Dim() : Dim(product);
}

std::optional<Dim> broadcast_dim(const Dim& a, const Dim& b) {
  if (a.known() && a.value == 1) return b;
  if (b.known() && b.value == 1) return a;
  if (a.known() && b.known()) return a.value == b.value ? std::optional<Dim>(a) : std::nullopt;
  // What is not known is either the other extent or 1.
  if (a.known()) return a;
  if (b.known()) return b;
  return a.same(b) ? a : Dim();
}

std::optional<Dim> agree_dim(const Dim& a, const Dim& b) {
  if (a.known() && b.known()) return a.value == b.value ? std::optional<Dim>(a) : std::nullopt;
  if (a.known()) return a;
  if (b.known()) return b;
  return a.symbol.empty() ? b : a;
}

}  // namespace pawl::ops
