#include "ops/axes.h"

namespace pawl::ops {

Result<std::vector<bool>> mark_axes(std::span<const std::int64_t> axes, std::size_t rank) {
  TRY_ASSIGN(const Dims resolved, resolve_axes(axes, rank));
  std::vector<bool> marked(rank, false);
  for (const std::int64_t axis : resolved) marked[static_cast<std::size_t>(axis)] = true;
  return marked;
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
