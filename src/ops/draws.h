// Random numbers: one stream for each node that draws, kept for the whole run.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <unordered_map>
#include <utility>

namespace pawl::ops {

class Attributes;

/// Mersenne Twister with numpy's ways of making numbers from its words.
class Draws {
 public:
  explicit Draws(std::uint32_t seed) : words_(seed) {}

  /// In [0, 1), 53 bits.
  double uniform() {
    const std::uint32_t high = static_cast<std::uint32_t>(words_()) >> 5;
    const std::uint32_t low = static_cast<std::uint32_t>(words_()) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }

  /// Standard normal, by Marsaglia's polar method; every second one was made together with the one before.
  double normal() {
    if (spare_) return *std::exchange(spare_, std::nullopt);
    double x = 0;
    double y = 0;
    double square = 0;
    do {
      x = 2 * uniform() - 1;
      y = 2 * uniform() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double factor = std::sqrt(-2 * std::log(square) / square);
    spare_ = factor * x;
    return factor * y;
  }

  bool bernoulli(double p) {
    // The rarer outcome is the one beyond the threshold.
    return p <= 0.5 ? uniform() > 1 - p : uniform() <= p;
  }

 private:
  std::mt19937 words_;
  std::optional<double> spare_;
};

/// The streams of one run. A node with a seed of its own starts with the numbers that numpy's RandomState(seed) gives,
/// so that results of the standard's reference can be reproduced; the run's generator seeds the others. A node that is
/// evaluated again (in a loop's body) goes on in its stream: each iteration draws anew.
class RandomStreams {
 public:
  explicit RandomStreams(std::uint64_t run_seed) : run_seed_(run_seed) {}

  /// The stream of the node with these attributes, which stay where they are during a run.
  Draws& stream(const Attributes& node, std::optional<std::uint32_t> seed) {
    const auto known = streams_.find(&node);
    if (known != streams_.end()) return known->second;
    // Most runs draw nothing: a generator takes a microsecond to set up.
    if (!seed && !seeds_) seeds_.emplace(run_seed_);
    return streams_.try_emplace(&node, seed ? *seed : static_cast<std::uint32_t>((*seeds_)())).first->second;
  }

 private:
  std::uint64_t run_seed_;
  std::optional<std::mt19937_64> seeds_;
  std::unordered_map<const Attributes*, Draws> streams_;
};

}  // namespace pawl::ops
