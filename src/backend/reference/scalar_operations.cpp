#include "backend/reference/scalar_operations.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "expr/scalar.h"
#include "ops/arithmetic.h"
#include "ops/convert.h"
#include "ops/rounding.h"
#include "tensor/dispatch.h"

namespace pawl::reference {
namespace {

using expr::Op;

using Computed = Join<Ieee, Integers, TypeList<bool>>;
using Stored = Join<Computed, Halves>;

template <class T>
T value_of(Bits bits) {
  if constexpr (std::is_same_v<T, bool>) return bits != 0;
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

template <class T>
Bits bits_of(T value) {
  Bits bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

/// Halves are computed with as float.
template <class From>
auto widened(From value) {
  if constexpr (kIsSmallFloat<From>)
    return static_cast<float>(value);
  else
    return value;
}

template <class To, class From>
To converted(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (kIsSmallFloat<To> && std::is_floating_point_v<From>) {
    return To(value);
  } else if constexpr (kIsSmallFloat<To>) {
    if (value < From{0}) return To(-ops::for_rounding(0 - static_cast<std::uint64_t>(value)));
    return To(ops::for_rounding(static_cast<std::uint64_t>(value)));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return ops::truncated<To>(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}

Result<Bits> cast(DType from, DType to, Bits bits) {
  return dispatch<Stored>(from, [&](auto from_tag) -> Result<Bits> {
    using From = typename decltype(from_tag)::type;
    return dispatch<Stored>(to, [&](auto to_tag) -> Result<Bits> {
      using To = typename decltype(to_tag)::type;
      return bits_of(converted<To>(widened(value_of<From>(bits))));
    });
  });
}

template <class T>
Result<T> float_operation(Op op, T a, T b, T c) {
  switch (op) {
    case Op::fma: return std::fma(a, b, c);
    case Op::sqrt: return std::sqrt(a);
    case Op::floor: return std::floor(a);
    case Op::ceil: return std::ceil(a);
    case Op::round_even: return std::nearbyint(a);
    case Op::truncate: return std::trunc(a);
    default: return expr::function_of(op, a, b);
  }
}

template <class T>
Result<T> shifted(Op op, T a, T b) {
  if (ops::smaller(b, T{0}) < T{0} || static_cast<std::uint64_t>(b) >= 8 * sizeof(T))
    return fail(Code::internal, "{} by {}", expr::facts_of(op).name, b);
  // Signed numbers fill up with their sign.
  return op == Op::shift_left ? static_cast<T>(static_cast<std::uint64_t>(a) << b) : static_cast<T>(a >> b);
}

template <class T>
Result<T> bit_operation(Op op, T a, T b) {
  switch (op) {
    case Op::bit_and: return static_cast<T>(a & b);
    case Op::bit_or: return static_cast<T>(a | b);
    case Op::bit_xor: return static_cast<T>(a ^ b);
    case Op::bit_not:
      if constexpr (std::is_same_v<T, bool>)
        return !a;
      else
        return static_cast<T>(~a);
    default: break;
  }
  if constexpr (!std::is_same_v<T, bool>) return shifted(op, a, b);
  CHECK(false);
}

template <class T>
Result<T> number_operation(Op op, T a, T b, T c) {
  switch (op) {
    case Op::add: return ops::sum(a, b);
    case Op::subtract: return ops::difference(a, b);
    case Op::multiply: return ops::product(a, b);
    case Op::divide:
      if constexpr (std::is_integral_v<T>)
        if (b == 0) return fail(Code::internal, "an integer is divided by 0");
      return ops::quotient(a, b);
    case Op::negate: return ops::negated(a);
    case Op::absolute:
      if constexpr (std::is_floating_point_v<T>)
        return std::abs(a);
      else
        return a < T{0} ? ops::negated(a) : a;
    case Op::minimum: return ops::smaller(a, b);
    case Op::maximum: return ops::larger(a, b);
    default: break;
  }
  if constexpr (std::is_floating_point_v<T>)
    return float_operation(op, a, b, c);
  else
    return bit_operation(op, a, b);
}

template <class T>
Result<Bits> compared(Op op, T a, T b) {
  switch (op) {
    case Op::equal: return bits_of(a == b);
    case Op::less: return bits_of(a < b);
    default: return bits_of(a <= b);
  }
}

template <class T>
Result<Bits> operation(Op op, std::span<const Bits> operands) {
  T values[3] = {};
  for (std::size_t i = 0; i < operands.size(); ++i) values[i] = value_of<T>(operands[i]);
  if (op == Op::equal || op == Op::less || op == Op::less_equal) return compared(op, values[0], values[1]);
  if constexpr (std::is_same_v<T, bool>) {
    TRY_ASSIGN(const bool result, bit_operation(op, values[0], values[1]));
    return bits_of(result);
  } else {
    TRY_ASSIGN(const T result, number_operation(op, values[0], values[1], values[2]));
    return bits_of(result);
  }
}

}  // namespace

Result<Bits> apply(Op op, std::span<const DType> types, std::span<const Bits> operands, DType to) {
  switch (op) {
    case Op::select: return operands[0] != 0 ? operands[1] : operands[2];
    case Op::cast: return cast(types[0], to, operands[0]);
    case Op::bits: return to == DType::boolean ? bits_of(operands[0] != 0) : operands[0];
    default: break;
  }
  return dispatch<Computed>(types[0], [&](auto tag) { return operation<typename decltype(tag)::type>(op, operands); });
}

}  // namespace pawl::reference
