#pragma once

#include "scan/facts.h"

namespace pawl::scan {

/// What one step costs; symbols count as 1.
StepCost cost_of(const graph::ScanOp& scan, const Dependence& dependence);

}  // namespace pawl::scan
