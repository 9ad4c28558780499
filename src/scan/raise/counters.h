// Carried integers that follow from the number of the step.
#pragma once

#include "scan/raise/index_form.h"

namespace pawl::scan {

/// Tells `forms` of each carried integer that grows by a constant, and of the lengths of sequences that get one tensor
/// in each step.
Result<void> find_counters(LoopSite& site, IndexForms& forms);

}  // namespace pawl::scan
