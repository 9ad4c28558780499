// Mean and variance of a run of elements, in double.
#pragma once

#include <cstdint>

namespace pawl::ops {

struct Moments {
  double mean = 0;
  double variance = 0;  ///< of the population
};

/// Of n elements, `step` apart. NaN when there are none.
template <class T>
Moments moments(const T* from, std::int64_t n, std::int64_t step = 1) {
  Moments result;
  for (std::int64_t i = 0; i < n; ++i) result.mean += static_cast<double>(from[i * step]);
  result.mean /= static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double deviation = static_cast<double>(from[i * step]) - result.mean;
    result.variance += deviation * deviation;
  }
  result.variance /= static_cast<double>(n);
  return result;
}

}  // namespace pawl::ops
