#pragma once

#include "scan/facts.h"

namespace pawl::scan {

/// What one step costs; symbols count as 1.
StepCost cost_of(const graph::ScanOp& scan, const Dependence& dependence);

/// A graph as a whole, with all that its loops do.
struct GraphCost {
  double operations = 0;
  bool known = true;       ///< false: an extent is not known, or there is a Loop
  std::int64_t steps = 0;  ///< of its longest Scan, those inside of others left out
};
GraphCost cost_of(const graph::Graph& graph);

}  // namespace pawl::scan
