// LayerNormalization, RMSNormalization, InstanceNormalization, GroupNormalization: runs of elements that lie side by
// side are brought to mean 0 and variance 1. Everything is computed in double and rounded once, whatever stash_type is.
#include <cmath>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/moments.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

/// Runs of `length` elements, one after the other.
struct Runs {
  std::int64_t count = 0;
  std::int64_t length = 0;
};

/// All axes from `axis` on are one run.
Runs runs_from(const Tensor& x, std::size_t axis) {
  if (x.size() == 0) return {};
  Runs runs{.count = 1, .length = 1};
  for (std::size_t i = 0; i < x.shape().size(); ++i) (i < axis ? runs.count : runs.length) *= x.shape()[i];
  return runs;
}

/// A scale or bias seen with the shape of x; only it may be stretched.
Result<Tensor> stretched(const EvalContext& context, std::size_t i, const Dims& shape) {
  TRY_ASSIGN(const Tensor given, context.dense(i));
  const auto common = broadcast_shapes(given.shape(), shape);
  if (!common.ok() || *common != shape)
    return fail(Code::bad_shape, "a scale or bias of shape {} cannot be broadcast to {}", to_string(given.shape()),
                to_string(shape));
  return broadcast_view(given, shape);
}

/// out = normal·scale + bias, elementwise; scale and bias are views with the shape of out, the bias may be undefined.
template <class T>
void scale_and_shift(const double* normal, const Tensor& scale, const Tensor& bias, Tensor& out) {
  T* to = out.mutable_data<T>();
  const T *factor = scale.data<T>(), *term = bias.defined() ? bias.data<T>() : nullptr;
  const Dims& term_steps = bias.defined() ? bias.strides() : scale.strides();
  walk<2>(out.shape(), {&scale.strides(), &term_steps}, [&](std::int64_t i, std::int64_t j) {
    const double scaled = *normal++ * static_cast<double>(factor[i]);
    *to++ = static_cast<T>(term == nullptr ? scaled : scaled + static_cast<double>(term[j]));
  });
}

Result<void> check_stretch(const SymbolicShape* parameter, const SymbolicShape& shape) {
  if (parameter == nullptr) return {};
  bool fits = parameter->size() <= shape.size();
  for (std::size_t i = 1; fits && i <= parameter->size(); ++i) {
    const Dim& extent = (*parameter)[parameter->size() - i];
    fits = (extent.known() && extent.value == 1) || agree_dim(extent, shape[shape.size() - i]);
  }
  if (!fits)
    return fail(Code::bad_shape, "a scale or bias of shape {} cannot be broadcast to {}", to_string(*parameter),
                to_string(shape));
  return {};
}

Result<void> infer_layer(InferContext& context) {
  const std::int64_t stash = context.attributes.integer("stash_type", 1);
  for (std::size_t i = 1; i < context.outputs.size(); ++i) {
    if (!is_dtype(stash)) return fail(Code::bad_value, "stash_type is {}, which is no element type", stash);
    context.outputs[i] = Type::tensor(static_cast<DType>(stash));
  }
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", -1), shape->size()));
  TRY(check_stretch(context.shape(1), *shape));
  TRY(check_stretch(context.shape(2), *shape));
  SymbolicShape reduced = *shape;
  std::fill(reduced.begin() + static_cast<std::ptrdiff_t>(axis), reduced.end(), Dim(1));
  context.set_shape(0, *shape);
  context.set_shape(1, reduced);
  context.set_shape(2, std::move(reduced));
  return {};
}

/// A number per run as an output of the stash type.
Result<Tensor> stashed(DType dtype, const Dims& shape, std::size_t axis, const std::vector<double>& values) {
  Dims reduced = shape;
  std::fill(reduced.begin() + axis, reduced.end(), 1);
  TRY_ASSIGN(Tensor out, Tensor::allocate(dtype, reduced));
  TRY(dispatch<Floats>(dtype, [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    const auto nothing = std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t i = 0; i < out.size(); ++i)
      out.mutable_data<T>()[i] = static_cast<T>(values.empty() ? nothing : values[static_cast<std::size_t>(i)]);
    return {};
  }));
  return out;
}

Result<void> eval_layer(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", -1), x.shape().size()));
  TRY_ASSIGN(const Tensor scale, stretched(context, 1, x.shape()));
  Tensor bias;
  if (context.has_input(2)) {
    TRY_ASSIGN(bias, stretched(context, 2, x.shape()));
  }
  const double epsilon = context.attributes.real("epsilon", 1e-5F);
  const auto stash = static_cast<DType>(context.attributes.integer("stash_type", 1));
  const Runs runs = runs_from(x, axis);
  TRY_ASSIGN(Tensor normal, Tensor::allocate(DType::f64, x.shape()));
  std::vector<double> means, inverses;
  TRY(dispatch<Floats>(x.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    const T* from = x.data<T>();
    double* to = normal.mutable_data<double>();
    for (std::int64_t run = 0; run < runs.count; ++run, from += runs.length, to += runs.length) {
      const Moments found = moments(from, runs.length);
      const double deviation = std::sqrt(found.variance + epsilon);
      means.push_back(found.mean);
      inverses.push_back(1 / deviation);
      for (std::int64_t i = 0; i < runs.length; ++i) to[i] = (static_cast<double>(from[i]) - found.mean) / deviation;
    }
    TRY_ASSIGN(Tensor out, Tensor::allocate(x.dtype(), x.shape()));
    scale_and_shift<T>(normal.data<double>(), scale, bias, out);
    context.outputs[0] = std::move(out);
    return {};
  }));
  if (context.outputs.size() > 1 && context.wanted[1]) {
    TRY_ASSIGN(context.outputs[1], stashed(stash, x.shape(), axis, means));
  }
  if (context.outputs.size() > 2 && context.wanted[2]) {
    TRY_ASSIGN(context.outputs[2], stashed(stash, x.shape(), axis, inverses));
  }
  return {};
}

Result<void> infer_rms(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  TRY(resolve_axis(context.attributes.integer("axis", -1), shape->size()));
  TRY(check_stretch(context.shape(1), *shape));
  return infer_same(context);
}

/// x / sqrt(mean(x²) + epsilon) · scale, in the type of the scale.
Result<void> eval_rms(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", -1), x.shape().size()));
  TRY_ASSIGN(const Tensor scale, stretched(context, 1, x.shape()));
  const double epsilon = context.attributes.real("epsilon", 1e-5F);
  const Runs runs = runs_from(x, axis);
  TRY_ASSIGN(Tensor normal, Tensor::allocate(DType::f64, x.shape()));
  TRY(dispatch<Floats>(x.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    const T* from = x.data<T>();
    double* to = normal.mutable_data<double>();
    for (std::int64_t run = 0; run < runs.count; ++run, from += runs.length, to += runs.length) {
      double squares = 0;
      for (std::int64_t i = 0; i < runs.length; ++i)
        squares += static_cast<double>(from[i]) * static_cast<double>(from[i]);
      const double root = std::sqrt(squares / static_cast<double>(runs.length) + epsilon);
      for (std::int64_t i = 0; i < runs.length; ++i) to[i] = static_cast<double>(from[i]) / root;
    }
    return {};
  }));
  TRY_ASSIGN(Tensor out, Tensor::allocate(scale.dtype(), x.shape()));
  TRY(dispatch<Floats>(scale.dtype(), [&](auto tag) -> Result<void> {
    scale_and_shift<typename decltype(tag)::type>(normal.data<double>(), scale, Tensor(), out);
    return {};
  }));
  context.outputs[0] = std::move(out);
  return {};
}

Result<void> check_groups(std::int64_t channels, std::int64_t groups) {
  if (groups < 1 || (channels >= 0 && channels % groups != 0))
    return fail(Code::bad_value, "num_groups is {}; it must divide the {} channels", groups, channels);
  return {};
}

/// Groups of channels, `parameters` scales and biases per instance; each instance has `groups` runs.
Result<void> eval_grouped(EvalContext& context, std::int64_t groups, std::int64_t parameters) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  TRY_ASSIGN(const Tensor scale, context.dense(1));
  TRY_ASSIGN(const Tensor bias, context.dense(2));
  for (const Tensor* parameter : {&scale, &bias})
    if (parameter->shape() != Dims{parameters})
      return fail(Code::bad_shape, "a scale or bias of shape {} where [{}] is needed", to_string(parameter->shape()),
                  parameters);
  const double epsilon = context.attributes.real("epsilon", 1e-5F);
  TRY_ASSIGN(Tensor out, Tensor::allocate(x.dtype(), x.shape()));
  TRY(dispatch<Floats>(x.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    if (out.size() == 0) return {};
    const std::int64_t runs = x.shape()[0] * groups, length = x.size() / runs;
    // How many elements in a row share one scale.
    const std::int64_t shared = x.size() / (x.shape()[0] * parameters);
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    for (std::int64_t run = 0; run < runs; ++run) {
      const Moments found = moments(from + run * length, length);
      const double deviation = std::sqrt(found.variance + epsilon);
      for (std::int64_t i = run * length; i < (run + 1) * length; ++i) {
        const std::int64_t parameter = i / shared % parameters;
        const double normal = (static_cast<double>(from[i]) - found.mean) / deviation;
        to[i] = static_cast<T>(normal * static_cast<double>(scale.data<T>()[parameter]) +
                               static_cast<double>(bias.data<T>()[parameter]));
      }
    }
    return {};
  }));
  context.outputs[0] = std::move(out);
  return {};
}

Result<void> needs_channels(std::size_t rank) {
  if (rank < 2) return fail(Code::bad_shape, "an input of rank {} has no channels", rank);
  return {};
}

Result<void> infer_instance(InferContext& context) {
  if (const SymbolicShape* shape = context.shape(0)) TRY(needs_channels(shape->size()));
  return infer_same(context);
}

Result<void> eval_instance(EvalContext& context) {
  TRY(needs_channels(context.tensor(0).shape().size()));
  const std::int64_t channels = context.tensor(0).shape()[1];
  return eval_grouped(context, channels, channels);
}

Result<void> infer_group(InferContext& context) {
  if (const SymbolicShape* shape = context.shape(0)) {
    TRY(needs_channels(shape->size()));
    TRY(check_groups((*shape)[1].value, context.attributes.integer("num_groups", 1)));
  }
  return infer_same(context);
}

/// One scale per group in version 18, one per channel since 21.
Result<void> eval_group(EvalContext& context) {
  TRY(needs_channels(context.tensor(0).shape().size()));
  const std::int64_t channels = context.tensor(0).shape()[1], groups = context.attributes.integer("num_groups", 1);
  TRY(check_groups(channels, groups));
  return eval_grouped(context, groups, context.since() < 21 ? groups : channels);
}

constexpr OpDef kNormalization[] = {
    {.name = "LayerNormalization", .since = {17}, .infer = infer_layer, .eval = eval_layer, .axes = kLayerAxes},
    {.name = "RMSNormalization", .since = {23}, .infer = infer_rms, .eval = eval_rms, .axes = kLayerAxes},
    {.name = "InstanceNormalization",
     .since = {1, 6, 22},
     .infer = infer_instance,
     .eval = eval_instance,
     .axes = kInstanceAxes},
    {.name = "GroupNormalization", .since = {18, 21}, .infer = infer_group, .eval = eval_group, .axes = kRowsAxes},
};

}  // namespace

std::span<const OpDef> normalization_ops() { return kNormalization; }

}  // namespace pawl::ops
