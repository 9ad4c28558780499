// s' = max(s + a, b): affine in the semiring of max and +.
#include "scan/recurrences/semiring.h"

namespace pawl::scan {
namespace {

using Law = AffineOver<MaxAndPlus>;

}  // namespace

const Recurrence kMaxPlus{.name = "max-plus",
                          .law = "s' = max(s + a, b)",
                          .commutative = false,
                          .float_exact = false,
                          .combine = Law::combine,
                          .act = Law::act,
                          .identity = Law::identity,
                          .width = Law::width,
                          .types = kReals,
                          .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
