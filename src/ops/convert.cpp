#include "ops/convert.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <vector>

#include "expr/types.h"
#include "ops/number_text.h"
#include "ops/rounding.h"
#include "tensor/dispatch.h"

namespace pawl::ops {

double for_rounding(std::uint64_t magnitude) {
  const int lost = 64 - 53 - std::countl_zero(magnitude);
  if (lost <= 0) return static_cast<double>(magnitude);
  const std::uint64_t dropped = magnitude & ((std::uint64_t{1} << lost) - 1);
  return std::ldexp(static_cast<double>((magnitude >> lost) | (dropped != 0 ? 1 : 0)), lost);
}

namespace {

using Real = Join<Floats, SmallFloats>;
using Signed = Join<
    TypeList<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, bool>,
    SmallInts>;
using Unsigned = TypeList<std::uint64_t>;
using Numeric = Join<Real, Signed, Unsigned>;

/// Elements are converted in runs of this many through one of the wide types double, int64, uint64: each holds its
/// sources exactly, so that the second step is the only one that rounds.
constexpr std::int64_t kRun = 256;

template <class Wide>
double real_for_rounding(Wide value) {
  if constexpr (std::is_same_v<Wide, double>)
    return value;
  else if constexpr (std::is_same_v<Wide, std::uint64_t>)
    return for_rounding(value);
  else
    return value < 0 ? -for_rounding(0 - static_cast<std::uint64_t>(value))
                     : for_rounding(static_cast<std::uint64_t>(value));
}

template <class T, class Wide>
T narrowed(Wide value, const Conversion& conversion) {
  if constexpr (std::is_same_v<T, F8E8M0>) {
    return T::from_code(
        static_cast<std::uint8_t>(encode_e8m0(real_for_rounding(value), conversion.rounding, conversion.overflow)));
  } else if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
    return T(real_for_rounding(value));
  } else if constexpr (kIsSmallFloat<T>) {
    return T::from_code(
        static_cast<std::uint8_t>(encode_float(T::kFormat, real_for_rounding(value), conversion.overflow)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_same_v<Wide, double> && kIsSmallInt<T>) {
    return T(truncated<std::int64_t>(value));
  } else if constexpr (std::is_same_v<Wide, double> && std::is_integral_v<T>) {
    return truncated<T>(value);
  } else if constexpr (kIsSmallInt<T>) {
    return T(static_cast<std::int64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

using WidenFn = void (*)(const std::byte* from, std::int64_t begin, std::int64_t count, void* wide);
using NarrowFn = void (*)(const void* wide, std::byte* to, std::int64_t begin, std::int64_t count,
                          const Conversion& conversion);

template <class T, class Wide>
void widen(const std::byte* from, std::int64_t begin, std::int64_t count, void* wide) {
  const T* source = reinterpret_cast<const T*>(from) + begin;
  auto* target = static_cast<Wide*>(wide);
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (kIsSmallFloat<T> || kIsSmallInt<T>)
      target[i] = static_cast<Wide>(static_cast<Compute<T>>(source[i]));
    else
      target[i] = static_cast<Wide>(source[i]);
  }
}

template <class T, class Wide>
void narrow(const void* wide, std::byte* to, std::int64_t begin, std::int64_t count, const Conversion& conversion) {
  const auto* source = static_cast<const Wide*>(wide);
  T* target = reinterpret_cast<T*>(to) + begin;
  for (std::int64_t i = 0; i < count; ++i) target[i] = narrowed<T>(source[i], conversion);
}

template <class List, class Wide>
Result<void> convert_through(const Tensor& x, Tensor& y, const Conversion& conversion) {
  WidenFn widen_run = nullptr;
  TRY(dispatch<List>(x.dtype(), [&](auto tag) -> Result<void> {
    widen_run = &widen<typename decltype(tag)::type, Wide>;
    return {};
  }));
  NarrowFn narrow_run = nullptr;
  TRY(dispatch<Numeric>(y.dtype(), [&](auto tag) -> Result<void> {
    narrow_run = &narrow<typename decltype(tag)::type, Wide>;
    return {};
  }));
  Wide wide[kRun];
  for (std::int64_t begin = 0; begin < x.size(); begin += kRun) {
    const std::int64_t count = std::min(kRun, x.size() - begin);
    widen_run(x.bytes(), begin, count, wide);
    narrow_run(wide, y.mutable_bytes(), begin, count, conversion);
  }
  return {};
}

Result<void> write_strings(const Tensor& x, Tensor& y) {
  return dispatch<Numeric>(x.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    std::string* text = y.mutable_data<std::string>();
    for (const T& element : x.values<T>()) {
      if constexpr (kIsFloat<T>)
        *text = write_real(dtype_of<T>, static_cast<double>(element));
      else if constexpr (std::is_same_v<T, bool>)
        *text = element ? "True" : "False";
      else if constexpr (kIsSmallInt<T>)
        *text = fmt::to_string(static_cast<std::int64_t>(element));
      else
        *text = fmt::to_string(element);
      ++text;
    }
    return {};
  });
}

template <class T>
std::optional<T> read_number(const std::string& text, const Conversion& conversion) {
  if constexpr (std::is_same_v<T, float>) return read_real<float>(text);
  if constexpr (kIsInteger<T>) {
    using Wide = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>;
    if (const std::optional<Wide> exact = read_integer<Wide>(text)) return narrowed<T>(*exact, conversion);
  }
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "True" || text == "true") return true;
    if (text == "False" || text == "false") return false;
  }
  const std::optional<double> real = read_real<double>(text);
  if (!real) return std::nullopt;
  return narrowed<T>(*real, conversion);
}

Result<void> read_strings(const Tensor& x, Tensor& y, const Conversion& conversion) {
  return dispatch<Numeric>(y.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    T* to = y.mutable_data<T>();
    for (const std::string& text : x.values<std::string>()) {
      const std::optional<T> number = read_number<T>(text, conversion);
      if (!number) return fail(Code::bad_value, "\"{}\" is no number", text.substr(0, 40));
      *to++ = *number;
    }
    return {};
  });
}

template <class List>
constexpr std::uint32_t mask_of() {
  return []<class... Ts>(TypeList<Ts...>) { return (... | (1U << static_cast<unsigned>(dtype_of<Ts>))); }(List{});
}

}  // namespace

Result<Tensor> convert(const Tensor& x, DType to, const Conversion& conversion) {
  if (x.dtype() == to) return x;
  TRY_ASSIGN(const Tensor dense, x.to_dense());
  TRY_ASSIGN(Tensor y, Tensor::allocate(to, dense.shape()));
  const std::uint32_t from = 1U << static_cast<unsigned>(x.dtype());
  if (x.dtype() == DType::string)
    TRY(read_strings(dense, y, conversion));
  else if (to == DType::string)
    TRY(write_strings(dense, y));
  else if ((from & mask_of<Real>()) != 0)
    TRY((convert_through<Real, double>(dense, y, conversion)));
  else if ((from & mask_of<Unsigned>()) != 0)
    TRY((convert_through<Unsigned, std::uint64_t>(dense, y, conversion)));
  else
    TRY((convert_through<Signed, std::int64_t>(dense, y, conversion)));
  return y;
}

std::optional<double> only_number(const Tensor* constant) {
  if (constant == nullptr || constant->size() != 1 || constant->dtype() == DType::string) return std::nullopt;
  // Constants of a file may lie at odd addresses.
  const Result<Tensor> dense = constant->to_dense();
  const Result<Tensor> wide = dense.ok() ? convert(*dense, DType::f64) : dense;
  if (!wide.ok()) return std::nullopt;
  const double number = *wide->data<double>();
  // Integers above are not what a double says.
  constexpr double kExact = 9.0e15;
  const bool is_real = expr::is_float(constant->dtype()) || expr::is_stored(constant->dtype());
  if (number != number || (!is_real && std::fabs(number) > kExact)) return std::nullopt;
  return number;
}

}  // namespace pawl::ops
