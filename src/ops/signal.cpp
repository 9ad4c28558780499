// HannWindow, HammingWindow, BlackmanWindow, MelWeightMatrix: tables for the analysis of signals. Det: determinants.
#include <cmath>
#include <numbers>

#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/wide.h"

namespace pawl::ops {
namespace {

using Numbers = Join<Floats, Integers>;

/// The element type that output_datatype names; float when it is absent.
Result<DType> output_type(const Attributes& attributes) {
  const std::int64_t number = attributes.integer("output_datatype", static_cast<std::int64_t>(DType::f32));
  const auto dtype = static_cast<DType>(is_dtype(number) ? number : 0);
  TRY(dispatch<Numbers>(dtype, [](auto) -> Result<void> { return {}; }));
  return dtype;
}

/// Doubles as any number type; integers are truncated.
Result<Tensor> converted(const Tensor& doubles, DType dtype) {
  TRY_ASSIGN(Tensor out, Tensor::allocate(dtype, doubles.shape()));
  TRY(dispatch<Numbers>(dtype, [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    for (std::int64_t i = 0; i < out.size(); ++i) {
      const double x = doubles.data<double>()[i];
      if constexpr (kIsFloat<T>)
        out.mutable_data<T>()[i] = static_cast<T>(x);
      else
        out.mutable_data<T>()[i] = truncate_to<T>(x);
    }
    return {};
  }));
  return out;
}

Result<std::int64_t> checked_extent(std::int64_t extent, std::string_view what) {
  if (extent < 0) return fail(Code::bad_value, "{} is {}; it must not be negative", what, extent);
  return extent;
}

Result<void> infer_window(InferContext& context) {
  TRY_ASSIGN(const DType dtype, output_type(context.attributes));
  context.outputs[0] = Type::tensor(dtype, SymbolicShape(1));
  TRY_ASSIGN(const auto size, constant_integers(context, 0));
  if (!size || size->size() != 1) return {};
  TRY_ASSIGN(const std::int64_t extent, checked_extent((*size)[0], "size"));
  context.set_shape(0, {Dim(extent)});
  return {};
}

/// Coefficients of w[n] = a0 - a1·cos(2πn/N) + a2·cos(4πn/N).
struct Cosines {
  double a0, a1, a2;
};
constexpr Cosines kHann{0.5, 0.5, 0}, kHamming{25.0 / 46.0, 1 - 25.0 / 46.0, 0}, kBlackman{0.42, 0.5, 0.08};

/// N is the size of a periodic window, and one less for a symmetric one.
template <const Cosines& kCosines>
Result<void> eval_window(EvalContext& context) {
  TRY_ASSIGN(const DType dtype, output_type(context.attributes));
  TRY_ASSIGN(const std::int64_t given, integer_scalar(context, 0, "size"));
  TRY_ASSIGN(const std::int64_t size, checked_extent(given, "size"));
  TRY_ASSIGN(Tensor window, zero_doubles({size}));
  const double period = static_cast<double>(context.attributes.integer("periodic", 1) != 0 ? size : size - 1);
  for (std::int64_t n = 0; n < size; ++n) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(n) / period;
    window.mutable_data<double>()[n] = kCosines.a0 - kCosines.a1 * std::cos(angle) + kCosines.a2 * std::cos(2 * angle);
  }
  TRY_ASSIGN(context.outputs[0], converted(window, dtype));
  return {};
}

Result<void> infer_mel(InferContext& context) {
  TRY_ASSIGN(const DType dtype, output_type(context.attributes));
  context.outputs[0] = Type::tensor(dtype, SymbolicShape(2));
  TRY_ASSIGN(const auto bins, constant_integers(context, 0));
  TRY_ASSIGN(const auto length, constant_integers(context, 1));
  SymbolicShape out(2);
  if (length && length->size() == 1 && (*length)[0] >= 0) out[0] = (*length)[0] / 2 + 1;
  if (bins && bins->size() == 1 && (*bins)[0] >= 0) out[1] = (*bins)[0];
  context.set_shape(0, std::move(out));
  return {};
}

Result<double> real_scalar(const EvalContext& context, std::size_t i, std::string_view what) {
  TRY_ASSIGN(const Tensor number, as_doubles(context.tensor(i)));
  if (number.size() != 1)
    return fail(Code::bad_shape, "{} must be one number, and has shape {}", what, to_string(number.shape()));
  return *number.data<double>();
}

/// The spectrogram bins where the triangles begin, peak and end: bins + 2 of them, evenly spaced in mel.
Result<std::vector<std::int64_t>> mel_edges(std::int64_t bins, std::int64_t length, std::int64_t rate, double lower,
                                            double upper) {
  const auto to_mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = to_mel(lower), step = (to_mel(upper) - low) / static_cast<double>(bins + 2);
  std::vector<std::int64_t> edges;
  for (std::int64_t i = 0; i < bins + 2; ++i) {
    const double hertz = 700 * (std::pow(10.0, (static_cast<double>(i) * step + low) / 2595) - 1);
    const double bin = std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
    if (!(bin >= 0 && bin <= static_cast<double>(length / 2)))
      return fail(Code::bad_value, "{} hertz lie outside of the spectrum of {} samples at {} hertz", hertz, length,
                  rate);
    edges.push_back(static_cast<std::int64_t>(bin));
  }
  return edges;
}

Result<void> eval_mel(EvalContext& context) {
  TRY_ASSIGN(const DType dtype, output_type(context.attributes));
  TRY_ASSIGN(const std::int64_t bins, integer_scalar(context, 0, "num_mel_bins"));
  TRY_ASSIGN(const std::int64_t length, integer_scalar(context, 1, "dft_length"));
  TRY_ASSIGN(const std::int64_t rate, integer_scalar(context, 2, "sample_rate"));
  TRY_ASSIGN(const double lower, real_scalar(context, 3, "lower_edge_hertz"));
  TRY_ASSIGN(const double upper, real_scalar(context, 4, "upper_edge_hertz"));
  TRY(checked_extent(bins, "num_mel_bins"));
  TRY(checked_extent(length, "dft_length"));
  if (rate < 1) return fail(Code::bad_value, "sample_rate is {}; 1 is the least allowed", rate);
  TRY_ASSIGN(Tensor matrix, zero_doubles({length / 2 + 1, bins}));
  TRY_ASSIGN(const auto edges, mel_edges(bins, length, rate, lower, upper));
  double* to = matrix.mutable_data<double>();
  for (std::int64_t i = 0; i < bins; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t first = edges[at], peak = edges[at + 1], last = edges[at + 2];
    if (first == peak) to[peak * bins + i] = 1;
    for (std::int64_t j = first; j <= peak && first < peak; ++j)
      to[j * bins + i] = static_cast<double>(j - first) / static_cast<double>(peak - first);
    for (std::int64_t j = peak; j < last; ++j)
      to[j * bins + i] = static_cast<double>(last - j) / static_cast<double>(last - peak);
  }
  TRY_ASSIGN(context.outputs[0], converted(matrix, dtype));
  return {};
}

Result<void> check_square(bool square, std::string_view shape) {
  if (!square) return fail(Code::bad_shape, "shape {} does not end in square matrices", shape);
  return {};
}

Result<void> infer_det(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  const std::size_t rank = shape->size();
  const bool known = rank >= 2 && (*shape)[rank - 2].known() && shape->back().known();
  TRY(check_square(rank >= 2 && (!known || (*shape)[rank - 2].value == shape->back().value), to_string(*shape)));
  context.set_shape(0, SymbolicShape(shape->begin(), shape->end() - 2));
  return {};
}

/// By elimination with row exchanges; `a` [n, n] is used up.
double determinant(double* a, std::int64_t n) {
  double product = 1;
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      product = -product;
    }
    product *= a[k * n + k];
    if (a[k * n + k] == 0) return product;
    for (std::int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (std::int64_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return product;
}

Result<void> eval_det(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, as_doubles(context.tensor(0)));
  const Dims& shape = x.shape();
  const std::size_t rank = shape.size();
  TRY(check_square(rank >= 2 && shape[rank - 2] == shape[rank - 1], to_string(shape)));
  TRY_ASSIGN(Tensor copy, x.clone());
  TRY_ASSIGN(Tensor out, zero_doubles(Dims(std::span(shape.begin(), rank - 2))));
  const std::int64_t n = shape[rank - 1];
  for (std::int64_t i = 0; i < out.size(); ++i)
    out.mutable_data<double>()[i] = determinant(copy.mutable_data<double>() + i * n * n, n);
  TRY_ASSIGN(context.outputs[0], rounded(out, context.tensor(0).dtype()));
  return {};
}

constexpr OpDef kSignal[] = {
    {.name = "HannWindow", .since = {17}, .infer = infer_window, .eval = eval_window<kHann>, .axes = kOpaqueAxes},
    {.name = "HammingWindow", .since = {17}, .infer = infer_window, .eval = eval_window<kHamming>, .axes = kOpaqueAxes},
    {.name = "BlackmanWindow",
     .since = {17},
     .infer = infer_window,
     .eval = eval_window<kBlackman>,
     .axes = kOpaqueAxes},
    {.name = "MelWeightMatrix", .since = {17}, .infer = infer_mel, .eval = eval_mel, .axes = kOpaqueAxes},
    {.name = "Det", .since = {11, 22}, .infer = infer_det, .eval = eval_det, .axes = kMatricesAxes},
};

}  // namespace

std::span<const OpDef> signal_ops() { return kSignal; }

}  // namespace pawl::ops
