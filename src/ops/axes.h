// Extents of axes that meet: what is known of them, and whether they can.
#pragma once

#include <optional>
#include <vector>

#include "ops/extents.h"

namespace pawl::ops {

/// One flag per axis of a tensor of that rank, true for those listed. Errors: as resolve_axes.
Result<std::vector<bool>> mark_axes(std::span<const std::int64_t> axes, std::size_t rank);

/// numpy's rule for one axis, as far as it is known: an extent of 1 stretches; nullopt when the two contradict each
/// other.
std::optional<Dim> broadcast_dim(const Dim& a, const Dim& b);

/// The extent on which two values must agree, as far as it is known; nullopt when they contradict each other.
std::optional<Dim> agree_dim(const Dim& a, const Dim& b);

}  // namespace pawl::ops
