#include "function_errors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <span>

#include "expr/functions.h"
#include "expr/scalar.h"
#include "tensor/scalar.h"

namespace pawl::expr {
namespace {

constexpr double kWrong = std::numeric_limits<double>::infinity();

/// A type's numbers, in the terms of std::numeric_limits.
struct Format {
  int digits, min_exponent, max_exponent;
};
template <class T>
constexpr Format kFormat = {std::numeric_limits<T>::digits, std::numeric_limits<T>::min_exponent,
                            std::numeric_limits<T>::max_exponent};
template <>
constexpr Format kFormat<F16> = {11, -13, 16};
template <>
constexpr Format kFormat<BF16> = {8, -125, 128};

/// got - want in units in the last place of `want` in a format; past its largest number these are that one's.
template <class T>
double distance(T got, long double want, Format format = kFormat<T>) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : kWrong;
  if (std::isinf(want)) return static_cast<long double>(got) == want ? 0 : kWrong;
  if (want == 0) return got == 0 && std::signbit(got) == std::signbit(want) ? 0 : kWrong;
  const int exponent = std::clamp(std::ilogb(want), format.min_exponent - 1, format.max_exponent - 1);
  const long double unit = std::ldexp(1.0L, exponent + 1 - format.digits);
  // Infinity stands for the number that would follow the largest one.
  const long double number = std::isinf(got) ? std::copysign(std::ldexp(1.0L, format.max_exponent), got) : got;
  if (std::isinf(got) && std::fabs(want) >= std::fabs(number))
    return std::signbit(got) == std::signbit(want) ? 0 : kWrong;
  if (got == 0 && std::signbit(got) != std::signbit(want)) return kWrong;
  return static_cast<double>(std::fabs(number - want) / unit);
}

/// As on a machine without f64.
float narrow_value_of(Op op, float x, float y) {
  ScalarBuilder<false> builder;
  using X = Term<ScalarBuilder<false>, DType::f32>;
  if (op == Op::pow) return formulas::pow(X{&builder, x}, X{&builder, y}).value;
  return op == Op::sin ? formulas::sin(X{&builder, x}).value : formulas::cos(X{&builder, x}).value;
}

template <class T>
T value_of(Op op, T x, T y) {
  switch (op) {
    case Op::exp: return exp(x);
    case Op::exp_minus_1: return exp_minus_1(x);
    case Op::log: return log(x);
    case Op::log_1_plus: return log_1_plus(x);
    case Op::tanh: return tanh(x);
    case Op::sigmoid: return sigmoid(x);
    case Op::erf: return erf(x);
    case Op::sin: return sin(x);
    case Op::cos: return cos(x);
    default: return pow(x, y);
  }
}

/// Collects the errors of a function at the numbers that it is given.
template <class T>
class Measured {
 public:
  Measured(Op op, bool with_f64) : op_(op), with_f64_(with_f64) {
    if (op == Op::sin || op == Op::cos) largest_ = with_f64 ? 0x1p48 : 0x1p21;
  }
  void at(T x, T y = 0) {
    if (std::isfinite(x) && static_cast<double>(std::fabs(x)) >= largest_) return;
    const T got = with_f64_ ? value_of(op_, x, y)
                            : static_cast<T>(narrow_value_of(op_, static_cast<float>(x), static_cast<float>(y)));
    const double error = distance(got, true_value(op_, x, y));
    ++errors_.inputs;
    if (!(error > errors_.largest)) return;
    errors_.largest = error;
    errors_.at[0] = static_cast<double>(x);
    errors_.at[1] = static_cast<double>(y);
  }
  /// x, both zeros of its kind, and 40 numbers on both sides, of both signs.
  void around(T x) {
    T up = x, down = x;
    for (int i = 0; i < 40; ++i) {
      for (const T value : {up, down, -up, -down}) at(value);
      up = std::nextafter(up, std::numeric_limits<T>::infinity());
      down = std::nextafter(down, -std::numeric_limits<T>::infinity());
    }
  }
  [[nodiscard]] const Errors& errors() const { return errors_; }

 private:
  Op op_;
  bool with_f64_;
  double largest_ = std::numeric_limits<double>::infinity();
  Errors errors_;
};

/// Where formulas change: ends of types, thresholds of overflow, of results that are 1, of halves of ln(2) and pi.
template <class T>
std::vector<T> special_numbers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> numbers = {0,
                            Limits::denorm_min(),
                            Limits::min(),
                            Limits::max(),
                            Limits::infinity(),
                            Limits::quiet_NaN(),
                            Limits::epsilon(),
                            Limits::epsilon() / 2,
                            1,
                            2,
                            T(0.5)};
  for (const double x : {0.34657359, 0.70710678, 1.41421356, 4.0,       6.0,       9.0,       9.02,     10.0,
                         17.33,      18.0,       18.7,       19.0625,   20.0,      37.43,     88.72284, 87.33655,
                         103.27893,  103.97208,  104.0,      708.39642, 709.78271, 745.13322, 746.0})
    numbers.push_back(static_cast<T>(x));
  for (int i = 1; i < 2000; ++i) {
    numbers.push_back(static_cast<T>(i * 1.57079632679489661923L));
    if (i < 200) numbers.push_back(static_cast<T>(i * 0.34657359027997265471L));
  }
  for (int i = 0; i < 48; ++i) {
    const long double whole = std::round(std::ldexp(1.3L, i));
    numbers.push_back(static_cast<T>(whole * 1.57079632679489661923L));
    numbers.push_back(static_cast<T>(std::ldexp(1.0, -i)));
  }
  return numbers;
}

template <class T>
T from_random_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<double>(bits);
  else
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

template <class T>
void measure_pow(Measured<T>& measured, std::int64_t count) {
  const T numbers[] = {0,
                       T(0.5),
                       1,
                       2,
                       3,
                       T(1e9),
                       T(2.5),
                       std::numeric_limits<T>::infinity(),
                       T(16777217),
                       T(1e-40),
                       std::numeric_limits<T>::quiet_NaN(),
                       std::numeric_limits<T>::max(),
                       T(4503599627370497.0),
                       std::numeric_limits<T>::denorm_min(),
                       1 + std::numeric_limits<T>::epsilon(),
                       T(1.0 / 3)};
  for (const T x : numbers)
    for (const T y : numbers)
      for (const int signs : {0, 1, 2, 3}) measured.at((signs & 1) != 0 ? -x : x, (signs & 2) != 0 ? -y : y);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> one(-1, 1);
  for (std::int64_t i = 0; i < count; ++i) {
    measured.at(from_random_bits<T>(random()), from_random_bits<T>(random()));
    const T x = std::fabs(from_random_bits<T>(random()));
    if (!(x > 0) || std::isinf(x)) continue;
    // Results all over the type, where an error of log(x) counts most.
    const double most = sizeof(T) == 8 ? 745 : 104;
    measured.at(x, static_cast<T>(most * one(random) / std::log(static_cast<double>(x))));
    const T near_one = static_cast<T>(1 + one(random) * std::ldexp(0.3, -static_cast<int>(random() % 30)));
    measured.at(near_one, static_cast<T>(most * one(random) / std::log(static_cast<double>(near_one))));
    measured.at(static_cast<T>(10 * (1 + one(random))), static_cast<T>(8 * one(random)));
    measured.at(-static_cast<T>(10 * (1 + one(random))), std::round(static_cast<T>(8 * one(random))));
  }
}

template <class T>
void measure_random(Measured<T>& measured, std::int64_t count) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> one(-1, 1);
  constexpr double kRanges[] = {1, 0.5, 2, 6, 20, 100, 750};
  for (std::int64_t i = 0; i < count; i += 10) {
    measured.at(from_random_bits<T>(random()));
    measured.at(static_cast<T>(std::ldexp(one(random), static_cast<int>(random() % 48))));
    measured.at(static_cast<T>(std::ldexp(one(random), -static_cast<int>(random() % 64))));
    for (const double range : kRanges) measured.at(static_cast<T>(range * one(random)));
  }
}

template <class T>
Errors measure(Op op, std::uint64_t step, bool with_f64) {
  Measured<T> measured(op, with_f64);
  constexpr std::uint64_t kAll = std::uint64_t{1} << 32;
  const auto count = static_cast<std::int64_t>(kAll / step);
  if (op == Op::pow) {
    measure_pow(measured, count / 5);
    return measured.errors();
  }
  for (const T x : special_numbers<T>()) measured.around(x);
  if (sizeof(T) == 8)
    measure_random(measured, count);
  else
    for (std::uint64_t bits = 0; bits < kAll; bits += step) measured.at(from_random_bits<T>(bits));
  return measured.errors();
}

/// 16 bits: every operand; of pow, every first one, with random second ones. Computed as f32, rounded to the type.
template <class T>
Errors measure_small(Op op) {
  constexpr int kSeconds = 16;
  Errors errors;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> one(-1, 1);
  const auto at = [&](float x, float y) {
    if (std::isfinite(x) && (op == Op::sin || op == Op::cos) && std::fabs(x) >= 0x1p48F) return;
    const float got = static_cast<float>(T(value_of(op, x, y)));
    const double error = distance(got, true_value(op, x, y), kFormat<T>);
    ++errors.inputs;
    if (!(error > errors.largest)) return;
    errors.largest = error;
    errors.at[0] = static_cast<double>(x);
    errors.at[1] = static_cast<double>(y);
  };
  for (std::uint32_t code = 0; code <= UINT16_MAX; ++code) {
    const float x = decode_float(dtype_of<T>, static_cast<std::uint16_t>(code));
    if (op != Op::pow) at(x, 0);
    for (int i = 0; op == Op::pow && i < kSeconds; ++i) {
      const float any = decode_float(dtype_of<T>, static_cast<std::uint16_t>(random()));
      at(x, i % 2 == 0 ? any : static_cast<float>(T(8 * one(random))));
    }
  }
  return errors;
}

/// A builder that only counts.
template <bool WithF64>
struct Counter {
  struct Value {
    DType dtype = DType::undefined;
  };
  static constexpr bool kHasF64 = WithF64;
  Cost cost;

  Value constant(DType dtype, double) { return {dtype}; }
  Value integer(DType dtype, std::uint64_t) { return {dtype}; }
  template <class... Values>
  Value apply(Op op, DType dtype, Values... operands) {
    const DType types[] = {operands.dtype...};
    CHECK(result_type(op, types, dtype) == dtype);
    if (op == Op::divide) {
      ++cost.divide;
    } else if (op == Op::select || dtype == DType::boolean) {
      ++cost.choice;
    } else if (op == Op::cast) {
      ++cost.cast;
    } else if (op != Op::bits) {
      ++(types[0] == DType::f32 || types[0] == DType::f64 ? cost.arithmetic : cost.integer);
    }
    return {dtype};
  }
};

template <bool WithF64>
Cost counted(Op op, DType dtype) {
  using Value = typename Counter<WithF64>::Value;
  Counter<WithF64> counter;
  const std::vector<Value> operands(static_cast<std::size_t>(facts_of(op).arity), Value{dtype});
  static_cast<void>(expand(counter, op, std::span<const Value>(operands), dtype));
  return counter.cost;
}

}  // namespace

long double true_value(Op op, long double x, long double y) {
  switch (op) {
    case Op::exp: return std::exp(x);
    case Op::exp_minus_1: return std::expm1(x);
    case Op::log: return std::log(x);
    case Op::log_1_plus: return std::log1p(x);
    case Op::tanh: return std::tanh(x);
    case Op::sigmoid: return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
    case Op::erf: return std::erf(x);
    case Op::sin: return std::sin(x);
    case Op::cos: return std::cos(x);
    default: return std::pow(x, y);
  }
}

Errors errors_of(Op op, DType dtype, std::uint64_t step, bool with_f64) {
  if (dtype == DType::f16) return measure_small<F16>(op);
  if (dtype == DType::bf16) return measure_small<BF16>(op);
  return dtype == DType::f64 ? measure<double>(op, step, true) : measure<float>(op, step, with_f64);
}

Cost cost_of(Op op, DType dtype, bool with_f64) {
  return with_f64 ? counted<true>(op, dtype) : counted<false>(op, dtype);
}

}  // namespace pawl::expr
