#include "machine.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "kernels.h"
#include "vec.h"

namespace pawl::bench {
namespace {

/// Sums that depend on nothing but themselves, enough of them to hide how long one takes.
template <std::size_t... I>
float multiply(std::int64_t rounds, float x, std::index_sequence<I...> /*sums*/) {
  Vec sums[] = {splat(x + static_cast<float>(I))...};
  const Vec by = splat(x);
  for (std::int64_t i = 0; i < rounds; ++i) ((sums[I] = sums[I] * by + by), ...);
  Vec total{};
  ((total += sums[I]), ...);
  return total[0];
}

}  // namespace

void copy(const float* from, float* to, std::int64_t count, bool streaming, Team& team) {
  const int threads = team.worth(0.4 * static_cast<double>(count));
  team.run(threads, [&](int i) {
    const Part some = part(count, i, threads, kLanes);
    if (!streaming) {
      std::copy(from + some.begin, from + some.end, to + some.begin);
      return;
    }
    for (std::int64_t at = some.begin; at < some.end; at += kLanes) stream(to + at, load(from + at));
    finish_streams();
  });
}

double peak_operations(Team& team) {
  constexpr std::int64_t kRounds = 2'000'000, kSums = 16;
  double best = 0;
  const int threads = team.worth(kRounds);
  std::vector<float> kept(static_cast<std::size_t>(threads) * kLanes);
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    team.run(threads, [&](int i) { kept[i * kLanes] = multiply(kRounds, 0.5F, std::make_index_sequence<kSums>()); });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, 2.0 * kRounds * kSums * kLanes * threads / seconds);
  }
  // Never true, and the compiler cannot know.
  return kept[0] < 0 ? 0 : best;
}

double load() {
  double average = 0;
  return getloadavg(&average, 1) == 1 ? average : 0;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, model = "unknown processor";
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      model = line.substr(colon + 2);
      break;
    }
  }
  return std::to_string(std::thread::hardware_concurrency()) + " cores, " + model;
}

}  // namespace pawl::bench
