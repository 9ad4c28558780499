// When a sequence is cut into chunks that are worked on side by side, and into how many.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "scan/chunks.h"

namespace pawl::plan {

/// Values to be tuned. Times are nanoseconds, from docs/benchmarks.md, "Sequences in chunks".
struct ChunkPolicy {
  double fixed = 15000;          ///< what is allocated and called once; as much again to wake threads
  double thread = 0.75;          ///< of a thread that each one more is worth
  std::int64_t most_lanes = 64;  ///< of a step: with more, a loop shares them out to threads
  std::int64_t lanes = 64;       ///< that a thread works on side by side: chunks times lanes of a step
  std::int64_t shortest = 128;   ///< steps of a chunk, of which fewer threads then get some
  std::int64_t rows = 0;         ///< so many chunks, whatever they cost; 0: as the above says

  /// Lengths that differ by less than a factor of 2 are treated alike.
  static std::int64_t length_of(std::int64_t steps) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(steps, 0))));
  }
  /// Whether chunks are sooner done than a loop.
  [[nodiscard]] bool pays(std::int64_t steps, std::int64_t lanes_of_step, const scan::StepTimes& times,
                          int threads) const {
    if (rows > 0) return steps >= rows && lanes_of_step > 0;
    if (lanes_of_step < 1 || lanes_of_step > most_lanes) return false;
    const int groups = groups_for(steps, lanes_of_step, threads);
    const double side_by_side = 1 + thread * (groups - 1);
    const double gain = times.loop - times.chunks * static_cast<double>(lanes_of_step) / side_by_side;
    return static_cast<double>(length_of(steps)) * gain >= (groups > 1 ? 2 * fixed : fixed);
  }
  /// Chunks of a group.
  [[nodiscard]] std::int64_t rows_for(std::int64_t lanes_of_step, int threads) const {
    if (rows > 0) return rows % threads == 0 ? rows / threads : rows;
    return std::max<std::int64_t>(lanes / std::max<std::int64_t>(lanes_of_step, 1), 4);
  }
  /// Groups, each for a thread. The same for the same number of threads, whichever are free.
  [[nodiscard]] int groups_for(std::int64_t steps, std::int64_t lanes_of_step, int threads) const {
    if (rows > 0) return rows % threads == 0 ? threads : 1;
    const std::int64_t most = length_of(steps) / (rows_for(lanes_of_step, threads) * shortest);
    return static_cast<int>(std::clamp<std::int64_t>(most, 1, threads));
  }
};

}  // namespace pawl::plan
