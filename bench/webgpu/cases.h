// Scans that are measured, and what they give in float64.
#pragma once

#include <string>
#include <vector>

#include "backend/wgsl/lane_laws.h"

namespace pawl::bench {

/// One step of one lane: from the state and elements, the next state, which is also given out.
using Step = double (*)(double state, double first, double second);

struct Recurrence {
  const char* name;
  int elements;                 ///< 1 or 2
  const char* body;             ///< from p, e, f to q
  double low = -1, high = 1;    ///< of the first element
  double low2 = -1, high2 = 1;  ///< of the second one
  Step step = nullptr;
};
const std::vector<Recurrence>& recurrences();

struct Case {
  const char* recurrence;
  std::int64_t steps = 0;
  std::int64_t lanes = 0;
};
/// Those of docs/benchmarks/webgpu.md, in its order.
const std::vector<Case>& cases();

/// The laws of a recurrence with so many lanes.
Result<wgsl::LaneLaws> laws_of(const Recurrence& recurrence, std::int64_t lanes);

/// Numbers between two bounds, the same ones each time.
std::vector<float> numbers(std::int64_t count, double low, double high, std::uint32_t seed);

/// Outputs [steps, lanes] in float64, rounded once.
std::vector<float> expected(const Recurrence& recurrence, const Case& of, const std::vector<float>& initial,
                            const std::vector<std::vector<float>>& elements);

}  // namespace pawl::bench
