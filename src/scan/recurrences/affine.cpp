// s' = a * s + b, element by element; an element of the monoid is (a, b).
//   combine((a, b), (c, d)) = (c * a, c * b + d)    the first argument is earlier in time
#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  return make.done({make.mul(later[0], earlier[0]), make.add(make.mul(later[0], earlier[1]), later[1])});
}

Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  return make.done({make.add(make.mul(element[0], states[0]), element[1])});
}

Result<Tuple> identity(graph::Builder& to, const std::vector<DType>& states) {
  Arithmetic make(to);
  return make.done(
      {make.constant(states[0], 1), make.constant(states[0], is_signed_zero_type(states[0]) ? -0.0 : 0.0)});
}

}  // namespace

const Recurrence kAffine{
    .name = "affine",
    .law = "s' = a * s + b",
    .commutative = false,
    .float_exact = false,
    .combine = combine,
    .act = act,
    .identity = identity,
    .width = [](std::size_t) { return std::size_t{2}; },
    .types = kNumbers,
    .source = "Blelloch 1990, recurrence equations; Martin and Cundy 2018, parallel linear recurrences"};

}  // namespace pawl::scan
