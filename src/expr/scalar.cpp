#include "expr/scalar.h"

#include "base/try.h"
#include "expr/functions.h"

// Each function is compiled twice where the machine may or may not have an instruction for a * b + c rounded once;
// without it the library's function gives the same bits, slowly. Both are inlined as a whole: nothing is left of the
// builder.
#if defined(__x86_64__) && defined(__GNUC__)
#define PAWL_WITH_FMA [[gnu::flatten, gnu::target("fma,avx2")]]
#define PAWL_HAS_FMA (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
#else
#define PAWL_WITH_FMA [[gnu::flatten]]
#define PAWL_HAS_FMA true
#endif

namespace pawl::expr {
namespace {

template <Op F, class T>
[[gnu::always_inline]] inline T evaluated(T x, T y) {
  constexpr DType kDType = std::is_same_v<T, double> ? DType::f64 : DType::f32;
  ScalarBuilder<> builder;
  return formula<F>(Term<ScalarBuilder<>, kDType>{&builder, x}, Term<ScalarBuilder<>, kDType>{&builder, y}).value;
}

template <Op F, class T>
PAWL_WITH_FMA T with_fma(T x, T y) {
  return evaluated<F>(x, y);
}
template <Op F, class T>
[[gnu::flatten]] T without_fma(T x, T y) {
  return evaluated<F>(x, y);
}

template <Op F, class T>
T call(T x, T y = 0) {
  return PAWL_HAS_FMA ? with_fma<F>(x, y) : without_fma<F>(x, y);
}

template <class T>
T function_in(Op op, T x, T y) {
  CHECK(facts_of(op).is_function);
  switch (op) {
    case Op::exp: return call<Op::exp>(x);
    case Op::exp_minus_1: return call<Op::exp_minus_1>(x);
    case Op::log: return call<Op::log>(x);
    case Op::log_1_plus: return call<Op::log_1_plus>(x);
    case Op::tanh: return call<Op::tanh>(x);
    case Op::sigmoid: return call<Op::sigmoid>(x);
    case Op::erf: return call<Op::erf>(x);
    case Op::sin: return call<Op::sin>(x);
    case Op::cos: return call<Op::cos>(x);
    default: return call<Op::pow>(x, y);
  }
}

}  // namespace

float exp(float x) { return call<Op::exp>(x); }
double exp(double x) { return call<Op::exp>(x); }
float exp_minus_1(float x) { return call<Op::exp_minus_1>(x); }
double exp_minus_1(double x) { return call<Op::exp_minus_1>(x); }
float log(float x) { return call<Op::log>(x); }
double log(double x) { return call<Op::log>(x); }
float log_1_plus(float x) { return call<Op::log_1_plus>(x); }
double log_1_plus(double x) { return call<Op::log_1_plus>(x); }
float tanh(float x) { return call<Op::tanh>(x); }
double tanh(double x) { return call<Op::tanh>(x); }
float sigmoid(float x) { return call<Op::sigmoid>(x); }
double sigmoid(double x) { return call<Op::sigmoid>(x); }
float erf(float x) { return call<Op::erf>(x); }
double erf(double x) { return call<Op::erf>(x); }
float sin(float x) { return call<Op::sin>(x); }
double sin(double x) { return call<Op::sin>(x); }
float cos(float x) { return call<Op::cos>(x); }
double cos(double x) { return call<Op::cos>(x); }
float pow(float x, float y) { return call<Op::pow>(x, y); }
double pow(double x, double y) { return call<Op::pow>(x, y); }
float function_of(Op op, float x, float y) { return function_in(op, x, y); }
double function_of(Op op, double x, double y) { return function_in(op, x, y); }

}  // namespace pawl::expr
