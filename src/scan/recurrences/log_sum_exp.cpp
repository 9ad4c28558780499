// s' = log(exp(s + a) + exp(b)): affine in the semiring of log-add-exp and +.
#include "scan/recurrences/semiring.h"

namespace pawl::scan {
namespace {

using Law = AffineOver<LogAndPlus>;

}  // namespace

const Recurrence kLogSumExp{.name = "log-sum-exp",
                            .law = "s' = log(exp(s + a) + exp(b))",
                            .commutative = false,
                            .float_exact = false,
                            .combine = Law::combine,
                            .act = Law::act,
                            .identity = Law::identity,
                            .width = Law::width,
                            .types = kReals,
                            .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
