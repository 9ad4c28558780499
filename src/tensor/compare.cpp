#include "tensor/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tensor/dispatch.h"

namespace pawl {
namespace {

using Difference = std::optional<std::string>;

/// |got - want| when both are finite, 0 when both are NaN or the same infinity, else infinity.
double distance(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  const double difference = std::abs(got - want);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

bool within(double difference, double magnitude, Tolerance tolerance) {
  if (difference == 0) return true;
  return std::isfinite(difference) && difference <= tolerance.atol + tolerance.rtol * magnitude;
}

/// How far two elements are apart; nullopt when they match.
template <class T>
std::optional<double> mismatch(const T& got, const T& want, Tolerance tolerance) {
  if constexpr (kIsFloat<T>) {
    const auto wanted = static_cast<double>(want);
    const double difference = distance(static_cast<double>(got), wanted);
    if (within(difference, std::abs(wanted), tolerance)) return std::nullopt;
    return difference;
  } else if constexpr (kIsComplex<T>) {
    const double difference = std::hypot(distance(got.real(), want.real()), distance(got.imag(), want.imag()));
    if (within(difference, std::hypot(double{want.real()}, double{want.imag()}), tolerance)) return std::nullopt;
    return difference;
  } else if constexpr (kIsSmallInt<T>) {
    if (got.value == want.value) return std::nullopt;
    return distance(got.value, want.value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (got == want) return std::nullopt;
    return distance(static_cast<double>(got), static_cast<double>(want));
  } else {
    if (got == want) return std::nullopt;
    return 0;
  }
}

template <class T>
std::string show(const T& element) {
  if constexpr (kIsFloat<T>) {
    return fmt::format("{}", static_cast<Compute<T>>(element));
  } else if constexpr (kIsComplex<T>) {
    return fmt::format("({}, {})", element.real(), element.imag());
  } else if constexpr (kIsSmallInt<T>) {
    return fmt::format("{}", static_cast<std::int64_t>(element));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return fmt::format("{}", element);
  } else {
    return fmt::format("\"{}\"", element);
  }
}

/// The index of element number `flat` in row-major order.
Dims index_of(std::int64_t flat, const Dims& shape) {
  Dims index(shape.size(), 0);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index;
}

template <class T>
Difference compare_elements(const Tensor& got, const Tensor& want, Tolerance tolerance) {
  const std::span<const T> a = got.values<T>();
  const std::span<const T> b = want.values<T>();
  std::size_t first = 0;
  std::size_t count = 0;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::optional<double> apart = mismatch(a[i], b[i], tolerance);
    if (!apart) continue;
    if (count++ == 0) first = i;
    largest = std::max(largest, *apart);
  }
  if (count == 0) return std::nullopt;
  const Dims index = index_of(static_cast<std::int64_t>(first), got.shape());
  std::string text = index.empty() ? std::string("the scalar") : "element " + to_string(index);
  text += fmt::format(": got {}, want {}", show(a[first]), show(b[first]));
  if (got.rank() > 0) text += fmt::format("; {} of {} elements differ", count, a.size());
  if (largest > 0 && count > 1) text += fmt::format(", by {:.3g} at most", largest);
  return text;
}

Difference compare_tensors(const Tensor& got, const Tensor& want, Tolerance tolerance) {
  if (got.dtype() != want.dtype() || got.shape() != want.shape())
    return fmt::format("got {}, want {}", describe(got), describe(want));
  if (!got.defined()) return std::nullopt;
  const Result<Tensor> a = got.to_dense();
  const Result<Tensor> b = want.to_dense();
  if (!a.ok()) return a.error().to_string();
  if (!b.ok()) return b.error().to_string();
  const auto difference = dispatch<Everything>(got.dtype(), [&](auto tag) -> Result<Difference> {
    return compare_elements<typename decltype(tag)::type>(*a, *b, tolerance);
  });
  return difference.ok() ? *difference : difference.error().to_string();
}

Difference compare_sequences(const Sequence& got, const Sequence& want, Tolerance tolerance) {
  if (got.size() != want.size()) return fmt::format("got {} items, want {}", got.size(), want.size());
  const bool both_known = got.element() != DType::undefined && want.element() != DType::undefined;
  if (both_known && got.element() != want.element())
    return fmt::format("got {}, want {}", describe(got), describe(want));
  for (std::size_t i = 0; i < got.size(); ++i)
    if (const Difference difference = first_difference(got[i], want[i], tolerance))
      return fmt::format("item {}: {}", i, *difference);
  return std::nullopt;
}

}  // namespace

Difference first_difference(const Value& got, const Value& want, Tolerance tolerance) {
  if (got.is_tensor() && want.is_tensor()) return compare_tensors(got.tensor(), want.tensor(), tolerance);
  if (got.is_sequence() && want.is_sequence()) return compare_sequences(got.sequence(), want.sequence(), tolerance);
  if (got.is_map() && want.is_map()) {
    if (const Difference difference = compare_tensors(got.map().keys, want.map().keys, tolerance))
      return "keys: " + *difference;
    if (const Difference difference = compare_tensors(got.map().values, want.map().values, tolerance))
      return "values: " + *difference;
    return std::nullopt;
  }
  if (got.is_none() && want.is_none()) return std::nullopt;
  return fmt::format("got {}, want {}", describe(got), describe(want));
}

Tolerance allow_roundings(Tolerance tolerance, const Value& want, int roundings) {
  if (!want.is_tensor()) return tolerance;
  double step = 0;
  switch (want.tensor().dtype()) {
    case DType::bf16: step = 0x1p-8; break;
    case DType::f16: step = 0x1p-11; break;
    case DType::f32: step = 0x1p-24; break;
    case DType::f64: step = 0x1p-53; break;
    default: return tolerance;
  }
  return {std::max(tolerance.rtol, roundings * step), std::max(tolerance.atol, roundings * step)};
}

}  // namespace pawl
