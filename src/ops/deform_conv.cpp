// DeformConv: a convolution whose taps are moved by offsets and read the input between its elements. In double, rounded
// once.
#include <cmath>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/convolve.h"
#include "ops/families.h"

namespace pawl::ops {
namespace {

Result<void> infer_deform_conv(InferContext& context) {
  TRY(infer_convolution(context, 0, 1, 3));
  // The offsets have the spatial shape of the output.
  Type& out = context.outputs[0];
  const SymbolicShape* offset = context.shape(2);
  if (offset == nullptr || !out.shape) return {};
  for (std::size_t i = 2; i < out.shape->size(); ++i) {
    const auto extent = offset->size() == out.shape->size() ? agree_dim((*out.shape)[i], (*offset)[i]) : std::nullopt;
    if (!extent)
      return fail(Code::bad_shape, "offsets of shape {} do not fit the output, {}", to_string(*offset),
                  to_string(*out.shape));
    (*out.shape)[i] = *extent;
  }
  return {};
}

/// Value at a position between elements, linear along each axis; elements outside count as 0.
template <class T>
double sample(const T* from, const Dims& shape, const Dims& strides, const std::vector<double>& at) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] != at[i]) return at[i];
    if (!(at[i] > -1 && at[i] < static_cast<double>(shape[i]))) return 0;
  }
  double sum = 0;
  const std::size_t corners = std::size_t{1} << at.size();
  for (std::size_t corner = 0; corner < corners; ++corner) {
    double weight = 1;
    std::int64_t offset = 0;
    bool inside = true;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double low = std::floor(at[i]), part = at[i] - low;
      const bool upper = ((corner >> i) & 1) != 0;
      const std::int64_t position = static_cast<std::int64_t>(low) + (upper ? 1 : 0);
      weight *= upper ? part : 1 - part;
      inside = inside && position >= 0 && position < shape[i];
      offset += position * strides[i];
    }
    if (inside && weight != 0) sum += weight * static_cast<double>(from[offset]);
  }
  return sum;
}

struct Deformed {
  Convolution plan;
  Windows windows;
  Dims spatial, kernel, output;
  std::int64_t offset_groups = 1;
  Tensor x, w, offset, bias, mask;
};

Result<void> check_parameters(const Deformed& d) {
  const auto rank = static_cast<std::int64_t>(d.spatial.size());
  if (d.offset_groups < 1 || d.x.shape()[1] % d.offset_groups != 0)
    return fail(Code::bad_value, "offset_group is {}; it must divide the {} channels", d.offset_groups, d.x.shape()[1]);
  std::int64_t taps = d.offset_groups;
  for (const std::int64_t extent : d.kernel)
    if (__builtin_mul_overflow(taps, extent, &taps))
      return fail(Code::limit, "a kernel of shape {} is too large", to_string(d.kernel));
  Dims offsets = {d.x.shape()[0], 0}, masks = {d.x.shape()[0], taps};
  if (__builtin_mul_overflow(taps, rank, &offsets[1]))
    return fail(Code::limit, "a kernel of shape {} is too large", to_string(d.kernel));
  for (const std::int64_t extent : d.output) {
    offsets.push_back(extent);
    masks.push_back(extent);
  }
  if (d.offset.shape() != offsets)
    return fail(Code::bad_shape, "the offsets have shape {}, {} is needed", to_string(d.offset.shape()),
                to_string(offsets));
  if (d.mask.defined() && d.mask.shape() != masks)
    return fail(Code::bad_shape, "the mask has shape {}, {} is needed", to_string(d.mask.shape()), to_string(masks));
  if (d.bias.defined() && d.bias.shape() != Dims{d.w.shape()[0]})
    return fail(Code::bad_shape, "the bias of shape {} does not fit the {} filters", to_string(d.bias.shape()),
                d.w.shape()[0]);
  return {};
}

Result<Deformed> read_deformed(const EvalContext& context) {
  Deformed d;
  TRY_ASSIGN(d.x, context.dense(0));
  TRY_ASSIGN(d.w, context.dense(1));
  TRY_ASSIGN(d.offset, context.dense(2));
  if (context.has_input(3)) {
    TRY_ASSIGN(d.bias, context.dense(3));
  }
  if (context.has_input(4)) {
    TRY_ASSIGN(d.mask, context.dense(4));
  }
  TRY_ASSIGN(d.plan, plan_convolution(context.attributes, d.x.shape(), d.w.shape()));
  const std::size_t rank = d.x.shape().size() - 2;
  if (rank > 8) return fail(Code::limit, "{} spatial axes are more than 8", rank);
  d.spatial = Dims(std::span(d.x.shape().begin() + 2, rank));
  d.kernel = Dims(std::span(d.w.shape().begin() + 2, rank));
  d.output = Dims(std::span(d.plan.shape.begin() + 2, rank));
  TRY_ASSIGN(d.windows, read_windows(context.attributes, rank, d.kernel));
  d.offset_groups = context.attributes.integer("offset_group", 1);
  TRY(check_parameters(d));
  return d;
}

/// Advances a row-major index.
void advance(Dims& index, const Dims& shape) {
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i]) return;
    index[i] = 0;
  }
}

/// What each tap finds for each output in channel c of batch entry n: columns [kernel_size, output_size].
template <class T>
void read_taps(const Deformed& d, std::int64_t n, std::int64_t c, double* columns) {
  const auto rank = static_cast<std::int64_t>(d.spatial.size());
  const std::int64_t group = c / (d.x.shape()[1] / d.offset_groups), taps = d.plan.kernel_size,
                     outputs = d.plan.output_size;
  const T* from = d.x.data<T>() + (n * d.x.shape()[1] + c) * d.plan.input_size;
  const T* offset = d.offset.data<T>() + (n * d.offset_groups + group) * taps * rank * outputs;
  const T* mask = d.mask.defined() ? d.mask.data<T>() + (n * d.offset_groups + group) * taps * outputs : nullptr;
  const Dims strides = dense_strides(d.spatial);
  std::vector<double> at(d.spatial.size());
  Dims position(d.kernel.size(), 0);
  for (std::int64_t k = 0; k < taps; ++k) {
    Dims out(d.output.size(), 0);
    for (std::int64_t o = 0; o < outputs; ++o) {
      for (std::size_t i = 0; i < at.size(); ++i) {
        const auto moved = static_cast<double>(offset[(k * rank + static_cast<std::int64_t>(i)) * outputs + o]);
        at[i] = static_cast<double>(out[i] * d.windows.strides[i] - d.windows.before[i] +
                                    position[i] * d.windows.dilations[i]) +
                moved;
      }
      const double value = sample(from, d.spatial, strides, at);
      columns[k * outputs + o] = mask == nullptr ? value : value * static_cast<double>(mask[k * outputs + o]);
      advance(out, d.output);
    }
    advance(position, d.kernel);
  }
}

template <class T>
Result<void> run_deformed(const Deformed& d, T* to) {
  const Convolution& plan = d.plan;
  TRY_ASSIGN(Tensor columns, Tensor::allocate(DType::f64, {plan.kernel_size, plan.output_size}));
  TRY_ASSIGN(Tensor sums, Tensor::allocate(DType::f64, {plan.filters, plan.output_size}));
  double *column = columns.mutable_data<double>(), *sum = sums.mutable_data<double>();
  for (std::int64_t n = 0; n < plan.shape[0]; ++n) {
    for (std::int64_t g = 0; g < plan.groups; ++g) {
      std::fill_n(sum, sums.size(), 0.0);
      for (std::int64_t c = 0; c < plan.channels; ++c) {
        read_taps<T>(d, n, g * plan.channels + c, column);
        for (std::int64_t f = 0; f < plan.filters; ++f) {
          const T* w = d.w.data<T>() + plan.kernel_at(g, f, c) * plan.kernel_size;
          for (std::int64_t k = 0; k < plan.kernel_size; ++k)
            for (std::int64_t o = 0; o < plan.output_size; ++o)
              sum[f * plan.output_size + o] += static_cast<double>(w[k]) * column[k * plan.output_size + o];
        }
      }
      for (std::int64_t f = 0; f < plan.filters; ++f) {
        const double added = d.bias.defined() ? static_cast<double>(d.bias.data<T>()[g * plan.filters + f]) : 0;
        for (std::int64_t o = 0; o < plan.output_size; ++o)
          *to++ = static_cast<T>(sum[f * plan.output_size + o] + added);
      }
    }
  }
  return {};
}

Result<void> eval_deform_conv(EvalContext& context) {
  TRY_ASSIGN(const Deformed d, read_deformed(context));
  TRY_ASSIGN(Tensor out, Tensor::allocate(d.x.dtype(), d.plan.shape));
  if (out.size() > 0) {
    TRY(dispatch<Floats>(d.x.dtype(), [&](auto tag) -> Result<void> {
      using T = typename decltype(tag)::type;
      return run_deformed<T>(d, out.mutable_data<T>());
    }));
  }
  context.outputs[0] = std::move(out);
  return {};
}

constexpr OpDef kDeformConv[] = {{.name = "DeformConv",
                                  .since = {19, 22},
                                  .infer = infer_deform_conv,
                                  .eval = eval_deform_conv,
                                  .axes = kDeformConvAxes}};

}  // namespace

std::span<const OpDef> deform_conv_ops() { return kDeformConv; }

}  // namespace pawl::ops
