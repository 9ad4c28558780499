// Conv, ConvTranspose, MaxPool and AveragePool as primitives of oneDNN.
#include <algorithm>
#include <limits>

#include "backend/cpu/dnnl_library.h"
#include "backend/cpu/dnnl_operators.h"
#include "base/try.h"
#include "ops/window.h"
#include "tensor/walk.h"

namespace pawl::cpu {
namespace {

using ops::EvalContext;

/// Strides, dilations and paddings of windows in oneDNN's terms; the padding behind is what the last window reaches.
struct Axes {
  Dims strides, dilates, before, after, kernel;
  std::int64_t volume = 1;     ///< elements of a window
  bool within_padding = true;  ///< no window reaches beyond the padding that was asked for

  bool add(const ops::WindowAxis& axis) {
    const std::int64_t reach =
        (axis.windows - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - axis.extent - axis.before;
    strides.push_back(axis.stride);
    dilates.push_back(axis.dilation - 1);
    before.push_back(axis.before);
    after.push_back(std::max<std::int64_t>(reach, 0));
    kernel.push_back(axis.kernel);
    volume *= axis.kernel;
    within_padding = within_padding && reach <= axis.after;
    // Negative padding, and numbers that oneDNN's own 32-bit fields may not hold.
    constexpr std::int64_t kMost = 1 << 24;
    return axis.before >= 0 && axis.kernel >= 1 && axis.windows >= 1 &&
           std::max({axis.stride, axis.dilation, axis.kernel, axis.before, reach}) < kMost;
  }
};

/// A bias of the right shape, or none.
bool read_bias(const EvalContext& context, std::int64_t filters, Tensor& bias) {
  if (!context.has_input(2)) return true;
  const Result<Tensor> dense = context.dense(2);
  if (!dense.ok() || dense->dtype() != DType::f32 || dense->shape() != Dims{filters}) return false;
  bias = *dense;
  return true;
}

/// Shapes of a Conv or ConvTranspose, with groups as an axis of the weights.
struct Filters {
  Dims shape;  ///< [G, M/G, C/G, …]
  Dims strides;
  std::int64_t filters = 0;  ///< M
};

bool read_filters(const Dims& x, const Dims& w, std::int64_t groups, bool transposed, Filters& filters) {
  if (groups < 1 || x.size() != w.size() || x.size() < 3 || x.size() > 5) return false;
  const std::int64_t leading = w[0], inner = w[1];
  if (leading % groups != 0 || (transposed ? leading : inner * groups) != x[1]) return false;
  const Dims dense = dense_strides(w);
  filters.filters = transposed ? inner * groups : leading;
  filters.shape = {groups, transposed ? inner : leading / groups, transposed ? leading / groups : inner};
  filters.strides = {leading / groups * dense[0], transposed ? dense[1] : dense[0], transposed ? dense[0] : dense[1]};
  for (std::size_t i = 2; i < w.size(); ++i) {
    filters.shape.push_back(w[i]);
    filters.strides.push_back(dense[i]);
  }
  return true;
}

template <bool Transposed>
Result<bool> convolve(EvalContext& context, const Policy& policy) {
  if (context.tensor(1).dtype() != DType::f32) return false;
  const Dims &x_shape = context.tensor(0).shape(), &w_shape = context.tensor(1).shape();
  Filters filters;
  if (!read_filters(x_shape, w_shape, context.attributes.integer("group", 1), Transposed, filters)) return false;
  const std::size_t rank = x_shape.size() - 2;
  const Dims kernel(std::span(w_shape.begin() + 2, rank));
  Axes axes;
  Dims shape = {x_shape[0], filters.filters};
  for (std::size_t i = 0; i < rank; ++i) {
    ops::WindowAxis axis;
    if constexpr (Transposed) {
      const auto spread = ops::read_spread(context.attributes, rank, kernel);
      const auto placed = spread.ok() ? spread->place(i, x_shape[i + 2]) : Result<ops::WindowAxis>(spread.error());
      if (!placed.ok()) return false;
      axis = *placed;
      shape.push_back(axis.extent);
    } else {
      const auto windows = ops::read_windows(context.attributes, rank, kernel);
      const auto placed = windows.ok() ? windows->place(i, x_shape[i + 2]) : Result<ops::WindowAxis>(windows.error());
      if (!placed.ok()) return false;
      axis = *placed;
      shape.push_back(axis.windows);
    }
    if (!axes.add(axis)) return false;
  }
  Tensor bias;
  const std::int64_t positions = checked_size(Transposed ? x_shape : shape).value_or(0),
                     others = filters.shape[Transposed ? 1 : 2];
  if (!reaches(policy.filtered, {positions, others, axes.volume}) || !read_bias(context, filters.filters, bias))
    return false;
  const DnnlLibrary* library = DnnlLibrary::get();
  if (library == nullptr) return false;
  const ThreadLimit limit(*library, policy.threads == 1 || !reaches(policy.threaded, {positions, others, axes.volume}));
  TRY_ASSIGN(const Tensor x, context.dense(0));
  TRY_ASSIGN(const Tensor w, context.dense(1));
  TRY_ASSIGN(Tensor out, Tensor::allocate(DType::f32, shape));
  if (out.size() == 0 || x.size() == 0) return false;

  std::vector<DnnlArgument> arguments = {
      {DNNL_ARG_SRC, dnnl_query_src_md, {}, const_cast<float*>(x.data<float>())},
      {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, {}, const_cast<float*>(w.data<float>())},
      {DNNL_ARG_DST, dnnl_query_dst_md, {}, out.mutable_data<float>(), true}};
  dnnl_memory_desc_t any_x, any_w, any_y, plain_bias;
  const auto dims = [](const Dims& d) { return std::span(d.begin(), d.size()); };
  bool described = describe(*library, dims(x.shape()), {}, arguments[0].plain) &&
                   describe(*library, dims(filters.shape), dims(filters.strides), arguments[1].plain) &&
                   describe(*library, dims(shape), {}, arguments[2].plain) &&
                   describe_any(*library, dims(x.shape()), any_x) &&
                   describe_any(*library, dims(filters.shape), any_w) && describe_any(*library, dims(shape), any_y);
  if (bias.defined()) {
    described = described && describe(*library, dims(bias.shape()), {}, plain_bias);
    // The bias is the second of the weights, and always plain.
    arguments.push_back(
        {DNNL_ARG_BIAS, dnnl_query_weights_md, plain_bias, const_cast<float*>(bias.data<float>()), false, 1});
  }
  if (!described) return false;
  const dnnl_memory_desc_t* added = bias.defined() ? &plain_bias : nullptr;
  // Direct algorithms: Winograd's trades accuracy.
  if constexpr (Transposed) {
    dnnl_deconvolution_desc_t operation;
    if (library->dilated_deconvolution_forward_desc_init(
            &operation, dnnl_forward_inference, dnnl_deconvolution_direct, &any_x, &any_w, added, &any_y,
            axes.strides.begin(), axes.dilates.begin(), axes.before.begin(), axes.after.begin()) != dnnl_success)
      return false;
    TRY_ASSIGN(const bool done, run_primitive(*library, &operation, arguments));
    if (!done) return false;
  } else {
    dnnl_convolution_desc_t operation;
    if (library->dilated_convolution_forward_desc_init(
            &operation, dnnl_forward_inference, dnnl_convolution_direct, &any_x, &any_w, added, &any_y,
            axes.strides.begin(), axes.dilates.begin(), axes.before.begin(), axes.after.begin()) != dnnl_success)
      return false;
    TRY_ASSIGN(const bool done, run_primitive(*library, &operation, arguments));
    if (!done) return false;
  }
  context.outputs[0] = std::move(out);
  return true;
}

/// The largest of nothing, and of NaN, are not what oneDNN takes them for.
bool all_above_lowest(const Tensor& x) {
  const float* from = x.data<float>();
  bool above = true;
  for (std::int64_t i = 0; i < x.size(); ++i) above = above && from[i] >= std::numeric_limits<float>::lowest();
  return above;
}

template <bool Max>
Result<bool> pool(EvalContext& context, const Policy& policy) {
  if (context.outputs.size() > 1 && context.wanted[1]) return false;
  const Dims& x_shape = context.tensor(0).shape();
  const std::size_t rank = x_shape.size() - std::min<std::size_t>(2, x_shape.size());
  if (rank < 1 || rank > 3 || context.attributes.integers("kernel_shape").empty()) return false;
  const auto windows = ops::read_windows(context.attributes, rank);
  if (!windows.ok()) return false;
  const bool ceil = context.attributes.integer("ceil_mode", 0) != 0;
  const ops::Rounding rounding = !ceil                   ? ops::Rounding::floor
                                 : context.since() >= 22 ? ops::Rounding::ceil_clipped
                                                         : ops::Rounding::ceil;
  Axes axes;
  Dims shape = {x_shape[0], x_shape[1]};
  for (std::size_t i = 0; i < rank; ++i) {
    const auto axis = windows->place(i, x_shape[i + 2], rounding);
    if (!axis.ok() || !axes.add(*axis)) return false;
    // A window of nothing but padding.
    if (axis->before >= axis->kernel || axes.after.back() >= axis->kernel || axis->dilation != 1) return false;
    shape.push_back(axis->windows);
  }
  const bool with_padding = context.attributes.integer("count_include_pad", 0) != 0;
  const std::optional<std::int64_t> results = checked_size(shape);
  if ((with_padding && !axes.within_padding) || !results || !reaches(policy.elements, {*results, axes.volume}))
    return false;
  const DnnlLibrary* library = DnnlLibrary::get();
  if (library == nullptr) return false;
  const ThreadLimit limit(*library, policy.threads == 1 || !reaches(policy.threaded, {*results, axes.volume}));
  TRY_ASSIGN(const Tensor x, context.dense(0));
  if (Max && !all_above_lowest(x)) return false;
  TRY_ASSIGN(Tensor out, Tensor::allocate(DType::f32, shape));
  DnnlArgument arguments[] = {{DNNL_ARG_SRC, dnnl_query_src_md, {}, const_cast<float*>(x.data<float>())},
                              {DNNL_ARG_DST, dnnl_query_dst_md, {}, out.mutable_data<float>(), true}};
  const auto dims = [](const Dims& d) { return std::span(d.begin(), d.size()); };
  if (!describe(*library, dims(x.shape()), {}, arguments[0].plain) ||
      !describe(*library, dims(shape), {}, arguments[1].plain))
    return false;
  const dnnl_alg_kind_t kind = Max            ? dnnl_pooling_max
                               : with_padding ? dnnl_pooling_avg_include_padding
                                              : dnnl_pooling_avg_exclude_padding;
  dnnl_pooling_v2_desc_t operation;
  if (library->pooling_v2_forward_desc_init(
          &operation, dnnl_forward_inference, kind, &arguments[0].plain, &arguments[1].plain, axes.strides.begin(),
          axes.kernel.begin(), axes.dilates.begin(), axes.before.begin(), axes.after.begin()) != dnnl_success)
    return false;
  TRY_ASSIGN(const bool done, run_primitive(*library, &operation, arguments));
  if (done) context.outputs[0] = std::move(out);
  return done;
}

}  // namespace

Result<bool> accelerate_conv(EvalContext& context, const Policy& policy) { return convolve<false>(context, policy); }
Result<bool> accelerate_conv_transpose(EvalContext& context, const Policy& policy) {
  return convolve<true>(context, policy);
}
Result<bool> accelerate_max_pool(EvalContext& context, const Policy& policy) { return pool<true>(context, policy); }
Result<bool> accelerate_average_pool(EvalContext& context, const Policy& policy) {
  return pool<false>(context, policy);
}

}  // namespace pawl::cpu
