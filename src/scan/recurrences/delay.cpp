// s' = b: what came in the step before. Any element type.
#include "scan/recurrence.h"

namespace pawl::scan {
namespace {

Result<Tuple> combine(graph::Builder&, const Tuple&, const Tuple& later) { return later; }
Result<Tuple> act(graph::Builder&, const Tuple& element, const Tuple&) { return element; }

}  // namespace

/// No element leaves a state as it is: an empty sequence of steps is a case of its own.
const Recurrence kDelay{.name = "delay",
                        .law = "s' = b",
                        .commutative = false,
                        .float_exact = true,
                        .combine = combine,
                        .act = act,
                        .identity = nullptr,
                        .width = [](std::size_t states) { return states; },
                        .types = {},
                        .source = "a shift register"};

}  // namespace pawl::scan
