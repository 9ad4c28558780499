// s' = max(s + a, b): affine in the semiring of max and +.
#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/order_form.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  return make.done({make.add(earlier[0], later[0]), make.max(make.add(earlier[1], later[0]), later[1])});
}

Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  return make.done({make.max(make.add(states[0], element[0]), element[1])});
}

Result<Tuple> identity(graph::Builder& to, const std::vector<DType>& states) {
  Arithmetic make(to);
  return make.done({make.constant(states[0], -0.0), lowest(states[0], make)});
}

}  // namespace

const Recurrence kMaxPlus{.name = "max-plus",
                          .law = "s' = max(s + a, b)",
                          .commutative = false,
                          .float_exact = false,
                          .combine = combine,
                          .act = act,
                          .identity = identity,
                          .width = [](std::size_t) { return std::size_t{2}; },
                          .types = kReals,
                          .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
