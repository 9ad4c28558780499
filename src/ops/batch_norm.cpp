// BatchNormalization: per channel, with given statistics or with those of the batch. In double, rounded once.
#include <cmath>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/wide.h"

namespace pawl::ops {
namespace {

/// Axis 1 is the channels; a vector is a batch of one channel. Without `spatial` (versions 1 to 7) every position of an
/// instance is a channel of its own.
struct Layout {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t inner = 1;  ///< elements of one channel of one instance
};

Layout layout_of(const Tensor& x, bool spatial) {
  Layout layout;
  if (x.size() == 0) return {0, 0, 0};
  if (x.rank() == 0) return layout;
  layout.batch = x.shape()[0];
  const std::int64_t instance = x.size() / layout.batch;
  layout.channels = !spatial ? instance : x.rank() > 1 ? x.shape()[1] : 1;
  layout.inner = instance / layout.channels;
  return layout;
}

/// Whether the statistics of the batch are used: an attribute since version 14; before, whoever asks for more than one
/// output trains, unless `is_test` (versions 1 and 6) says otherwise.
bool trains(int since, const Attributes& attributes, std::size_t outputs) {
  if (since >= 14) return attributes.integer("training_mode", 0) != 0;
  return outputs > 1 && attributes.integer("is_test", 0) == 0;
}

bool is_spatial(const Attributes& attributes) { return attributes.integer("spatial", 1) != 0; }

Result<void> infer_batch_norm(InferContext& context) {
  TRY(infer_same(context));
  const SymbolicShape* x = context.shape(0);
  if (x != nullptr && is_spatial(context.attributes)) {
    const Dim channels = x->size() > 1 ? (*x)[1] : Dim(1);
    for (std::size_t i = 1; i < 5; ++i) {
      const SymbolicShape* parameter = context.shape(i);
      if (parameter != nullptr && (parameter->size() != 1 || !agree_dim((*parameter)[0], channels)))
        return fail(Code::bad_shape, "input {} of shape {} does not fit the channels of {}", i, to_string(*parameter),
                    to_string(*x));
    }
  }
  for (std::size_t i = 1; i < context.outputs.size(); ++i)
    if (const SymbolicShape* statistics = context.shape(3)) context.set_shape(i, *statistics);
  return {};
}

Result<Tensor> parameter(const EvalContext& context, std::size_t i, std::int64_t channels) {
  TRY_ASSIGN(const Tensor given, context.dense(i));
  if (given.size() != channels && context.tensor(0).size() > 0)
    return fail(Code::bad_shape, "input {} of shape {} does not fit the {} channels", i, to_string(given.shape()),
                channels);
  return as_doubles(given);
}

/// Mean and population variance of each channel over the batch and all positions.
template <class T>
void batch_statistics(const Tensor& x, const Layout& layout, double* mean, double* variance) {
  const double count = static_cast<double>(layout.batch) * static_cast<double>(layout.inner);
  const auto for_each = [&](std::int64_t channel, auto&& f) {
    for (std::int64_t n = 0; n < layout.batch; ++n) {
      const T* from = x.data<T>() + (n * layout.channels + channel) * layout.inner;
      for (std::int64_t i = 0; i < layout.inner; ++i) f(static_cast<double>(from[i]));
    }
  };
  for (std::int64_t c = 0; c < layout.channels; ++c) {
    double sum = 0, squares = 0;
    for_each(c, [&](double value) { sum += value; });
    mean[c] = sum / count;
    for_each(c, [&](double value) { squares += (value - mean[c]) * (value - mean[c]); });
    variance[c] = squares / count;
  }
}

/// running·momentum + current·(1 - momentum)
Result<Tensor> blended(const Tensor& running, const Tensor& current, double momentum, DType dtype) {
  TRY_ASSIGN(Tensor mixed, Tensor::allocate(DType::f64, running.shape()));
  for (std::int64_t i = 0; i < mixed.size(); ++i)
    mixed.mutable_data<double>()[i] = running.data<double>()[i] * momentum + current.data<double>()[i] * (1 - momentum);
  return rounded(mixed, dtype);
}

Result<void> eval_batch_norm(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  const Layout layout = layout_of(x, is_spatial(context.attributes));
  TRY_ASSIGN(const Tensor scale, parameter(context, 1, layout.channels));
  TRY_ASSIGN(const Tensor bias, parameter(context, 2, layout.channels));
  TRY_ASSIGN(const Tensor running_mean, parameter(context, 3, layout.channels));
  TRY_ASSIGN(const Tensor running_variance, parameter(context, 4, layout.channels));
  const bool training = trains(context.since(), context.attributes, context.outputs.size());
  Tensor mean = running_mean, variance = running_variance;
  TRY_ASSIGN(Tensor out, Tensor::allocate(x.dtype(), x.shape()));
  if (training) {
    TRY_ASSIGN(mean, running_mean.clone());
    TRY_ASSIGN(variance, running_variance.clone());
  }
  const double epsilon = context.attributes.real("epsilon", 1e-5F);
  TRY(dispatch<Floats>(x.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    if (training) batch_statistics<T>(x, layout, mean.mutable_data<double>(), variance.mutable_data<double>());
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    for (std::int64_t n = 0; n < layout.batch; ++n)
      for (std::int64_t c = 0; c < layout.channels; ++c) {
        const double factor = scale.data<double>()[c] / std::sqrt(variance.data<double>()[c] + epsilon);
        for (std::int64_t i = 0; i < layout.inner; ++i)
          *to++ =
              static_cast<T>((static_cast<double>(*from++) - mean.data<double>()[c]) * factor + bias.data<double>()[c]);
      }
    return {};
  }));
  context.outputs[0] = std::move(out);
  // Outputs 3 and 4 (until version 9) are the statistics of the batch themselves.
  const double momentum = training ? context.attributes.real("momentum", 0.9F) : 1;
  const DType dtype = context.tensor(3).dtype();
  for (std::size_t i = 1; i < context.outputs.size(); ++i) {
    if (!context.wanted[i]) continue;
    const Tensor &running = i % 2 == 1 ? running_mean : running_variance, &current = i % 2 == 1 ? mean : variance;
    TRY_ASSIGN(context.outputs[i], i < 3 ? blended(running, current, momentum, dtype) : rounded(current, dtype));
  }
  return {};
}

constexpr OpDef kBatchNorm[] = {
    {.name = "BatchNormalization",
     .since = {1, 6, 7, 9, 14, 15},
     .infer = infer_batch_norm,
     .eval = eval_batch_norm,
     .axes = kBatchNormAxes},
};

}  // namespace

std::span<const OpDef> batch_norm_ops() { return kBatchNorm; }

}  // namespace pawl::ops
