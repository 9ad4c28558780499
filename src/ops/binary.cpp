// Arithmetic on two or more tensors, broadcast together.
#include "ops/arithmetic.h"
#include "ops/convert.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/infer.h"

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

/// Integer base, integer exponent: exact, wrapping; a fraction is truncated to 0. Errors: bad_value for 0 to a negative power.
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
        const double power = std::pow(static_cast<double>(x), static_cast<double>(e));
        if constexpr (std::is_integral_v<T>) return truncated<T>(power);
        else return power;
      });
    }
  });
}

Result<Tensor> powers(Tensor base, Tensor exponent) {
  const DType dtype = exponent.dtype();
  if (base.dtype() == dtype && dtype != DType::i32 && dtype != DType::i64) {
    return dispatch<Floats>(dtype, [&](auto tag) -> Result<Tensor> {
      using T = typename decltype(tag)::type;
      return map2<T, T, T>(std::move(base), std::move(exponent), [](auto x, auto e) { return std::pow(x, e); });
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

/// Folds all inputs with f, two at a time. Before version 8 they must have one shape.
template <class F>
Result<Tensor> fold_inputs(EvalContext& context, F f) {
  Value first = context.take(0);
  Tensor result = std::move(first.tensor());
  for (std::size_t i = 1; i < context.inputs.size(); ++i) {
    if (context.since() < 8 && context.tensor(i).shape() != result.shape())
      return fail(Code::bad_shape, "shapes {} and {} differ", to_string(result.shape()), to_string(context.tensor(i).shape()));
    Value next = context.take(i);
    TRY_ASSIGN(result, dispatch<Numbers>(result.dtype(), [&](auto tag) -> Result<Tensor> {
                 using T = typename decltype(tag)::type;
                 return map2<T, T, T>(std::move(result), std::move(next.tensor()), f);
               }));
  }
  return result;
}

Result<void> eval_max(EvalContext& context) {
  TRY_ASSIGN(context.outputs[0], fold_inputs(context, [](auto a, auto b) { return larger(a, b); }));
  return {};
}

Result<void> eval_min(EvalContext& context) {
  TRY_ASSIGN(context.outputs[0], fold_inputs(context, [](auto a, auto b) { return smaller(a, b); }));
  return {};
}

constexpr OpDef kBinary[] = {
    {.name = "Add", .since = {1, 6, 7, 13, 14}, .infer = infer_operands, .eval = eval_add},
    {.name = "Div", .since = {1, 6, 7, 13, 14}, .infer = infer_operands, .eval = eval_div},
    {.name = "Max", .since = {1, 6, 8, 12, 13}, .infer = infer_broadcast, .eval = eval_max},
    {.name = "Min", .since = {1, 6, 8, 12, 13}, .infer = infer_broadcast, .eval = eval_min},
    {.name = "Mul", .since = {1, 6, 7, 13, 14}, .infer = infer_operands, .eval = eval_mul},
    {.name = "Pow", .since = {1, 7, 12, 13, 15}, .infer = infer_operands, .eval = eval_pow},
    {.name = "Sub", .since = {1, 6, 7, 13, 14}, .infer = infer_operands, .eval = eval_sub},
};

}  // namespace

std::span<const OpDef> binary_ops() { return kBinary; }

}  // namespace pawl::ops
