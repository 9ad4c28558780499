// LpNormalization, MeanVarianceNormalization, LRN: normalization along chosen axes. In double, rounded once.
#include <cmath>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

Result<void> check_p(const Attributes& attributes) {
  const std::int64_t p = attributes.integer("p", 2);
  if (p != 1 && p != 2) return fail(Code::bad_value, "p is {}; 1 and 2 are allowed", p);
  return {};
}

Result<void> infer_lp(InferContext& context) {
  TRY(check_p(context.attributes));
  if (const SymbolicShape* shape = context.shape(0))
    TRY(resolve_axis(context.attributes.integer("axis", -1), shape->size()));
  return infer_same(context);
}

/// x over its norm along one axis; 0 where the norm is 0.
template <class T>
void divide_by_norm(const T* from, T* to, std::int64_t length, std::int64_t step, bool squares) {
  double norm = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    const auto x = static_cast<double>(from[i * step]);
    norm += squares ? x * x : std::fabs(x);
  }
  if (squares) norm = std::sqrt(norm);
  for (std::int64_t i = 0; i < length; ++i)
    to[i * step] = static_cast<T>(norm == 0 ? 0.0 : static_cast<double>(from[i * step]) / norm);
}

Result<void> eval_lp(EvalContext& context) {
  TRY(check_p(context.attributes));
  TRY_ASSIGN(const Tensor x, context.dense(0));
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", -1), x.shape().size()));
  TRY_ASSIGN(Tensor out, Tensor::allocate(x.dtype(), x.shape()));
  const bool squares = context.attributes.integer("p", 2) == 2;
  TRY(dispatch<Floats>(x.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    if (x.size() == 0) return {};
    // Not the stride: along an axis of 1 that may be anything.
    std::int64_t inner = 1;
    for (std::size_t i = axis + 1; i < x.shape().size(); ++i) inner *= x.shape()[i];
    const std::int64_t length = x.shape()[axis], outer = x.size() / (length * inner);
    for (std::int64_t i = 0; i < outer; ++i)
      for (std::int64_t j = 0; j < inner; ++j) {
        const std::int64_t first = i * length * inner + j;
        divide_by_norm(x.data<T>() + first, out.mutable_data<T>() + first, length, inner, squares);
      }
    return {};
  }));
  context.outputs[0] = std::move(out);
  return {};
}

Result<std::vector<bool>> mvn_axes(const Attributes& attributes, std::size_t rank) {
  constexpr std::int64_t kDefault[] = {0, 2, 3};
  return mark_axes(attributes.has("axes") ? attributes.integers("axes") : std::span<const std::int64_t>(kDefault),
                   rank);
}

Result<void> infer_mvn(InferContext& context) {
  if (const SymbolicShape* shape = context.shape(0)) TRY(mvn_axes(context.attributes, shape->size()));
  return infer_same(context);
}

/// (x - mean) / (deviation + 1e-9), with mean and deviation over the given axes.
Result<void> eval_mvn(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  TRY_ASSIGN(const auto reduced, mvn_axes(context.attributes, x.shape().size()));
  Dims kept = x.shape();
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (reduced[i]) kept[i] = 1;
  TRY_ASSIGN(Tensor means, Tensor::allocate(DType::f64, kept));
  TRY_ASSIGN(Tensor squares, Tensor::allocate(DType::f64, kept));
  TRY_ASSIGN(Tensor out, Tensor::allocate(x.dtype(), x.shape()));
  Dims steps = means.strides();
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (reduced[i]) steps[i] = 0;
  double *mean = means.mutable_data<double>(), *square = squares.mutable_data<double>();
  std::fill_n(mean, means.size(), 0.0);
  std::fill_n(square, squares.size(), 0.0);
  TRY(dispatch<Floats>(x.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    if (x.size() == 0) return {};
    const double count = static_cast<double>(x.size()) / static_cast<double>(means.size());
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    const std::array both = {&x.strides(), static_cast<const Dims*>(&steps)};
    walk<2>(x.shape(), both, [&](std::int64_t i, std::int64_t j) { mean[j] += static_cast<double>(from[i]) / count; });
    walk<2>(x.shape(), both, [&](std::int64_t i, std::int64_t j) {
      const double deviation = static_cast<double>(from[i]) - mean[j];
      square[j] += deviation * deviation;
    });
    walk<2>(x.shape(), both, [&](std::int64_t i, std::int64_t j) {
      to[i] = static_cast<T>((static_cast<double>(from[i]) - mean[j]) / (std::sqrt(square[j] / count) + 1e-9));
    });
    return {};
  }));
  context.outputs[0] = std::move(out);
  return {};
}

Result<void> check_lrn(std::size_t rank, const Attributes& attributes) {
  if (rank < 2) return fail(Code::bad_shape, "an input of rank {} has no channels", rank);
  const std::int64_t size = attributes.integer("size", 0);
  if (size < 1) return fail(Code::bad_value, "size is {}; 1 is the least allowed", size);
  return {};
}

Result<void> infer_lrn(InferContext& context) {
  if (const SymbolicShape* shape = context.shape(0)) TRY(check_lrn(shape->size(), context.attributes));
  return infer_same(context);
}

/// x / (bias + alpha/size · sum of the squares of the channels around)^beta
Result<void> eval_lrn(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  TRY(check_lrn(x.shape().size(), context.attributes));
  const std::int64_t size = context.attributes.integer("size", 1);
  const double alpha = context.attributes.real("alpha", 1e-4F), beta = context.attributes.real("beta", 0.75F);
  const double bias = context.attributes.real("bias", 1);
  TRY_ASSIGN(Tensor out, Tensor::allocate(x.dtype(), x.shape()));
  TRY(dispatch<Floats>(x.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    if (x.size() == 0) return {};
    const std::int64_t batch = x.shape()[0], channels = x.shape()[1], inner = x.size() / (batch * channels);
    for (std::int64_t n = 0; n < batch; ++n)
      for (std::int64_t c = 0; c < channels; ++c) {
        const std::int64_t first = std::max<std::int64_t>(c - (size - 1) / 2, 0);
        const std::int64_t last = std::min(c + std::min(size / 2, channels), channels - 1);
        const T* from = x.data<T>() + n * channels * inner;
        T* to = out.mutable_data<T>() + (n * channels + c) * inner;
        for (std::int64_t i = 0; i < inner; ++i) {
          double sum = 0;
          for (std::int64_t k = first; k <= last; ++k)
            sum += static_cast<double>(from[k * inner + i]) * static_cast<double>(from[k * inner + i]);
          const auto value = static_cast<double>(from[c * inner + i]);
          to[i] = static_cast<T>(value / std::pow(bias + alpha / static_cast<double>(size) * sum, beta));
        }
      }
    return {};
  }));
  context.outputs[0] = std::move(out);
  return {};
}

constexpr OpDef kAxisNorm[] = {
    {.name = "LpNormalization", .since = {1, 22}, .infer = infer_lp, .eval = eval_lp, .axes = kAlongAxes},
    {.name = "MeanVarianceNormalization",
     .since = {9, 13},
     .infer = infer_mvn,
     .eval = eval_mvn,
     .axes = kMeanVarianceAxes},
    {.name = "LRN", .since = {1, 13}, .infer = infer_lrn, .eval = eval_lrn, .axes = kAroundChannelsAxes},
};

}  // namespace

std::span<const OpDef> axis_norm_ops() { return kAxisNorm; }

}  // namespace pawl::ops
