// The formulas of functions: exp, log, tanh, … as primitive operations, without branches and tables. One formula serves
// the evaluation in C++, kernels and every back end, so all of them give the same bits. docs/numerics.md has their
// errors and their numbers of operations; polynomials.h is made by tools/make_polynomials.py.
#pragma once

#include <span>

#include "base/try.h"
#include "expr/builder.h"
#include "expr/exponential.h"
#include "expr/logarithm.h"
#include "expr/op.h"
#include "expr/power.h"
#include "expr/trigonometric.h"

namespace pawl::expr {

/// The formula of a function; `y` is used by pow only.
template <Op F, class B, DType D>
[[gnu::always_inline]] inline Term<B, D> formula(Term<B, D> x, [[maybe_unused]] Term<B, D> y) {
  if constexpr (F == Op::exp) return formulas::exp(x);
  if constexpr (F == Op::exp_minus_1) return formulas::exp_minus_1(x);
  if constexpr (F == Op::log) return formulas::log(x);
  if constexpr (F == Op::log_1_plus) return formulas::log_1_plus(x);
  if constexpr (F == Op::tanh) return formulas::tanh(x);
  if constexpr (F == Op::sigmoid) return formulas::sigmoid(x);
  if constexpr (F == Op::erf) return formulas::erf(x);
  if constexpr (F == Op::sin) return formulas::sin(x);
  if constexpr (F == Op::cos) return formulas::cos(x);
  if constexpr (F == Op::pow) return formulas::pow(x, y);
}

template <DType D, Builder B>
typename B::Value expand_as(B& b, Op op, std::span<const typename B::Value> operands) {
  const Term<B, D> x = {&b, operands.front()}, y = {&b, operands.back()};
  switch (op) {
    case Op::exp: return formula<Op::exp>(x, y).value;
    case Op::exp_minus_1: return formula<Op::exp_minus_1>(x, y).value;
    case Op::log: return formula<Op::log>(x, y).value;
    case Op::log_1_plus: return formula<Op::log_1_plus>(x, y).value;
    case Op::tanh: return formula<Op::tanh>(x, y).value;
    case Op::sigmoid: return formula<Op::sigmoid>(x, y).value;
    case Op::erf: return formula<Op::erf>(x, y).value;
    case Op::sin: return formula<Op::sin>(x, y).value;
    case Op::cos: return formula<Op::cos>(x, y).value;
    default: return formula<Op::pow>(x, y).value;
  }
}

/// The value of a function (facts_of(op).is_function) of operands of type `dtype`, f32 or f64, which is the result's
/// type too. Within 2 units in the last place; subnormal numbers, signed zeros, infinities and NaN as in C.
template <Builder B>
typename B::Value expand(B& b, Op op, std::span<const typename B::Value> x, DType dtype) {
  CHECK(facts_of(op).is_function && x.size() == static_cast<std::size_t>(facts_of(op).arity));
  CHECK(dtype == DType::f32 || dtype == DType::f64);
  return dtype == DType::f64 ? expand_as<DType::f64>(b, op, x) : expand_as<DType::f32>(b, op, x);
}

}  // namespace pawl::expr
