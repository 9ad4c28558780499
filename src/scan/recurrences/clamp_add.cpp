// s' = min(max(s + a, low), high): a counter that saturates. The bounds of a first step are moved and clamped by the
// second.
#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/order_form.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  const auto clamp = [&](graph::ValueId x) { return make.min(make.max(make.add(x, later[0]), later[1]), later[2]); };
  return make.done({make.add(earlier[0], later[0]), clamp(earlier[1]), clamp(earlier[2])});
}

Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  return make.done({make.min(make.max(make.add(states[0], element[0]), element[1]), element[2])});
}

Result<Tuple> identity(graph::Builder& to, const std::vector<DType>& states) {
  Arithmetic make(to);
  return make.done({make.constant(states[0], -0.0), lowest(states[0], make), highest(states[0], make)});
}

}  // namespace

const Recurrence kClampAdd{.name = "clamp-add",
                           .law = "s' = min(max(s + a, low), high)",
                           .commutative = false,
                           .float_exact = false,
                           .combine = combine,
                           .act = act,
                           .identity = identity,
                           .width = [](std::size_t) { return std::size_t{3}; },
                           .types = kReals,
                           .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
