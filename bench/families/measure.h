// Candidates in turns: a pass of each, and again, so that what else the machine does meets all of them.
#pragma once

#include <vector>

#include "candidates.h"

namespace pawl::bench {

struct MeasureOptions {
  int rounds = 7;
  double pass_seconds = 0.1;  ///< a pass is runs for so long, at least one
  double most_seconds = 6;    ///< of one candidate, after three passes
};

struct Timing {
  double least_ms = 1e300;      ///< the shortest run
  double best_ms = 0;           ///< the lowest median of a pass
  double median_ms = 0;         ///< the median of the medians
  std::vector<double> pass_ms;  ///< the median of each pass
  std::int64_t runs = 0;
};

/// By candidate, in order. Errors: what a run fails with.
Result<std::vector<Timing>> measure(const std::vector<Candidate>& candidates, const MeasureOptions& options);

/// Returns once no thread of this process spins any more, a fifth of a second at the latest.
void settle();

}  // namespace pawl::bench
