#include "scan/policy.h"

#include <array>
#include <limits>

namespace pawl::scan {
namespace {

using ops::AxisKind;

constexpr double kAlways = std::numeric_limits<double>::infinity();

constexpr MovePolicy kWeights{
    AxisKind::contracted, kAlways, kAlways,
    "T small products with one weight are one large one: the weight is read once, not T times"};

/// Its kind is not looked at.
constexpr MovePolicy kLoop{AxisKind::opaque, kAlways, 1,
                           "T short loops are one, over T times as many channels; it may not write more than it reads"};

constexpr std::array kPolicies = {
    MovePolicy{AxisKind::contracted, 1, 1,
               "an outer product of two elements is larger than both: made where it is used"},
    MovePolicy{AxisKind::rows, 1, 1, "a convolution over T more rows is one call of a library"},
    MovePolicy{AxisKind::along, 1, 1, "sums over an axis want whole rows; in the loop they break its lanes apart"},
    MovePolicy{AxisKind::reduced, 1, 1, "the same"},
    MovePolicy{AxisKind::pointwise, 1, 0, "costs nothing inside a kernel; outside it is a pass over memory"},
    MovePolicy{AxisKind::moved, 1, 0, "index arithmetic inside a kernel; outside it is a pass over memory"},
    MovePolicy{AxisKind::opaque, 0, 0, "has no rule"},
};

}  // namespace

const MovePolicy& policy_for_loop() { return kLoop; }

const MovePolicy& policy_for(const ops::OpDef& row, bool with_weights) {
  if (row.axes.kind == AxisKind::contracted && with_weights) return kWeights;
  for (const MovePolicy& policy : kPolicies)
    if (policy.kind == row.axes.kind) return policy;
  return kPolicies.back();
}

double growth_without_states(Runner runner) { return runner == Runner::interpreter ? 16 : 0; }

double limit(const MovePolicy& policy, Runner runner) {
  return runner == Runner::kernel ? policy.kernel : policy.interpreter;
}

}  // namespace pawl::scan
