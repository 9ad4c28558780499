// The elements of a class's monoid for all steps at once, outside of the loop.
#pragma once

#include <optional>

#include "scan/over_time.h"
#include "scan/recurrence.h"
#include "scan/standard/time_axis.h"

namespace pawl::scan {

/// One value of the monoid element.
struct Lifted {
  graph::ValueId outer;
  bool steady = false;  ///< the same in every step: without the time axis
};

struct LiftOverTime {
  std::vector<Lifted> tuple;
  bool reversed = false;  ///< row i belongs to step T-1-i
};

/// Emits the lift's nodes for all steps at once. Nothing when one of them reads a state, has no form for all steps, or
/// may fail where it would not have run; what was emitted then is read by nobody.
Result<std::optional<LiftOverTime>> lift_over_time(const Site& site, graph::Body lift);

/// Whether each extent is the same number, or the same symbol.
bool same_extents(std::span<const Dim> a, std::span<const Dim> b);

/// The number of steps, as a list of one int64.
Result<graph::ValueId> steps_of(const Site& site);

/// A lifted value with `rank` axes behind the time axis, that one of extent T; the others broadcast to the state's.
/// It has no more axes than that itself.
Result<graph::ValueId> over_steps(const Site& site, const Lifted& lifted, std::size_t rank);

/// The same with all of the state's extents.
Result<graph::ValueId> as_state_over_steps(const Site& site, const Lifted& lifted, std::size_t state);

}  // namespace pawl::scan
