// Arithmetic on two tensors, broadcast together.
#include "expr/scalar.h"
#include "ops/arithmetic.h"
#include "ops/axis_rules.h"
#include "ops/convert.h"
#include "ops/elementwise.h"
#include "ops/families.h"

namespace pawl::ops {
namespace {

Result<void> eval_add(EvalContext& context) {
  return eval_map2<Numbers>(context, [](auto a, auto b) { return sum(a, b); });
}

Result<void> eval_sub(EvalContext& context) {
  return eval_map2<Numbers>(context, [](auto a, auto b) { return difference(a, b); });
}

Result<void> eval_mul(EvalContext& context) {
  return eval_map2<Numbers>(context, [](auto a, auto b) { return product(a, b); });
}

/// Errors: bad_value, when an element is 0 and there is something to divide.
template <class T>
Result<void> check_divisors(const Tensor& a, const Tensor& b) {
  bool zero = false;
  TRY_ASSIGN(const Tensor dense, b.to_dense());
  for (const T divisor : dense.values<T>()) zero = zero || divisor == 0;
  if (zero && a.size() != 0) return fail(Code::bad_value, "division by zero in {}", name(b.dtype()));
  return {};
}

Result<void> eval_div(EvalContext& context) {
  TRY_ASSIGN(Operands in, take_operands(context));
  TRY_ASSIGN(context.outputs[0], dispatch<Numbers>(in.a.dtype(), [&](auto tag) -> Result<Tensor> {
               using T = typename decltype(tag)::type;
               if constexpr (std::is_integral_v<T>) TRY(check_divisors<T>(in.a, in.b));
               return map2<T, T, T>(std::move(in.a), std::move(in.b), [](auto a, auto b) { return quotient(a, b); });
             }));
  return {};
}

/// Integer base, integer exponent: exact, wrapping; a fraction is truncated to 0. Errors: bad_value for 0 to a negative
/// power.
template <class T, class E>
Result<Tensor> integer_powers(Tensor base, Tensor exponent) {
  bool infinite = false;
  TRY_ASSIGN(Tensor result, map2<T, E, T>(std::move(base), std::move(exponent), [&](T x, E e) -> T {
               if (e >= 0) return integer_power(x, static_cast<std::uint64_t>(e));
               if (x == 0) infinite = true;
               if (x == 1 || (x == T(-1) && e % 2 == 0)) return 1;
               return x == T(-1) ? x : T{0};
             }));
  if (infinite) return fail(Code::bad_value, "0 to a negative power in {}", name(dtype_of<T>));
  return result;
}

/// Base and exponent of different types: computed in double, or exactly when both are integers.
template <class E>
Result<Tensor> mixed_powers(Tensor base, Tensor exponent) {
  using Bases = Join<Floats, TypeList<std::int32_t, std::int64_t>>;
  return dispatch<Bases>(base.dtype(), [&](auto tag) -> Result<Tensor> {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && std::is_integral_v<E>) {
      return integer_powers<T, E>(std::move(base), std::move(exponent));
    } else {
      return map2<T, E, T>(std::move(base), std::move(exponent), [](auto x, E e) {
        const double power = expr::pow(static_cast<double>(x), static_cast<double>(e));
        if constexpr (std::is_integral_v<T>)
          return truncated<T>(power);
        else
          return power;
      });
    }
  });
}

Result<Tensor> powers(Tensor base, Tensor exponent) {
  const DType dtype = exponent.dtype();
  if (base.dtype() == dtype && dtype != DType::i32 && dtype != DType::i64) {
    return dispatch<Floats>(dtype, [&](auto tag) -> Result<Tensor> {
      using T = typename decltype(tag)::type;
      return map2<T, T, T>(std::move(base), std::move(exponent), [](auto x, auto e) { return expr::pow(x, e); });
    });
  }
  if (dtype == DType::u64) return mixed_powers<std::uint64_t>(std::move(base), std::move(exponent));
  const bool real = dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
  TRY_ASSIGN(exponent, convert(exponent, real ? DType::f64 : DType::i64));
  return real ? mixed_powers<double>(std::move(base), std::move(exponent))
              : mixed_powers<std::int64_t>(std::move(base), std::move(exponent));
}

Result<void> eval_pow(EvalContext& context) {
  TRY_ASSIGN(Operands in, take_operands(context));
  TRY_ASSIGN(context.outputs[0], powers(std::move(in.a), std::move(in.b)));
  return {};
}

/// The remainder that has the divisor's sign. `b` is not 0 when integer.
template <class T>
T floor_remainder(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
      const T rest = static_cast<T>(a % b);
      return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
    } else {
      return static_cast<T>(a % b);
    }
  } else {
    const T rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(rest, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  }
}

/// The remainder that has the dividend's sign. `b` is not 0 when integer.
template <class T>
T truncated_remainder(T a, T b) {
  if constexpr (!std::is_integral_v<T>)
    return std::fmod(a, b);
  else if constexpr (std::is_signed_v<T>)
    return b == -1 ? T{0} : static_cast<T>(a % b);
  else
    return static_cast<T>(a % b);
}

Result<void> eval_mod(EvalContext& context) {
  const std::int64_t fmod = context.attributes.integer("fmod", 0);
  if (fmod != 0 && fmod != 1) return fail(Code::bad_value, "fmod = {} is neither 0 nor 1", fmod);
  const int since = context.since();
  TRY_ASSIGN(Operands in, take_operands(context));
  TRY_ASSIGN(context.outputs[0], dispatch<Numbers>(in.a.dtype(), [&](auto tag) -> Result<Tensor> {
               using T = typename decltype(tag)::type;
               if constexpr (std::is_integral_v<T>)
                 TRY(check_divisors<T>(in.a, in.b));
               else if (fmod == 0 && since < 28)
                 return fail(Code::bad_value, "Mod-{} of {} needs fmod = 1", since, name(in.a.dtype()));
               return map2<T, T, T>(std::move(in.a), std::move(in.b), [=](auto a, auto b) {
                 return fmod == 0 ? floor_remainder(a, b) : truncated_remainder(a, b);
               });
             }));
  return {};
}

constexpr OpDef kBinary[] = {
    {.name = "Add", .since = {1, 6, 7, 13, 14}, .infer = infer_operands, .eval = eval_add, .axes = kPointwiseAxes},
    {.name = "Div", .since = {1, 6, 7, 13, 14}, .infer = infer_operands, .eval = eval_div, .axes = kPointwiseAxes},
    {.name = "Mod", .since = {10, 13, 28}, .infer = infer_operands, .eval = eval_mod, .axes = kPointwiseAxes},
    {.name = "Mul", .since = {1, 6, 7, 13, 14}, .infer = infer_operands, .eval = eval_mul, .axes = kPointwiseAxes},
    {.name = "Pow", .since = {1, 7, 12, 13, 15}, .infer = infer_operands, .eval = eval_pow, .axes = kPointwiseAxes},
    {.name = "Sub", .since = {1, 6, 7, 13, 14}, .infer = infer_operands, .eval = eval_sub, .axes = kPointwiseAxes},
};

}  // namespace

std::span<const OpDef> binary_ops() { return kBinary; }

}  // namespace pawl::ops
