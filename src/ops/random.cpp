// Operators that draw random numbers: each node has a stream of its own (draws.h).
#include <algorithm>
#include <cmath>

#include "ops/convert.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

/// The node's stream. `seed` is a float in all operators but Dropout.
Draws& draws_of(EvalContext& context) {
  std::optional<std::uint32_t> seed;
  if (const auto* real = context.attributes.get<float>("seed"); real != nullptr && !std::isnan(*real))
    seed = static_cast<std::uint32_t>(truncated<std::int64_t>(static_cast<double>(*real)));
  if (const auto* integer = context.attributes.get<std::int64_t>("seed")) seed = static_cast<std::uint32_t>(*integer);
  return context.random->stream(context.attributes, seed);
}

/// A tensor whose elements are f(), computed in double, of that type.
template <class F>
Result<Tensor> filled(DType dtype, const Dims& shape, F f) {
  TRY_ASSIGN(Tensor wide, Tensor::allocate(DType::f64, shape));
  for (double& element : wide.mutable_values<double>()) element = f();
  return convert(wide, dtype);
}

/// The type drawn in: `dtype`, else the input's, else float.
Result<DType> drawn_type(const Schema& schema, const Attributes& attributes, DType input) {
  return dtype_attribute(schema, attributes, "dtype", schema.inputs.empty() ? DType::f32 : input);
}

/// The type of an output like an input; errors when the output cannot have it.
Result<void> check_drawn(const Schema& schema, DType dtype) {
  if (dtype != DType::undefined && ((schema.outputs[0].types.tensor >> static_cast<unsigned>(dtype)) & 1U) == 0)
    return fail(Code::bad_type, "{}-{} cannot give {}; it needs a dtype", schema.name, schema.since, name(dtype));
  return {};
}

Result<Dims> shape_attribute(const Attributes& attributes) {
  Dims shape(attributes.integers("shape"));
  TRY(bounded_size(shape));
  return shape;
}

Result<void> infer_drawn(InferContext& context) {
  TRY_ASSIGN(const DType dtype, drawn_type(context.schema, context.attributes, context.dtype(0)));
  TRY(check_drawn(context.schema, dtype));
  if (dtype != DType::undefined) context.outputs[0] = Type::tensor(dtype);
  if (!context.schema.inputs.empty()) return infer_same(context);
  TRY_ASSIGN(const Dims shape, shape_attribute(context.attributes));
  context.set_shape(0, symbolic(shape));
  return {};
}

/// Fills output 0, shaped by the attribute or like input 0, with what `draw` makes of the node's draws.
template <class F>
Result<void> eval_drawn(EvalContext& context, F draw) {
  const bool like = !context.schema.inputs.empty();
  TRY_ASSIGN(const DType dtype,
             drawn_type(context.schema, context.attributes, like ? context.tensor(0).dtype() : DType::f32));
  TRY(check_drawn(context.schema, dtype));
  Dims shape;
  if (like)
    shape = context.tensor(0).shape();
  else {
    TRY_ASSIGN(shape, shape_attribute(context.attributes));
  }
  Draws& draws = draws_of(context);
  TRY_ASSIGN(context.outputs[0], filled(dtype, shape, [&] { return draw(draws); }));
  return {};
}

Result<void> eval_normal(EvalContext& context) {
  const double mean = context.attributes.real("mean", 0);
  const double scale = context.attributes.real("scale", 1);
  return eval_drawn(context, [=](Draws& draws) { return draws.normal() * scale + mean; });
}

Result<void> eval_uniform(EvalContext& context) {
  const double low = context.attributes.real("low", 0);
  const double high = context.attributes.real("high", 1);
  return eval_drawn(context, [=](Draws& draws) { return draws.uniform() * (high - low) + low; });
}

/// Errors: bad_value, when an element is no probability.
Result<void> eval_bernoulli(EvalContext& context) {
  TRY_ASSIGN(const Tensor wide, convert(context.tensor(0), DType::f64));
  TRY_ASSIGN(const Tensor probabilities, wide.to_dense());
  for (const double p : probabilities.values<double>())
    if (!(p >= 0 && p <= 1)) return fail(Code::bad_value, "{} is no probability", p);
  const double* next = probabilities.data<double>();
  return eval_drawn(context, [&](Draws& draws) { return draws.bernoulli(*next++) ? 1.0 : 0.0; });
}

Result<void> infer_multinomial(InferContext& context) {
  TRY_ASSIGN(const DType dtype, dtype_attribute(context.schema, context.attributes, "dtype", DType::i32));
  context.outputs[0] = Type::tensor(dtype);
  const SymbolicShape* input = context.shape(0);
  if (input != nullptr && input->size() != 2)
    return fail(Code::bad_shape, "input {} has not rank 2", to_string(*input));
  const Dim samples(context.attributes.integer("sample_size", 1));
  context.set_shape(0, {input == nullptr ? Dim() : (*input)[0], samples});
  return {};
}

/// Probabilities summed up: element i is that of an outcome up to i, from unnormalised log-probabilities.
Result<std::vector<double>> cumulated(std::span<const double> logits) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double logit : logits) largest = std::max(largest, logit);
  std::vector<double> sums;
  double total = 0;
  for (const double logit : logits) sums.push_back(total += std::exp(logit - largest));
  if (!(total > 0)) return fail(Code::bad_value, "a row of log-probabilities has no outcome that can happen");
  for (double& sum : sums) sum /= total;
  return sums;
}

Result<void> eval_multinomial(EvalContext& context) {
  TRY_ASSIGN(const DType dtype, dtype_attribute(context.schema, context.attributes, "dtype", DType::i32));
  TRY_ASSIGN(const Tensor wide, convert(context.tensor(0), DType::f64));
  TRY_ASSIGN(const Tensor logits, wide.to_dense());
  const std::int64_t samples = context.attributes.integer("sample_size", 1);
  if (logits.rank() != 2) return fail(Code::bad_shape, "input {} has not rank 2", to_string(logits.shape()));
  if (samples < 0) return fail(Code::bad_value, "sample_size = {} is negative", samples);
  const std::int64_t rows = logits.shape()[0];
  const std::int64_t classes = logits.shape()[1];
  TRY_ASSIGN(Tensor chosen, Tensor::allocate(DType::i64, {rows, samples}));
  Draws& draws = draws_of(context);
  for (std::int64_t row = 0; row < rows; ++row) {
    TRY_ASSIGN(const std::vector<double> sums,
               cumulated({logits.data<double>() + row * classes, static_cast<std::size_t>(classes)}));
    for (std::int64_t i = 0; i < samples; ++i) {
      const auto at = std::upper_bound(sums.begin(), sums.end() - 1, draws.uniform());
      chosen.mutable_data<std::int64_t>()[row * samples + i] = at - sums.begin();
    }
  }
  TRY_ASSIGN(context.outputs[0], convert(chosen, dtype));
  return {};
}

Result<void> infer_dropout(InferContext& context) {
  if (const SymbolicShape* shape = context.shape(0)) {
    context.set_shape(0, *shape);
    context.set_shape(1, *shape);
  }
  return {};
}

/// The ratio of a node that trains; nullopt when the data pass unchanged. Errors: bad_shape; bad_value.
Result<std::optional<double>> training_ratio(const EvalContext& context) {
  double ratio = context.attributes.real("ratio", 0.5F);
  bool training = context.since() < 7 && context.attributes.integer("is_test", 0) == 0;
  const auto check_scalar = [&](std::size_t i) -> Result<void> {
    if (context.tensor(i).size() == 1) return {};
    return fail(Code::bad_shape, "input {} of Dropout has shape {}, not one element", i,
                to_string(context.tensor(i).shape()));
  };
  if (context.has_input(1)) {
    TRY(check_scalar(1));
    TRY_ASSIGN(const Tensor wide, convert(context.tensor(1), DType::f64));
    ratio = *wide.data<double>();
  }
  if (context.has_input(2)) {
    TRY(check_scalar(2));
    training = *context.tensor(2).data<bool>();
  }
  if (!training || ratio == 0) return std::optional<double>();
  if (!(ratio > 0 && ratio < 1)) return fail(Code::bad_value, "ratio = {} of Dropout is not in [0, 1)", ratio);
  return std::optional<double>(ratio);
}

/// What is kept is scaled by 1 / (1 - ratio); the mask is true (or 1) where it is.
Result<void> eval_dropout(EvalContext& context) {
  const Tensor data = context.tensor(0);
  TRY_ASSIGN(const std::optional<double> ratio, training_ratio(context));
  TRY_ASSIGN(Tensor mask, Tensor::allocate(DType::boolean, data.shape()));
  Draws& draws = draws_of(context);
  for (bool& kept : mask.mutable_values<bool>()) kept = !ratio || draws.uniform() >= *ratio;
  if (ratio) {
    const auto scale = static_cast<float>(1 / (1 - *ratio));
    TRY_ASSIGN(context.outputs[0], dispatch<Join<Floats, SmallFloats>>(data.dtype(), [&](auto tag) -> Result<Tensor> {
                 using T = typename decltype(tag)::type;
                 return map2<T, bool, T>(data, mask,
                                         [=](auto x, bool kept) { return x * decltype(x)(kept) * decltype(x)(scale); });
               }));
  } else {
    context.outputs[0] = context.take(0);
  }
  if (context.outputs.size() < 2 || !context.wanted[1]) return {};
  const DType mask_type = context.since() < 10 ? data.dtype() : DType::boolean;
  TRY_ASSIGN(context.outputs[1], convert(mask, mask_type));
  return {};
}

constexpr OpDef kRandom[] = {
    {.name = "Bernoulli",
     .since = {15, 22},
     .infer = infer_drawn,
     .eval = eval_bernoulli,
     .axes = kOpaqueAxes,
     .random = true},
    {.name = "Dropout",
     .since = {1, 6, 7, 10, 12, 13, 22},
     .infer = infer_dropout,
     .eval = eval_dropout,
     .axes = kOpaqueAxes,
     .random = true},
    {.name = "Multinomial",
     .since = {7, 22},
     .infer = infer_multinomial,
     .eval = eval_multinomial,
     .axes = kOpaqueAxes,
     .random = true},
    {.name = "RandomNormal",
     .since = {1, 22},
     .infer = infer_drawn,
     .eval = eval_normal,
     .axes = kOpaqueAxes,
     .random = true},
    {.name = "RandomNormalLike",
     .since = {1, 22},
     .infer = infer_drawn,
     .eval = eval_normal,
     .axes = kOpaqueAxes,
     .random = true},
    {.name = "RandomUniform",
     .since = {1, 22},
     .infer = infer_drawn,
     .eval = eval_uniform,
     .axes = kOpaqueAxes,
     .random = true},
    {.name = "RandomUniformLike",
     .since = {1, 22},
     .infer = infer_drawn,
     .eval = eval_uniform,
     .axes = kOpaqueAxes,
     .random = true},
};

}  // namespace

std::span<const OpDef> random_ops() { return kRandom; }

}  // namespace pawl::ops
