// s' = a * s + b, element by element; an element of the monoid is (a, b).
//   combine((a, b), (c, d)) = (c * a, c * b + d)    the first argument is earlier in time
#include "scan/recurrences/semiring.h"

namespace pawl::scan {
namespace {

using Law = AffineOver<Ordinary>;

}  // namespace

const Recurrence kAffine{
    .name = "affine",
    .law = "s' = a * s + b",
    .commutative = false,
    .float_exact = false,
    .combine = Law::combine,
    .act = Law::act,
    .identity = Law::identity,
    .width = Law::width,
    .types = kNumbers,
    .source = "Blelloch 1990, recurrence equations; Martin and Cundy 2018, parallel linear recurrences"};

}  // namespace pawl::scan
