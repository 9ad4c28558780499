// The functions of functions.h as plain C++: what the reference evaluator computes with, bit for bit what kernels give.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "expr/op.h"
#include "pawl/dtype.h"

namespace pawl::expr {

float exp(float x);
double exp(double x);
/// exp(x) - 1
float exp_minus_1(float x);
double exp_minus_1(double x);
float log(float x);
double log(double x);
/// log(1 + x)
float log_1_plus(float x);
double log_1_plus(double x);
float tanh(float x);
double tanh(double x);
/// 1 / (1 + exp(-x))
float sigmoid(float x);
double sigmoid(double x);
float erf(float x);
double erf(double x);
float sin(float x);
double sin(double x);
float cos(float x);
double cos(double x);
float pow(float x, float y);
double pow(double x, double y);
/// The function that an operation is (facts_of(op).is_function); y is pow's exponent.
float function_of(Op op, float x, float y);
double function_of(Op op, double x, double y);

template <DType>
struct CppType;
template <>
struct CppType<DType::f32> : std::type_identity<float> {};
template <>
struct CppType<DType::f64> : std::type_identity<double> {};
template <>
struct CppType<DType::u32> : std::type_identity<std::uint32_t> {};
template <>
struct CppType<DType::u64> : std::type_identity<std::uint64_t> {};
template <>
struct CppType<DType::boolean> : std::type_identity<bool> {};

/// Evaluates at once: a builder whose values are plain numbers. It has the operations that formulas use, of floats, u32
/// and u64. `WithF64` = false computes as for a machine without f64.
template <bool WithF64 = true>
struct ScalarBuilder {
  static constexpr bool kHasF64 = WithF64;
  template <DType D>
  using Typed = typename CppType<D>::type;

  template <Op F, DType To, class T>
  [[gnu::always_inline]] static Typed<To> apply(T x) {
    if constexpr (F == Op::bits) return std::bit_cast<Typed<To>>(x);
    if constexpr (F == Op::cast) return static_cast<Typed<To>>(x);
    if constexpr (F == Op::negate) return -x;
    if constexpr (F == Op::absolute) return std::fabs(x);
    if constexpr (F == Op::truncate) return std::trunc(x);
  }
  template <Op F, DType To, class T>
  [[gnu::always_inline]] static Typed<To> apply(T x, T y) {
    if constexpr (F == Op::add) return x + y;
    if constexpr (F == Op::subtract) return x - y;
    if constexpr (F == Op::multiply) return x * y;
    if constexpr (F == Op::divide) return x / y;
    if constexpr (F == Op::bit_and) return x & y;
    if constexpr (F == Op::bit_or) return x | y;
    if constexpr (F == Op::bit_xor) return x ^ y;
    if constexpr (F == Op::shift_left) return x << y;
    if constexpr (F == Op::shift_right) return x >> y;
    if constexpr (F == Op::equal) return x == y;
    if constexpr (F == Op::less) return x < y;
  }
  template <Op F, DType To, class C, class T>
  [[gnu::always_inline]] static Typed<To> apply(C x, T y, T z) {
    if constexpr (F == Op::fma) return std::fma(x, y, z);
    if constexpr (F == Op::select) return x ? y : z;
  }
};

}  // namespace pawl::expr
