// s' = s + b.
#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  Tuple sums;
  for (std::size_t i = 0; i < earlier.size(); ++i) sums.push_back(make.add(earlier[i], later[i]));
  return make.done(std::move(sums));
}

Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
  return combine(to, states, element);
}

/// -0: it leaves every float as it is, +0 too.
Result<Tuple> identity(graph::Builder& to, const std::vector<DType>& states) {
  Arithmetic make(to);
  Tuple zeros;
  for (const DType dtype : states) zeros.push_back(make.constant(dtype, is_signed_zero_type(dtype) ? -0.0 : 0.0));
  return make.done(std::move(zeros));
}

}  // namespace

const Recurrence kSum{.name = "sum",
                      .law = "s' = s + b",
                      .commutative = true,
                      .float_exact = false,
                      .combine = combine,
                      .act = act,
                      .identity = identity,
                      .width = [](std::size_t states) { return states; },
                      .types = kNumbers,
                      .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
