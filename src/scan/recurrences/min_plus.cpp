// s' = min(s + a, b): affine in the semiring of min and +.
#include "scan/recurrences/semiring.h"

namespace pawl::scan {
namespace {

using Law = AffineOver<MinAndPlus>;

}  // namespace

const Recurrence kMinPlus{.name = "min-plus",
                          .law = "s' = min(s + a, b)",
                          .commutative = false,
                          .float_exact = false,
                          .combine = Law::combine,
                          .act = Law::act,
                          .identity = Law::identity,
                          .width = Law::width,
                          .types = kReals,
                          .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
