// Most classes are one of two recurrences over some semiring: what a step adds up, and what it multiplies and adds.
#pragma once

#include <numeric>

#include "scan/arithmetic.h"
#include "scan/recurrence.h"
#include "scan/recurrences/boolean_form.h"
#include "scan/recurrences/log_form.h"
#include "scan/recurrences/order_form.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {

// A semiring: `plus` with its identity `zero`, `times` with its identity `one`; times distributes over plus.

/// + and *. The zero is -0, which leaves every float as it is, +0 too.
struct Ordinary {
  using V = graph::ValueId;
  static V plus(Arithmetic& make, V a, V b) { return make.add(a, b); }
  static V times(Arithmetic& make, V a, V b) { return make.mul(a, b); }
  static V product(Arithmetic& make, V a, V b) { return make.matmul(a, b); }
  static V zero(Arithmetic& make, DType dtype) { return make.constant(dtype, is_real(dtype) ? -0.0 : 0.0); }
  static V one(Arithmetic& make, DType dtype) { return make.constant(dtype, 1); }
};

/// A matrix product over a semiring in which times is +: `reduce` adds up.
inline graph::ValueId product_by_sums(Arithmetic& make, std::string_view reduce, graph::ValueId a, graph::ValueId b) {
  const graph::ValueId sums =
      make.add(make.call("Unsqueeze", {a, make.integers({-1})}), make.call("Unsqueeze", {b, make.integers({-3})}));
  return make.call(reduce, {sums, make.integers({-2})}, {{"keepdims", std::int64_t{0}}});
}

/// max and +. A NaN stays.
struct MaxAndPlus {
  using V = graph::ValueId;
  static V plus(Arithmetic& make, V a, V b) { return make.max(a, b); }
  static V times(Arithmetic& make, V a, V b) { return make.add(a, b); }
  static V product(Arithmetic& make, V a, V b) { return product_by_sums(make, "ReduceMax", a, b); }
  static V zero(Arithmetic& make, DType dtype) { return lowest(dtype, make); }
  static V one(Arithmetic& make, DType dtype) { return make.constant(dtype, -0.0); }
};

/// min and +. A NaN stays.
struct MinAndPlus : MaxAndPlus {
  static V plus(Arithmetic& make, V a, V b) { return make.min(a, b); }
  static V product(Arithmetic& make, V a, V b) { return product_by_sums(make, "ReduceMin", a, b); }
  static V zero(Arithmetic& make, DType dtype) { return highest(dtype, make); }
};

/// log(exp(a) + exp(b)) and +.
struct LogAndPlus : MaxAndPlus {
  static V plus(Arithmetic& make, V a, V b) { return log_add_exp(a, b, make.builder().fact(b).type.dtype, make); }
  static V product(Arithmetic& make, V a, V b) { return product_by_sums(make, "ReduceLogSumExp", a, b); }
};

/// xor and and, of bools, or of the bits of integers.
template <bool OfBools>
struct XorAndAnd {
  using V = graph::ValueId;
  static V plus(Arithmetic& make, V a, V b) { return make.call(OfBools ? "Xor" : "BitwiseXor", {a, b}); }
  static V times(Arithmetic& make, V a, V b) { return make.call(OfBools ? "And" : "BitwiseAnd", {a, b}); }
  static V zero(Arithmetic& make, DType dtype) { return make.constant(dtype, 0); }
  static V one(Arithmetic& make, DType dtype) { return all_ones(dtype, make); }
};

/// The multiplication of a semiring, where a step does nothing else.
template <class S>
struct Multiplied {
  using V = graph::ValueId;
  static V plus(Arithmetic& make, V a, V b) { return S::times(make, a, b); }
  static V zero(Arithmetic& make, DType dtype) { return S::one(make, dtype); }
};

/// s' = s plus b, for each state; an element is the b of each.
template <class S>
struct AddedUp {
  static Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
    Arithmetic make(to);
    Tuple sums;
    for (std::size_t i = 0; i < earlier.size(); ++i) sums.push_back(S::plus(make, earlier[i], later[i]));
    return make.done(std::move(sums));
  }
  static Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
    return combine(to, states, element);
  }
  static Result<Tuple> identity(graph::Builder& to, const std::vector<DType>& states) {
    Arithmetic make(to);
    Tuple zeros;
    for (const DType dtype : states) zeros.push_back(S::zero(make, dtype));
    return make.done(std::move(zeros));
  }
  static std::size_t width(std::size_t states) { return states; }
};

/// s' = A s plus b, for one state that is a matrix; an element is (A, b). The identity is a matrix, whose size a type
/// does not say: an empty sequence of steps is a case of its own.
///   combine((A, b), (C, d)) = (C A, C b plus d)    the first argument is earlier in time
template <class S>
struct MatrixOver {
  static Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
    Arithmetic make(to);
    return make.done(
        {S::product(make, later[0], earlier[0]), S::plus(make, S::product(make, later[0], earlier[1]), later[1])});
  }
  static Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
    Arithmetic make(to);
    return make.done({S::plus(make, S::product(make, element[0], states[0]), element[1])});
  }
  /// The matrix is square, and its extent known: a class is found for no other.
  static Result<Tuple> unchanged(graph::Builder& to, const Tuple& beside) {
    Arithmetic make(to);
    const Type type = to.fact(beside[0]).type;
    const std::int64_t n = type.shape->back().value;
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    const std::span<const std::int64_t> all(numbers);
    const graph::ValueId row = to.add_constant(Tensor::of<std::int64_t>({1, n}, all), "row");
    const graph::ValueId column = to.add_constant(Tensor::of<std::int64_t>({n, 1}, all), "column");
    const graph::ValueId zero = S::zero(make, type.dtype);
    return make.done({make.where(make.call("Equal", {row, column}), S::one(make, type.dtype), zero),
                      make.call("Expand", {zero, make.call("Shape", {beside[1]})})});
  }
  static std::size_t width(std::size_t) { return 2; }
};

/// s' = s times a plus b, for one state; an element is (a, b).
///   combine((a, b), (c, d)) = (a times c, b times c plus d)    the first argument is earlier in time
template <class S>
struct AffineOver {
  static Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
    Arithmetic make(to);
    return make.done(
        {S::times(make, earlier[0], later[0]), S::plus(make, S::times(make, earlier[1], later[0]), later[1])});
  }
  static Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
    Arithmetic make(to);
    return make.done({S::plus(make, S::times(make, states[0], element[0]), element[1])});
  }
  static Result<Tuple> identity(graph::Builder& to, const std::vector<DType>& states) {
    Arithmetic make(to);
    return make.done({S::one(make, states[0]), S::zero(make, states[0])});
  }
  static std::size_t width(std::size_t) { return 2; }
};

}  // namespace pawl::scan
