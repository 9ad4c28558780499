#include "kernel/state_tiles.h"

#include <algorithm>

namespace pawl::kernel {
namespace {

/// Of the states that a lane goes through in each step.
std::int64_t bytes_of_lane(const StepGraph& graph, const Stage& stage) {
  std::int64_t bytes = 0;
  for (const StepStore& store : stage.stores) {
    if (store.to.kind != Keep::Kind::state || store.loops.empty()) continue;
    std::int64_t places = 1;
    for (const std::int64_t extent : store.loops) places *= extent;
    bytes += places * static_cast<std::int64_t>(size_of(graph[store.value].dtype));
  }
  return bytes;
}

}  // namespace

StateTiles state_tiles(const StepGraph& graph, const Stage& stage, std::int64_t lanes, const FusedLoopPolicy& policy) {
  const std::int64_t bytes = bytes_of_lane(graph, stage);
  StateTiles tiles;
  if (bytes == 0 || lanes * bytes <= policy.cache_bytes || !policy.many_steps || policy.open) return tiles;
  tiles.vectors = std::max<std::int64_t>(policy.tile_bytes / (policy.vector * bytes), 1);
  // Rows that are a power of two apart do not stay in the cache even where there is room for them: a tile's lie
  // densely. Threads share out lanes by the widest tile.
  std::int64_t width = 4 * policy.vector;
  while (width > policy.vector && (width * bytes > policy.tile_bytes || lanes % width != 0)) width /= 2;
  const bool is_too_narrow = width == policy.vector && 2 * width * bytes <= policy.tile_bytes;
  if (lanes % width == 0 && lanes > width && !is_too_narrow) tiles.width = width;
  return tiles;
}

}  // namespace pawl::kernel
