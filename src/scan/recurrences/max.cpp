// s' = max(s, b). A NaN stays.
#include "scan/recurrences/semiring.h"

namespace pawl::scan {
namespace {

using Law = AddedUp<MaxAndPlus>;

}  // namespace

const Recurrence kMax{.name = "max",
                      .law = "s' = max(s, b)",
                      .commutative = true,
                      .float_exact = true,
                      .combine = Law::combine,
                      .act = Law::act,
                      .identity = Law::identity,
                      .width = Law::width,
                      .types = kNumbers,
                      .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
