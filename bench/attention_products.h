// Linear attention in chunks of steps, by products of matrices, written by hand.
#pragma once

#include <cstdint>

namespace pawl::bench {

/// One head: S' = a S + k (b (v - a k S)), y = q S'. Without a rate b, what is added is k v; without decays, a is 1.
/// Rows are `apart` floats from step to step, decays and rates `numbers_apart`.
struct Head {
  std::int64_t steps = 0;   ///< a multiple of the chunk
  std::int64_t keys = 0;    ///< a multiple of 16
  std::int64_t values = 0;  ///< a multiple of 64
  std::int64_t apart = 0;
  std::int64_t numbers_apart = 0;
  const float *q = nullptr, *k = nullptr, *v = nullptr;
  const float *decay = nullptr, *rate = nullptr;  ///< may be null
  float* y = nullptr;
};

/// Floats that attention_by_products needs.
std::int64_t scratch_floats(const Head& head, std::int64_t chunk);

/// The state begins at 0.
///   chunk : 16 or 32 steps
void attention_by_products(const Head& head, std::int64_t chunk, float* scratch);

}  // namespace pawl::bench
