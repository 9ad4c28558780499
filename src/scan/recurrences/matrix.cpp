// s' = A s + b for n states that mix: an element is the n x n coefficients of A, row by row, then b. Every coefficient
// is an array of its own; the same small product is done in every lane.
//   combine((A, b), (C, d)) = (C A, C b + d)        the first argument is earlier in time
#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

std::size_t states_of(std::size_t width) {
  std::size_t n = 1;
  while (n * n + n < width) ++n;
  return n;
}

Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  const std::size_t n = states_of(earlier.size());
  Tuple element;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      graph::ValueId sum = make.mul(later[i * n], earlier[j]);
      for (std::size_t k = 1; k < n; ++k) sum = make.add(sum, make.mul(later[i * n + k], earlier[k * n + j]));
      element.push_back(sum);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    graph::ValueId sum = later[n * n + i];
    for (std::size_t k = 0; k < n; ++k) sum = make.add(sum, make.mul(later[i * n + k], earlier[n * n + k]));
    element.push_back(sum);
  }
  return make.done(std::move(element));
}

Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  const std::size_t n = states.size();
  Tuple next;
  for (std::size_t i = 0; i < n; ++i) {
    graph::ValueId sum = element[n * n + i];
    for (std::size_t k = 0; k < n; ++k) sum = make.add(sum, make.mul(element[i * n + k], states[k]));
    next.push_back(sum);
  }
  return make.done(std::move(next));
}

Result<Tuple> identity(graph::Builder& to, const std::vector<DType>& states) {
  Arithmetic make(to);
  Tuple element;
  for (std::size_t i = 0; i < states.size(); ++i)
    for (std::size_t j = 0; j < states.size(); ++j) element.push_back(make.constant(states[0], i == j ? 1 : 0));
  for (const DType dtype : states) element.push_back(make.constant(dtype, 0));
  return make.done(std::move(element));
}

}  // namespace

const Recurrence kMatrix{.name = "matrix",
                         .law = "s' = A s + b",
                         .commutative = false,
                         .float_exact = false,
                         .combine = combine,
                         .act = act,
                         .identity = identity,
                         .width = [](std::size_t states) { return states * states + states; },
                         .types = kNumbers,
                         .source = "Blelloch 1990, recurrence equations of higher order"};

}  // namespace pawl::scan
