// s' = (s and a) xor b, bit by bit: what BitwiseAnd, BitwiseOr, BitwiseXor and BitwiseNot make of an integer.
#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/boolean_form.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  const auto both = [&](graph::ValueId x, graph::ValueId y) { return make.call("BitwiseAnd", {x, y}); };
  return make.done({both(earlier[0], later[0]), make.call("BitwiseXor", {both(earlier[1], later[0]), later[1]})});
}

Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  return make.done({make.call("BitwiseXor", {make.call("BitwiseAnd", {states[0], element[0]}), element[1]})});
}

Result<Tuple> identity(graph::Builder& to, const std::vector<DType>& states) {
  Arithmetic make(to);
  return make.done({all_ones(states[0], make), make.constant(states[0], 0)});
}

}  // namespace

const Recurrence kBitwise{.name = "bitwise",
                          .law = "s' = (s and a) xor b",
                          .commutative = false,
                          .float_exact = true,
                          .combine = combine,
                          .act = act,
                          .identity = identity,
                          .width = [](std::size_t) { return std::size_t{2}; },
                          .types = kIntegers,
                          .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
