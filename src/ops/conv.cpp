// Conv and ConvTranspose. Products are accumulated in double and rounded once.
#include "ops/axis_rules.h"
#include "ops/convolve.h"
#include "ops/families.h"

namespace pawl::ops {
namespace {

Result<void> infer_conv(InferContext& context) { return infer_convolution(context, 0, 1, 2); }

template <auto plan_of>
Result<void> eval_conv(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  TRY_ASSIGN(const Tensor w, context.dense(1));
  TRY_ASSIGN(const Convolution plan, plan_of(context.attributes, x.shape(), w.shape()));
  Tensor bias;
  if (context.has_input(2)) {
    TRY_ASSIGN(bias, context.dense(2));
    if (bias.shape() != Dims{plan.shape[1]})
      return fail(Code::bad_shape, "the bias of shape {} does not fit the {} filters", to_string(bias.shape()),
                  plan.shape[1]);
  }
  TRY_ASSIGN(Tensor out, Tensor::allocate(x.dtype(), plan.shape));
  if (out.size() > 0) {
    TRY(dispatch<Floats>(x.dtype(), [&](auto tag) -> Result<void> {
      using T = typename decltype(tag)::type;
      const auto load_from = [](const Tensor& tensor) {
        return [from = tensor.data<T>()](std::int64_t first, double* to, std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<double>(from[first + i]);
        };
      };
      T* to = out.mutable_data<T>();
      return convolve_all<double>(plan, load_from(x), load_from(w),
                                  [&](std::int64_t first, std::int64_t m, const double* sums, std::int64_t n) {
                                    const double added = bias.defined() ? static_cast<double>(bias.data<T>()[m]) : 0;
                                    for (std::int64_t i = 0; i < n; ++i)
                                      to[first + i] = static_cast<T>(sums[i] + added);
                                  });
    }));
  }
  context.outputs[0] = std::move(out);
  return {};
}

constexpr OpDef kConv[] = {
    {.name = "Conv", .since = {1, 11, 22}, .infer = infer_conv, .eval = eval_conv<plan_convolution>, .axes = kConvAxes},
    {.name = "ConvTranspose",
     .since = {1, 11, 22},
     .infer = infer_transposed,
     .eval = eval_conv<plan_transposed>,
     .axes = kConvTransposeAxes},
};

}  // namespace

std::span<const OpDef> conv_ops() { return kConv; }

}  // namespace pawl::ops
