// How many steps a Loop takes, where that is known before it starts.
#pragma once

#include "scan/raise/index_form.h"

namespace pawl::scan {

struct Steps {
  ValueId count;                 ///< outer int64 scalar, never negative
  std::optional<Linear> inside;  ///< what it is whenever there is a step, in the terms that indices are made of
};

/// Takes the trip count and the condition apart, and emits the number of steps outside. Nothing where the condition
/// follows from what is computed. Conditions that count are found in any spelling: and, not, a choice between
/// constants, captured truth values, the carried condition itself.
///   refusal : set where nothing is found
Result<std::optional<Steps>> find_steps(LoopSite& site, IndexForms& forms, std::string& refusal);

}  // namespace pawl::scan
