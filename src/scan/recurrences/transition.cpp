// s' = A s + b and s' = s A + b, for states that are vectors or matrices: products of matrices in the order of time.
//   combine((A, b), (C, d)) = (C A, C b + d), or (A C, b C + d)      the first argument is earlier in time
#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

Result<Tuple> combine_left(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  return make.done({make.matmul(later[0], earlier[0]), make.add(make.matmul(later[0], earlier[1]), later[1])});
}

Result<Tuple> act_left(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  return make.done({make.add(make.matmul(element[0], states[0]), element[1])});
}

Result<Tuple> combine_right(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  return make.done({make.matmul(earlier[0], later[0]), make.add(make.matmul(earlier[1], later[0]), later[1])});
}

Result<Tuple> act_right(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  return make.done({make.add(make.matmul(states[0], element[0]), element[1])});
}

}  // namespace

/// The identity is a matrix, whose size a type does not say: an empty sequence of steps is a case of its own.
const Recurrence kTransition{.name = "matrix",
                             .law = "s' = A s + b",
                             .commutative = false,
                             .float_exact = false,
                             .combine = combine_left,
                             .act = act_left,
                             .identity = nullptr,
                             .width = [](std::size_t) { return std::size_t{2}; },
                             .types = kProducts,
                             .multiplies_matrices = true,
                             .source = "Blelloch 1990, recurrence equations of higher order"};
const Recurrence kRightTransition{.name = "matrix",
                                  .law = "s' = s A + b",
                                  .commutative = false,
                                  .float_exact = false,
                                  .combine = combine_right,
                                  .act = act_right,
                                  .identity = nullptr,
                                  .width = [](std::size_t) { return std::size_t{2}; },
                                  .types = kProducts,
                                  .multiplies_matrices = true,
                                  .source = kTransition.source};

}  // namespace pawl::scan
