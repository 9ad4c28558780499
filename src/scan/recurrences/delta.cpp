// s' = d s + u (w^T s) + b: entries decay, and a few directions of the state are written anew. The delta rule is
// d = g, u = -g beta k, w = k, b = beta k v^T. An element is (d, U, W, b), with a column of U and W for each direction:
// a step has one, and combined steps have those of both.
//   combine: (d2 + U2 W2^T)(d1 + U1 W1^T) = d2 d1 + [d2 U1 + U2 (W2^T U1), U2] [W1, d1 W2]^T
#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

using V = graph::ValueId;

/// U (W^T x).
V written(Arithmetic& make, V u, V w, V x) {
  // The last two axes swapped, whatever comes before them: an einsum with an ellipsis needs no rank.
  const V read = make.call("Einsum", {w, x}, {{"equation", std::string("...kr,...kv->...rv")}});
  return make.matmul(u, read);
}

V beside(Arithmetic& make, V a, V b) { return make.call("Concat", {a, b}, {{"axis", std::int64_t{-1}}}); }

Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  const V d1 = earlier[0], u1 = earlier[1], w1 = earlier[2], b1 = earlier[3];
  const V d2 = later[0], u2 = later[1], w2 = later[2], b2 = later[3];
  const V left = make.add(make.mul(d2, u1), written(make, u2, w2, u1));
  const V moved = make.add(make.mul(d2, b1), written(make, u2, w2, b1));
  return make.done({make.mul(d2, d1), beside(make, left, u2), beside(make, w1, make.mul(d1, w2)), make.add(moved, b2)});
}

Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  const V decayed = make.mul(element[0], states[0]);
  return make.done({make.add(make.add(decayed, written(make, element[1], element[2], states[0])), element[3])});
}

Result<Tuple> unchanged(graph::Builder& to, const Tuple& beside) {
  Arithmetic make(to);
  const DType dtype = to.fact(beside[0]).type.dtype;
  const auto none = [&](V like) { return make.call("Expand", {make.constant(dtype, 0), make.call("Shape", {like})}); };
  return make.done({make.constant(dtype, 1), none(beside[1]), none(beside[2]), none(beside[3])});
}

}  // namespace

/// No identity: the number of rows is not in a type.
const Recurrence kDelta{.name = "delta",
                        .law = "s' = d s + u w^T s + b",
                        .commutative = false,
                        .float_exact = false,
                        .combine = combine,
                        .act = act,
                        .identity = nullptr,
                        .unchanged = unchanged,
                        .width = [](std::size_t) { return std::size_t{4}; },
                        .types = kProducts,
                        .multiplies_matrices = true,
                        .source = "Yang et al. 2024, Parallelizing linear transformers with the delta rule"};

}  // namespace pawl::scan
