// s' = min(max(s, low), high). The bounds of a first clamp are clamped by the second.
#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/order_form.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  const auto clamp = [&](graph::ValueId x) { return make.min(make.max(x, later[0]), later[1]); };
  return make.done({clamp(earlier[0]), clamp(earlier[1])});
}

Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  return make.done({make.min(make.max(states[0], element[0]), element[1])});
}

Result<Tuple> identity(graph::Builder& to, const std::vector<DType>& states) {
  Arithmetic make(to);
  return make.done({lowest(states[0], make), highest(states[0], make)});
}

}  // namespace

const Recurrence kClamp{.name = "clamp",
                        .law = "s' = min(max(s, low), high)",
                        .commutative = false,
                        .float_exact = true,
                        .combine = combine,
                        .act = act,
                        .identity = identity,
                        .width = [](std::size_t) { return std::size_t{2}; },
                        .types = kNumbers,
                        .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
