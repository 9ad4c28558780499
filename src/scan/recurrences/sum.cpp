// s' = s + b.
#include "scan/recurrences/semiring.h"

namespace pawl::scan {
namespace {

using Law = AddedUp<Ordinary>;

}  // namespace

const Recurrence kSum{.name = "sum",
                      .law = "s' = s + b",
                      .commutative = true,
                      .float_exact = false,
                      .combine = Law::combine,
                      .act = Law::act,
                      .identity = Law::identity,
                      .width = Law::width,
                      .types = kNumbers,
                      .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
