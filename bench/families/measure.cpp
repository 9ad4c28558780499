#include "measure.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "base/try.h"

namespace pawl::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

constexpr std::size_t kMostRuns = 20'000;

/// Runs for so many seconds, at least once.
Result<void> pass(const Candidate& candidate, double seconds, Timing& timing) {
  std::vector<double> times;
  const auto start = Clock::now();
  do {
    const auto before = Clock::now();
    TRY(candidate.run());
    times.push_back(1e3 * seconds_since(before));
  } while (times.size() < kMostRuns && seconds_since(start) < seconds);
  timing.runs += static_cast<std::int64_t>(times.size());
  timing.least_ms = std::min(timing.least_ms, *std::min_element(times.begin(), times.end()));
  timing.pass_ms.push_back(median(std::move(times)));
  return {};
}

}  // namespace

void settle() {
  for (int i = 0; i < 100; ++i) {
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (std::clock() - before < CLOCKS_PER_SEC / 5000) return;
  }
}

Result<std::vector<Timing>> measure(const std::vector<Candidate>& candidates, const MeasureOptions& options) {
  std::vector<Timing> timings(candidates.size());
  std::vector<double> spent(candidates.size());
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (round >= 3 && spent[i] > options.most_seconds) continue;
      settle();
      const auto start = Clock::now();
      TRY(candidates[i].run());
      const double first = seconds_since(start);
      // Where one run is a pass, the one that warms up counts.
      if (first >= options.pass_seconds) {
        timings[i].pass_ms.push_back(1e3 * first);
        timings[i].least_ms = std::min(timings[i].least_ms, 1e3 * first);
        ++timings[i].runs;
      } else {
        TRY(pass(candidates[i], options.pass_seconds, timings[i]));
      }
      spent[i] += seconds_since(start);
    }
  }
  for (Timing& timing : timings) {
    timing.median_ms = median(timing.pass_ms);
    timing.best_ms = *std::min_element(timing.pass_ms.begin(), timing.pass_ms.end());
  }
  return timings;
}

}  // namespace pawl::bench
