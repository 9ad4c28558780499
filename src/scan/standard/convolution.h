#pragma once

#include "scan/standard/taps.h"

namespace pawl::scan {

/// All rows of a delay line: the initial states and what came in, the oldest first, or the newest where it is reversed.
struct DelayRows {
  const std::vector<std::size_t>& states;  ///< from the first that something comes into
  graph::ValueId all;                      ///< [states + T, …]
  bool reversed = false;
};

/// The body's values that are sums of the line's taps, for all steps.
Result<std::vector<KnownValue>> convolve_line(const Site& site, const Dependence& dependence, const DelayRows& line);

}  // namespace pawl::scan
