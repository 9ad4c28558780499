// What formulas are written in: typed values over any builder of primitive operations. The same formula is evaluated in
// C++ (scalar.h), becomes statements of a kernel, or text of a back end, depending on the builder.
//
// Everything is inlined by force: scalar.cpp compiles the formulas for machines with and without fma, and a shared copy
// of a small function would be one for the wrong machine.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "expr/op.h"
#include "pawl/dtype.h"

namespace pawl::expr {

/// A builder makes one operation after the other, each with the type of its result. It must not contract, reassociate
/// or flush subnormal numbers: formulas rely on each operation being rounded once.
template <class B>
concept Builder = requires(B& b, const typename B::Value& value, Op op, DType dtype) {
  requires std::copyable<typename B::Value>;
  /// A float of type f32 or f64, which holds it exactly; infinity and NaN too.
  { b.constant(dtype, double{}) } -> std::same_as<typename B::Value>;
  /// An integer of any type by its low bits.
  { b.integer(dtype, std::uint64_t{}) } -> std::same_as<typename B::Value>;
  /// A primitive operation (no function) of one to three operands, whose result has type dtype.
  { b.apply(op, dtype, value) } -> std::same_as<typename B::Value>;
  { b.apply(op, dtype, value, value) } -> std::same_as<typename B::Value>;
  { b.apply(op, dtype, value, value, value) } -> std::same_as<typename B::Value>;
  /// Whether f64 is there and worth a few operations in formulas for f32.
  { B::kHasF64 } -> std::convertible_to<bool>;
};

/// A builder that evaluates at once (scalar.h) has values of the types of C++, and operations as templates.
template <class B>
concept Evaluator = requires { typename B::template Typed<DType::f32>; };

template <class B, DType D>
struct ValueOf {
  using type = typename B::Value;
};
template <Evaluator B, DType D>
struct ValueOf<B, D> {
  using type = typename B::template Typed<D>;
};

/// A value whose type is known while compiling.
template <class B, DType D>
struct Term {
  B* builder;
  typename ValueOf<B, D>::type value;

  static constexpr bool kIsFloat = D == DType::f32 || D == DType::f64;
  [[nodiscard]] [[gnu::always_inline]] Term number(double x) const
    requires kIsFloat
  {
    if constexpr (Evaluator<B>)
      return {builder, static_cast<typename ValueOf<B, D>::type>(x)};
    else
      return {builder, builder->constant(D, x)};
  }
  [[nodiscard]] [[gnu::always_inline]] Term number(std::uint64_t x) const
    requires(!kIsFloat)
  {
    if constexpr (Evaluator<B>)
      return {builder, static_cast<typename ValueOf<B, D>::type>(x)};
    else
      return {builder, builder->integer(D, x)};
  }
};

template <Op F, DType To, class B, DType First, DType... Rest>
[[gnu::always_inline]] inline Term<B, To> applied(Term<B, First> a, Term<B, Rest>... more) {
  if constexpr (Evaluator<B>)
    return {a.builder, B::template apply<F, To>(a.value, more.value...)};
  else
    return {a.builder, a.builder->apply(F, To, a.value, more.value...)};
}

template <class B>
using Condition = Term<B, DType::boolean>;

/// How a float of type D is stored.
template <DType D>
struct Layout {
  static_assert(D == DType::f32 || D == DType::f64);
  static constexpr bool kDouble = D == DType::f64;
  static constexpr DType kBits = kDouble ? DType::u64 : DType::u32;
  static constexpr unsigned kFraction = kDouble ? 52 : 23;  ///< bits of the fraction
  static constexpr unsigned kBias = kDouble ? 1023 : 127;   ///< of the exponent
  static constexpr std::uint64_t kSign = std::uint64_t{1} << (kDouble ? 63 : 31);
  static constexpr std::uint64_t kFractionMask = (std::uint64_t{1} << kFraction) - 1;
  /// 2^kFraction: from here on floats are whole numbers, whose low bits are the number's.
  static constexpr double kWhole = static_cast<double>(std::uint64_t{1} << kFraction);
  static constexpr double kSmallestNormal = kDouble ? 0x1p-1022 : 0x1p-126;
};
template <class B, DType D>
using BitsOf = Term<B, Layout<D>::kBits>;

template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator+(Term<B, D> a, Term<B, D> b) {
  return applied<Op::add, D>(a, b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator-(Term<B, D> a, Term<B, D> b) {
  return applied<Op::subtract, D>(a, b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator*(Term<B, D> a, Term<B, D> b) {
  return applied<Op::multiply, D>(a, b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator/(Term<B, D> a, Term<B, D> b) {
  return applied<Op::divide, D>(a, b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator-(Term<B, D> a) {
  return applied<Op::negate, D>(a);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator&(Term<B, D> a, Term<B, D> b) {
  return applied<Op::bit_and, D>(a, b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator|(Term<B, D> a, Term<B, D> b) {
  return applied<Op::bit_or, D>(a, b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator^(Term<B, D> a, Term<B, D> b) {
  return applied<Op::bit_xor, D>(a, b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator<<(Term<B, D> a, unsigned count) {
  return applied<Op::shift_left, D>(a, a.number(count));
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator>>(Term<B, D> a, unsigned count) {
  return applied<Op::shift_right, D>(a, a.number(count));
}
template <class B, DType D>
[[gnu::always_inline]] inline Condition<B> operator<(Term<B, D> a, Term<B, D> b) {
  return applied<Op::less, DType::boolean>(a, b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Condition<B> operator==(Term<B, D> a, Term<B, D> b) {
  return applied<Op::equal, DType::boolean>(a, b);
}

// With numbers beside terms. Floats take doubles, integers bits.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator+(Term<B, D> a, auto b) {
  return a + a.number(b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator-(Term<B, D> a, auto b) {
  return a - a.number(b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator-(double a, Term<B, D> b) {
  return b.number(a) - b;
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator*(Term<B, D> a, double b) {
  return a * a.number(b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator/(double a, Term<B, D> b) {
  return b.number(a) / b;
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator&(Term<B, D> a, std::uint64_t b) {
  return a & a.number(b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> operator|(Term<B, D> a, std::uint64_t b) {
  return a | a.number(b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Condition<B> operator<(Term<B, D> a, double b) {
  return a < a.number(b);
}
template <class B, DType D>
[[gnu::always_inline]] inline Condition<B> operator<(double a, Term<B, D> b) {
  return b.number(a) < b;
}
template <class B, DType D>
[[gnu::always_inline]] inline Condition<B> operator==(Term<B, D> a, auto b) {
  return a == a.number(b);
}

/// a * b + c, rounded once.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> fma(Term<B, D> a, Term<B, D> b, Term<B, D> c) {
  return applied<Op::fma, D>(a, b, c);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> fma(Term<B, D> a, double b, Term<B, D> c) {
  return fma(a, a.number(b), c);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> fma(Term<B, D> a, Term<B, D> b, double c) {
  return fma(a, b, a.number(c));
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> fma(Term<B, D> a, double b, double c) {
  return fma(a, a.number(b), a.number(c));
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> absolute(Term<B, D> a) {
  return applied<Op::absolute, D>(a);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> truncate(Term<B, D> a) {
  return applied<Op::truncate, D>(a);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> select(Condition<B> condition, Term<B, D> yes, Term<B, D> no) {
  return applied<Op::select, D>(condition, yes, no);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> select(Condition<B> condition, double yes, Term<B, D> no) {
  return select(condition, no.number(yes), no);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> select(Condition<B> condition, Term<B, D> yes, double no) {
  return select(condition, yes, yes.number(no));
}
template <DType To, class B, DType D>
[[gnu::always_inline]] inline Term<B, To> cast(Term<B, D> a) {
  return applied<Op::cast, To>(a);
}
template <class B, DType D>
[[gnu::always_inline]] inline BitsOf<B, D> bits(Term<B, D> a) {
  return applied<Op::bits, Layout<D>::kBits>(a);
}
template <DType To, class B, DType D>
[[gnu::always_inline]] inline Term<B, To> from_bits(Term<B, D> a) {
  return applied<Op::bits, To>(a);
}

/// At most `most`; NaN stays. Such selects are single instructions of CPUs, unlike Op::minimum.
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> at_most(double most, Term<B, D> a) {
  return select(most < a, most, a);
}
template <class B, DType D>
[[gnu::always_inline]] inline Term<B, D> at_least(double least, Term<B, D> a) {
  return select(a < least, least, a);
}

template <std::size_t First, class B, DType D, std::size_t N, std::size_t... I>
[[gnu::always_inline]] inline Term<B, D> horner_steps(const double (&coefficients)[N], Term<B, D> x,
                                                      std::index_sequence<I...>) {
  Term<B, D> sum = x.number(coefficients[N - 1]);
  ((sum = fma(sum, x, coefficients[N - 2 - I])), ...);
  return sum;
}

/// The sum of coefficients[First + i] * x^i.
template <std::size_t First = 0, class B, DType D, std::size_t N>
[[gnu::always_inline]] inline Term<B, D> horner(const double (&coefficients)[N], Term<B, D> x) {
  static_assert(N >= First + 2);
  return horner_steps<First>(coefficients, x, std::make_index_sequence<N - 1 - First>());
}

}  // namespace pawl::expr
