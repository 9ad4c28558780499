// s' = min(s, b). A NaN stays.
#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/order_form.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  return make.done({make.min(earlier[0], later[0])});
}

Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  return make.done({make.min(states[0], element[0])});
}

Result<Tuple> identity(graph::Builder& to, const std::vector<DType>& states) {
  Arithmetic make(to);
  return make.done({highest(states[0], make)});
}

}  // namespace

const Recurrence kMin{.name = "min",
                      .law = "s' = min(s, b)",
                      .commutative = true,
                      .float_exact = true,
                      .combine = combine,
                      .act = act,
                      .identity = identity,
                      .width = [](std::size_t) { return std::size_t{1}; },
                      .types = kNumbers,
                      .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
