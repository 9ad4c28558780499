// Body values that are sums of what came in the last steps, each times something that is the same in every step.
#pragma once

#include <map>

#include "scan/standard/standard_form.h"

namespace pawl::scan {

/// A value  c_0 x + c_1 s_1 + c_2 s_2 + …  of a delay line: x is what comes in, s_1 is the first state, s_2 the next.
/// By tap: the factor, an outer value.
using Taps = std::map<std::size_t, graph::ValueId>;

struct TappedValue {
  graph::ValueId inner;
  Taps taps;
};

struct TappedValues {
  std::vector<TappedValue> list;
  graph::ValueId one;  ///< the factor of a tap that is not multiplied
};

/// The values of the body that are such sums of two taps or more, and that are read by something that is none.
///   line : states, from the first that x comes into
Result<TappedValues> find_tapped(const Site& site, const Dependence& dependence, const std::vector<std::size_t>& line);

}  // namespace pawl::scan
