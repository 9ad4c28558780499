// MatMulInteger, QLinearMatMul, ConvInteger, QLinearConv: products of quantized tensors. Sums are exact; a result is
// scaled once, in double, rounded to the nearest (ties to even) and saturated. What pads an input is its zero point.
#include <cmath>
#include <cstring>

#include "ops/axis_rules.h"
#include "ops/convolve.h"
#include "ops/families.h"
#include "ops/matmul.h"
#include "ops/multiply.h"

namespace pawl::ops {
namespace {

using Quantized = TypeList<std::int8_t, std::uint8_t, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ>;

/// A scale or zero point, as doubles, seen with the shape that it belongs to. One with a single element holds for the
/// whole tensor; a vector runs along the axis that many from the end (1: the last); more axes are those of `shape`,
/// or 1.
Result<Tensor> spread(const Tensor* parameter, const Dims& shape, std::size_t axis_from_end) {
  if (parameter == nullptr) return broadcast_view(Tensor::scalar(0.0), shape);
  TRY_ASSIGN(Tensor view, as_doubles(*parameter));
  if (view.size() == 1) {
    view = view.view({}, {});
  } else if (view.rank() == 1) {
    Dims column(axis_from_end, 1), step(axis_from_end, 0);
    column[0] = view.shape()[0];
    step[0] = 1;
    view = view.view(column, step);
  }
  const auto common = broadcast_shapes(view.shape(), shape);
  if (!common.ok() || *common != shape)
    return fail(Code::bad_shape, "a scale or zero point of shape {} does not fit {}", to_string(parameter->shape()),
                to_string(shape));
  return broadcast_view(view, shape);
}

const Tensor* optional_tensor(const EvalContext& context, std::size_t i) {
  return context.has_input(i) ? &context.tensor(i) : nullptr;
}

/// x - zero, elementwise, as doubles: exact for bytes.
Result<Tensor> shifted(const Tensor& x, const Tensor* zero, std::size_t axis_from_end) {
  TRY_ASSIGN(const Tensor shift, spread(zero, x.shape(), axis_from_end));
  TRY_ASSIGN(Tensor out, as_doubles(x));  // never shared: x holds bytes
  const double* minus = shift.data<double>();
  double* to = out.mutable_data<double>();
  walk<2>(out.shape(), {&out.strides(), &shift.strides()}, [&](std::int64_t i, std::int64_t j) { to[i] -= minus[j]; });
  return out;
}

/// value + zero in a quantized type: integers are rounded to even and saturate, as small floats do. NaN gives zero.
template <class T>
T quantize(double value, double zero) {
  if constexpr (kIsFloat<T>) {
    return T::from_code(static_cast<std::uint8_t>(encode_float(T::kFormat, value + zero, Overflow::saturate)));
  } else {
    const double rounded = value == value ? std::nearbyint(value) + zero : zero;
    return static_cast<T>(std::clamp<double>(rounded, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
}

/// An exact sum of products of bytes as int32; it wraps.
std::int32_t wrapped(double sum) {
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(static_cast<std::uint64_t>(static_cast<std::int64_t>(sum))));
}

Result<void> infer_matmul_integer(InferContext& context) { return infer_product(context, 0, 1); }

Result<void> eval_matmul_integer(EvalContext& context) {
  TRY_ASSIGN(const Tensor a, shifted(context.tensor(0), optional_tensor(context, 2), 2));
  TRY_ASSIGN(const Tensor b, shifted(context.tensor(1), optional_tensor(context, 3), 1));
  TRY_ASSIGN(const Tensor sums, product(a, b));
  TRY_ASSIGN(Tensor out, Tensor::allocate(DType::i32, sums.shape()));
  std::transform(sums.data<double>(), sums.data<double>() + sums.size(), out.mutable_data<std::int32_t>(), wrapped);
  context.outputs[0] = std::move(out);
  return {};
}

Result<void> infer_qlinear_matmul(InferContext& context) { return infer_product(context, 0, 3); }

Result<void> eval_qlinear_matmul(EvalContext& context) {
  const std::size_t row = context.tensor(3).rank() > 1 ? 2 : 1;
  TRY_ASSIGN(const Tensor a, shifted(context.tensor(0), &context.tensor(2), 2));
  TRY_ASSIGN(const Tensor b, shifted(context.tensor(3), &context.tensor(5), 1));
  TRY_ASSIGN(const Tensor sums, product(a, b));
  TRY_ASSIGN(const Tensor scale_a, spread(&context.tensor(1), sums.shape(), row));
  TRY_ASSIGN(const Tensor scale_b, spread(&context.tensor(4), sums.shape(), 1));
  TRY_ASSIGN(const Tensor scale_y, spread(&context.tensor(6), sums.shape(), row));
  TRY_ASSIGN(const Tensor zero_y, spread(&context.tensor(7), sums.shape(), row));
  return dispatch<Quantized>(context.tensor(7).dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    TRY_ASSIGN(Tensor out, Tensor::allocate(dtype_of<T>, sums.shape()));
    T* to = out.mutable_data<T>();
    const double* sum = sums.data<double>();
    walk<4>(sums.shape(), {&scale_a.strides(), &scale_b.strides(), &scale_y.strides(), &zero_y.strides()},
            [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t l) {
              const double scale = scale_a.data<double>()[i] * scale_b.data<double>()[j] / scale_y.data<double>()[k];
              *to++ = quantize<T>(*sum++ * scale, zero_y.data<double>()[l]);
            });
    context.outputs[0] = std::move(out);
    return {};
  });
}

/// Sums of x·w as doubles, for every output of a convolution.
Result<Tensor> convolved(const Attributes& attributes, const Tensor& x, const Tensor& w) {
  TRY_ASSIGN(const Convolution plan, plan_convolution(attributes, x.shape(), w.shape()));
  TRY_ASSIGN(Tensor out, Tensor::allocate(DType::f64, plan.shape));
  if (out.size() == 0) return out;
  const auto load_from = [](const Tensor& tensor) {
    return [from = tensor.data<double>()](std::int64_t first, double* to, std::int64_t n) {
      std::copy_n(from + first, n, to);
    };
  };
  double* to = out.mutable_data<double>();
  TRY(convolve_all<double>(plan, load_from(x), load_from(w),
                           [to](std::int64_t first, std::int64_t, const double* sums, std::int64_t n) {
                             std::copy_n(sums, n, to + first);
                           }));
  return out;
}

Result<void> infer_conv_integer(InferContext& context) { return infer_convolution(context, 0, 1, std::nullopt); }

Result<void> eval_conv_integer(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, shifted(context.tensor(0), optional_tensor(context, 2), 1));
  TRY_ASSIGN(const Tensor w, shifted(context.tensor(1), optional_tensor(context, 3), context.tensor(1).shape().size()));
  TRY_ASSIGN(const Tensor sums, convolved(context.attributes, x, w));
  TRY_ASSIGN(Tensor out, Tensor::allocate(DType::i32, sums.shape()));
  std::transform(sums.data<double>(), sums.data<double>() + sums.size(), out.mutable_data<std::int32_t>(), wrapped);
  context.outputs[0] = std::move(out);
  return {};
}

Result<void> infer_qlinear_conv(InferContext& context) { return infer_convolution(context, 0, 3, 8); }

Result<void> eval_qlinear_conv(EvalContext& context) {
  const std::size_t rank = context.tensor(3).shape().size();
  TRY_ASSIGN(const Tensor x, shifted(context.tensor(0), &context.tensor(2), 1));
  TRY_ASSIGN(const Tensor w, shifted(context.tensor(3), &context.tensor(5), rank));
  TRY_ASSIGN(const Tensor sums, convolved(context.attributes, x, w));
  // Filters are along axis 1 of the result.
  TRY_ASSIGN(const Tensor scale_x, spread(&context.tensor(1), sums.shape(), 1));
  TRY_ASSIGN(const Tensor scale_w, spread(&context.tensor(4), sums.shape(), rank - 1));
  TRY_ASSIGN(const Tensor scale_y, spread(&context.tensor(6), sums.shape(), 1));
  TRY_ASSIGN(const Tensor zero_y, spread(&context.tensor(7), sums.shape(), 1));
  Tensor bias = broadcast_view(Tensor::scalar(std::int32_t{0}), sums.shape());
  if (context.has_input(8)) {
    TRY_ASSIGN(const Tensor given, context.dense(8));
    if (given.shape() != Dims{sums.shape()[1]})
      return fail(Code::bad_shape, "the bias of shape {} does not fit the {} filters", to_string(given.shape()),
                  sums.shape()[1]);
    Dims steps(rank, 0);
    steps[1] = 1;
    bias = given.view(sums.shape(), steps);
  }
  return dispatch<Quantized>(context.tensor(7).dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    TRY_ASSIGN(Tensor out, Tensor::allocate(dtype_of<T>, sums.shape()));
    T* to = out.mutable_data<T>();
    const double* sum = sums.data<double>();
    walk<5>(sums.shape(),
            {&scale_x.strides(), &scale_w.strides(), &scale_y.strides(), &zero_y.strides(), &bias.strides()},
            [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t l, std::int64_t m) {
              const double scale = scale_x.data<double>()[i] * scale_w.data<double>()[j] / scale_y.data<double>()[k];
              *to++ = quantize<T>((*sum++ + bias.data<std::int32_t>()[m]) * scale, zero_y.data<double>()[l]);
            });
    context.outputs[0] = std::move(out);
    return {};
  });
}

constexpr OpDef kQuantized[] = {
    {.name = "MatMulInteger",
     .since = {10},
     .infer = infer_matmul_integer,
     .eval = eval_matmul_integer,
     .axes = kMatMulAxes},
    {.name = "QLinearMatMul",
     .since = {10, 21},
     .infer = infer_qlinear_matmul,
     .eval = eval_qlinear_matmul,
     .axes = kQLinearMatMulAxes},
    {.name = "ConvInteger",
     .since = {10},
     .infer = infer_conv_integer,
     .eval = eval_conv_integer,
     .axes = kConvIntegerAxes},
    {.name = "QLinearConv", .since = {10}, .infer = infer_qlinear_conv, .eval = eval_qlinear_conv, .axes = kRowsAxes},
};

}  // namespace

std::span<const OpDef> quantized_ops() { return kQuantized; }

}  // namespace pawl::ops
