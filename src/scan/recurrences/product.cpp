// s' = a * s.
#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  Tuple products;
  for (std::size_t i = 0; i < earlier.size(); ++i) products.push_back(make.mul(earlier[i], later[i]));
  return make.done(std::move(products));
}

Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
  return combine(to, states, element);
}

Result<Tuple> identity(graph::Builder& to, const std::vector<DType>& states) {
  Arithmetic make(to);
  Tuple ones;
  for (const DType dtype : states) ones.push_back(make.constant(dtype, 1));
  return make.done(std::move(ones));
}

}  // namespace

const Recurrence kProduct{.name = "product",
                          .law = "s' = a * s",
                          .commutative = true,
                          .float_exact = false,
                          .combine = combine,
                          .act = act,
                          .identity = identity,
                          .width = [](std::size_t states) { return states; },
                          .types = kNumbers,
                          .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
