// DFT and STFT. In double, rounded once; of float32 in float where that is what others compute.
#include <bit>
#include <cmath>
#include <complex>
#include <optional>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/mixed_radix.h"
#include "ops/wide.h"

namespace pawl::ops {
namespace {

using Complex = std::complex<double>;

/// A length with a large prime factor, as a convolution of a length that is a power of 2.
///   Source: Bluestein 1970, the chirp z-transform.
class Chirp {
 public:
  Chirp(std::int64_t n, int sign)
      : length_(static_cast<std::int64_t>(std::bit_ceil(2 * static_cast<std::size_t>(n)))), transform_(length_, -1) {
    const std::vector<Complex> turns = roots_of_unity(2 * n, sign);
    chirp_.resize(static_cast<std::size_t>(n));
    kernel_.resize(static_cast<std::size_t>(length_));
    for (std::int64_t k = 0; k < n; ++k) {
      const auto at = static_cast<std::size_t>(k);
      chirp_[at] = turns[static_cast<std::size_t>(k * k % (2 * n))];
      kernel_[at] = kernel_[static_cast<std::size_t>((length_ - k) % length_)] = std::conj(chirp_[at]);
    }
    transform_.run(kernel_);
  }

  void run(const std::vector<Complex>& in, std::vector<Complex>& out) {
    padded_.assign(kernel_.size(), Complex(0));
    for (std::size_t k = 0; k < in.size(); ++k) padded_[k] = in[k] * chirp_[k];
    transform_.run(padded_);
    // A transform of conjugates is the conjugate of the inverse one.
    for (std::size_t i = 0; i < padded_.size(); ++i) padded_[i] = std::conj(padded_[i] * kernel_[i]);
    transform_.run(padded_);
    for (std::size_t k = 0; k < in.size(); ++k)
      out[k] = chirp_[k] * std::conj(padded_[k]) / static_cast<double>(length_);
  }

 private:
  std::int64_t length_;
  MixedRadix<double> transform_;
  std::vector<Complex> chirp_, kernel_, padded_;
};

/// Transforms of one length and direction: fill `in`, run, read `out`. An inverse one divides by the length.
///   single : in float where the length has no prime factor above 5, as the standard's test data are; else in double
class Transform {
 public:
  std::vector<Complex> in, out;

  Transform(std::int64_t n, bool backwards, bool single)
      : in(static_cast<std::size_t>(n)), out(in), is_inverse_(backwards) {
    constexpr std::int64_t kLargeFactor = 64, kSingleFactor = 5;
    const std::int64_t largest = largest_factor(n);
    const int sign = is_inverse_ ? 1 : -1;
    if (largest > kLargeFactor)
      chirp_.emplace(n, sign);
    else if (single && largest <= kSingleFactor)
      narrow_.emplace(n, sign);
    else
      wide_.emplace(n, sign);
  }

  /// `real`: the imaginary parts of `in` are 0, so those of `out` mirror each other.
  void run(bool real) {
    run_complex();
    if (!real) return;
    const std::size_t n = out.size();
    out[0].imag(0);
    if (n % 2 == 0) out[n / 2].imag(0);
    for (std::size_t k = 1; 2 * k < n; ++k) out[n - k] = std::conj(out[k]);
  }

 private:
  void run_complex() {
    if (narrow_) return run_narrow();
    if (chirp_) {
      chirp_->run(in, out);
    } else {
      out = in;
      wide_->run(out);
    }
    if (is_inverse_)
      for (Complex& x : out) x /= static_cast<double>(in.size());
  }

  void run_narrow() {
    values_.assign(in.begin(), in.end());
    narrow_->run(values_);
    const float factor = is_inverse_ ? 1.0F / static_cast<float>(in.size()) : 1.0F;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = Complex(values_[i].real() * factor, values_[i].imag() * factor);
  }

  bool is_inverse_;
  std::optional<Chirp> chirp_;
  std::optional<MixedRadix<float>> narrow_;
  std::optional<MixedRadix<double>> wide_;
  std::vector<std::complex<float>> values_;
};

// Lengths of one transform: the tables of longer ones are not worth a file's word.
constexpr std::int64_t kMaxLength = std::int64_t{1} << 24;

Result<std::int64_t> checked_length(std::int64_t length) {
  if (length < 1 || length > kMaxLength)
    return fail(Code::bad_value, "a transform of length {}; 1 to {} are allowed", length, kMaxLength);
  return length;
}

/// The axis to transform; the last one holds real and imaginary parts and is none.
Result<std::size_t> signal_axis(std::int64_t axis, std::size_t rank) {
  TRY_ASSIGN(const std::size_t resolved, resolve_axis(axis, rank));
  if (resolved + 1 == rank)
    return fail(Code::bad_shape, "axis {} of rank {} holds real and imaginary parts", axis, rank);
  return resolved;
}

bool is_onesided(const Attributes& attributes, std::int64_t otherwise) {
  return attributes.integer("onesided", otherwise) != 0;
}
bool is_inverse(const Attributes& attributes) { return attributes.integer("inverse", 0) != 0; }

/// The length when the node does not give one: that of the signal, or of the one whose upper half is left out.
std::int64_t natural_length(std::int64_t extent, const Attributes& attributes) {
  return is_inverse(attributes) && is_onesided(attributes, 0) ? 2 * (extent - 1) : extent;
}

/// Extent of the result along the axis: one-sided spectra leave out what follows from symmetry.
std::int64_t result_extent(std::int64_t length, const Attributes& attributes) {
  return !is_inverse(attributes) && is_onesided(attributes, 0) ? length / 2 + 1 : length;
}

Result<void> check_parts(const Dim& parts, std::string_view shape) {
  if (parts.known() && parts.value != 1 && parts.value != 2)
    return fail(Code::bad_shape, "the last axis of {} must hold 1 real or 2 complex parts", shape);
  return {};
}

Result<void> infer_dft(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  if (shape->size() < 2)
    return fail(Code::bad_shape, "the input of shape {} must have rank 2 at least", to_string(*shape));
  TRY(check_parts(shape->back(), to_string(*shape)));
  SymbolicShape out = *shape;
  out.back() = is_inverse(context.attributes) && is_onesided(context.attributes, 0) ? 1 : 2;
  std::int64_t axis = context.since() < 20 ? context.attributes.integer("axis", 1) : -2;
  if (context.has_input(2)) {
    TRY_ASSIGN(const auto given, constant_integers(context, 2));
    if (!given || given->size() != 1) {
      for (std::size_t i = 0; i + 1 < out.size(); ++i) out[i] = Dim();
      context.set_shape(0, std::move(out));
      return {};
    }
    axis = (*given)[0];
  }
  TRY_ASSIGN(const std::size_t at, signal_axis(axis, shape->size()));
  out[at] = Dim();
  std::optional<std::int64_t> length;
  if (context.has_input(1)) {
    TRY_ASSIGN(const auto given, constant_integers(context, 1));
    if (given && given->size() == 1) length = (*given)[0];
  } else if ((*shape)[at].known()) {
    length = natural_length((*shape)[at].value, context.attributes);
  }
  if (length) {
    TRY(checked_length(*length));
    out[at] = result_extent(*length, context.attributes);
  }
  context.set_shape(0, std::move(out));
  return {};
}

/// Part p of element i of a signal [extent, inner, parts] with imaginary parts 0 when it is real.
Complex element(const double* signal, std::int64_t i, std::int64_t inner, std::int64_t parts) {
  const double* at = signal + i * inner * parts;
  return {at[0], parts == 2 ? at[1] : 0};
}

Result<void> eval_dft(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, as_doubles(context.tensor(0)));
  const Dims& shape = x.shape();
  if (shape.size() < 2)
    return fail(Code::bad_shape, "the input of shape {} must have rank 2 at least", to_string(shape));
  TRY(check_parts(shape.back(), to_string(shape)));
  std::int64_t given_axis = context.since() < 20 ? context.attributes.integer("axis", 1) : -2;
  if (context.has_input(2)) {
    TRY_ASSIGN(given_axis, integer_scalar(context, 2, "axis"));
  }
  TRY_ASSIGN(const std::size_t axis, signal_axis(given_axis, shape.size()));
  std::int64_t length = natural_length(shape[axis], context.attributes);
  if (context.has_input(1)) {
    TRY_ASSIGN(length, integer_scalar(context, 1, "dft_length"));
  }
  TRY(checked_length(length));
  const bool mirrored = is_inverse(context.attributes) && is_onesided(context.attributes, 0);
  Dims result = shape;
  result[axis] = result_extent(length, context.attributes);
  result.back() = mirrored ? 1 : 2;
  TRY_ASSIGN(Tensor out, zero_doubles(result));
  if (out.size() > 0) {
    std::int64_t outer = 1, inner = 1;
    for (std::size_t i = 0; i + 1 < shape.size(); ++i)
      if (i != axis) (i < axis ? outer : inner) *= shape[i];
    const std::int64_t parts = shape.back(), read = std::min(shape[axis], mirrored ? length / 2 + 1 : length),
                       out_parts = result.back();
    Transform fourier(length, is_inverse(context.attributes), context.tensor(0).dtype() == DType::f32);
    for (std::int64_t i = 0; i < outer; ++i)
      for (std::int64_t j = 0; j < inner; ++j) {
        const double* signal = x.data<double>() + (i * shape[axis] * inner + j) * parts;
        std::fill(fourier.in.begin(), fourier.in.end(), Complex(0));
        for (std::int64_t k = 0; k < read; ++k) {
          fourier.in[static_cast<std::size_t>(k)] = element(signal, k, inner, parts);
          if (mirrored && k > 0 && k < length - k)
            fourier.in[static_cast<std::size_t>(length - k)] = std::conj(element(signal, k, inner, parts));
        }
        fourier.run(parts == 1);
        const std::vector<Complex>& spectrum = fourier.out;
        double* to = out.mutable_data<double>() + (i * result[axis] * inner + j) * out_parts;
        for (std::int64_t k = 0; k < result[axis]; ++k) {
          to[k * inner * out_parts] = spectrum[static_cast<std::size_t>(k)].real();
          if (out_parts == 2) to[k * inner * out_parts + 1] = spectrum[static_cast<std::size_t>(k)].imag();
        }
      }
  }
  TRY_ASSIGN(context.outputs[0], rounded(out, context.tensor(0).dtype()));
  return {};
}

Result<std::int64_t> frame_count(std::int64_t signal, std::int64_t frame, std::int64_t step) {
  if (step < 1) return fail(Code::bad_value, "frame_step is {}; 1 is the least allowed", step);
  if (frame > signal) return fail(Code::bad_shape, "a frame of {} does not fit into a signal of {}", frame, signal);
  return (signal - frame) / step + 1;
}

Result<void> infer_stft(InferContext& context) {
  const SymbolicShape* signal = context.shape(0);
  if (signal == nullptr) return {};
  if (signal->size() != 3 && signal->size() != 2)
    return fail(Code::bad_shape, "the signal of shape {} must have rank 3", to_string(*signal));
  SymbolicShape out = {(*signal)[0], Dim(), Dim(), Dim(2)};
  TRY_ASSIGN(const auto step, constant_integers(context, 1));
  TRY_ASSIGN(const auto given, constant_integers(context, 3));
  std::optional<std::int64_t> frame;
  const SymbolicShape* window = context.shape(2);
  if (given && given->size() == 1)
    frame = (*given)[0];
  else if (!context.has_input(3) && window != nullptr && window->size() == 1 && (*window)[0].known())
    frame = (*window)[0].value;
  if (frame) {
    TRY(checked_length(*frame));
    out[2] = is_onesided(context.attributes, 1) ? *frame / 2 + 1 : *frame;
    if (step && step->size() == 1 && (*signal)[1].known()) {
      TRY_ASSIGN(out[1], frame_count((*signal)[1].value, *frame, (*step)[0]));
    }
  }
  context.set_shape(0, std::move(out));
  return {};
}

/// Frames of the signal, `frame_step` apart, each weighted by the window and transformed.
Result<void> eval_stft(EvalContext& context) {
  TRY_ASSIGN(Tensor signal, as_doubles(context.tensor(0)));
  // A real signal may come without its last axis.
  if (signal.rank() == 2) signal = signal.reshaped({signal.shape()[0], signal.shape()[1], 1});
  if (signal.rank() != 3)
    return fail(Code::bad_shape, "the signal of shape {} must have rank 3", to_string(signal.shape()));
  TRY(check_parts(signal.shape()[2], to_string(signal.shape())));
  TRY_ASSIGN(const std::int64_t step, integer_scalar(context, 1, "frame_step"));
  Tensor window;
  std::int64_t frame = signal.shape()[1];
  if (context.has_input(2)) {
    TRY_ASSIGN(window, as_doubles(context.tensor(2)));
    if (window.rank() != 1)
      return fail(Code::bad_shape, "the window of shape {} must have rank 1", to_string(window.shape()));
    frame = window.size();
  }
  if (context.has_input(3)) {
    TRY_ASSIGN(frame, integer_scalar(context, 3, "frame_length"));
    if (window.defined() && window.size() != frame)
      return fail(Code::bad_shape, "a window of {} for frames of {}", window.size(), frame);
  }
  TRY(checked_length(frame));
  const std::int64_t batch = signal.shape()[0], length = signal.shape()[1], parts = signal.shape()[2];
  TRY_ASSIGN(const std::int64_t frames, frame_count(length, frame, step));
  const std::int64_t bins = is_onesided(context.attributes, 1) ? frame / 2 + 1 : frame;
  TRY_ASSIGN(Tensor out, zero_doubles({batch, frames, bins, 2}));
  Transform fourier(frame, false, context.tensor(0).dtype() == DType::f32);
  double* to = out.mutable_data<double>();
  for (std::int64_t n = 0; n < batch; ++n)
    for (std::int64_t f = 0; f < frames; ++f) {
      const double* from = signal.data<double>() + (n * length + f * step) * parts;
      for (std::int64_t i = 0; i < frame; ++i)
        fourier.in[static_cast<std::size_t>(i)] =
            element(from, i, 1, parts) * (window.defined() ? window.data<double>()[i] : 1.0);
      fourier.run(parts == 1);
      const std::vector<Complex>& spectrum = fourier.out;
      for (std::int64_t k = 0; k < bins; ++k) {
        *to++ = spectrum[static_cast<std::size_t>(k)].real();
        *to++ = spectrum[static_cast<std::size_t>(k)].imag();
      }
    }
  TRY_ASSIGN(context.outputs[0], rounded(out, context.tensor(0).dtype()));
  return {};
}

constexpr OpDef kFourier[] = {
    {.name = "DFT", .since = {17, 20}, .infer = infer_dft, .eval = eval_dft, .axes = kFourierAxes},
    {.name = "STFT", .since = {17}, .infer = infer_stft, .eval = eval_stft, .axes = kRowsAxes},
};

}  // namespace

std::span<const OpDef> fourier_ops() { return kFourier; }

}  // namespace pawl::ops
