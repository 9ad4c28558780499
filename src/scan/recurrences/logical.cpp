// s' = (s and a) xor b: what And, Or, Xor, Not and Equal make of a bool.
#include "scan/recurrences/semiring.h"

namespace pawl::scan {
namespace {

using Law = AffineOver<XorAndAnd<true>>;

}  // namespace

const Recurrence kLogical{.name = "logical",
                          .law = "s' = (s and a) xor b",
                          .commutative = false,
                          .float_exact = true,
                          .combine = Law::combine,
                          .act = Law::act,
                          .identity = Law::identity,
                          .width = Law::width,
                          .types = kBooleans,
                          .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
