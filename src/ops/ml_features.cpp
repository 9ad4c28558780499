// Operators of ai.onnx.ml that prepare features: ArrayFeatureExtractor, Binarizer, FeatureVectorizer, Imputer,
// Normalizer, Scaler.
#include <cmath>

#include "ops/axis_rules.h"
#include "ops/concat.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/infer.h"
#include "ops/ml_rows.h"
#include "ops/resample.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

Result<void> infer_extractor(InferContext& context) {
  const SymbolicShape* x = context.shape(0);
  if (x == nullptr) return {};
  if (x->empty()) return fail(Code::bad_shape, "a scalar has no features");
  SymbolicShape shape = *x;
  // A list comes out as one row.
  if (shape.size() == 1) shape.insert(shape.begin(), Dim(1));
  const auto type = context.has_input(1) ? context.inputs[1]->type.static_shape() : std::nullopt;
  const auto count = type ? checked_size(*type) : std::nullopt;
  shape.back() = count ? Dim(*count) : Dim();
  context.set_shape(0, std::move(shape));
  return {};
}

Result<void> eval_extractor(EvalContext& context) {
  const Tensor& x = context.tensor(0);
  if (x.rank() == 0) return fail(Code::bad_shape, "a scalar has no features");
  const auto axis = static_cast<std::int64_t>(x.shape().size()) - 1;
  TRY_ASSIGN(const Dims positions, resolve_indices(context.tensor(1), x.shape().back()));
  Dims shape = x.shape();
  shape.back() = static_cast<std::int64_t>(positions.size());
  TRY_ASSIGN(Tensor result, Tensor::allocate(x.dtype(), shape));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    Tensor place = result.select(axis, static_cast<std::int64_t>(i));
    copy_elements(x.select(axis, positions[i]), place);
  }
  context.outputs[0] = shape.size() == 1 ? result.reshaped({1, shape[0]}) : std::move(result);
  return {};
}

using FeatureTypes = Join<Ieee, TypeList<std::int64_t, std::int32_t>>;

Result<void> eval_binarizer(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  const float threshold = context.attributes.real("threshold", 0.0F);
  TRY_ASSIGN(Tensor result, Tensor::allocate(x.dtype(), x.shape()));
  TRY(dispatch<FeatureTypes>(x.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    for (const T& value : x.values<T>())
      *to++ = static_cast<double>(value) > static_cast<double>(threshold) ? T(1) : T(0);
    return {};
  }));
  context.outputs[0] = std::move(result);
  return {};
}

/// For each element its place along the last axis, in a list of `count` numbers that are one per feature or one for
/// all.
Result<std::int64_t> feature_stride(const Tensor& x, std::size_t count, std::string_view what) {
  const std::int64_t features = x.rank() == 0 ? 1 : x.shape().back();
  if (count == 1) return 0;
  if (static_cast<std::int64_t>(count) == features) return 1;
  return fail(Code::bad_shape, "{} has {} numbers for {} features", what, count, features);
}

Result<void> infer_float(InferContext& context) {
  context.outputs[0] = Type::tensor(DType::f32);
  return infer_same(context);
}

Result<void> eval_scaler(EvalContext& context) {
  TRY_ASSIGN(std::vector<double> offset, reals(context.attributes, "offset"));
  TRY_ASSIGN(std::vector<double> scale, reals(context.attributes, "scale"));
  if (offset.empty()) offset = {0};
  if (scale.empty()) scale = {1};
  TRY_ASSIGN(const Tensor x, to_double(context.tensor(0)));
  TRY_ASSIGN(const std::int64_t offset_stride, feature_stride(x, offset.size(), "offset"));
  TRY_ASSIGN(const std::int64_t scale_stride, feature_stride(x, scale.size(), "scale"));
  const std::int64_t features = x.rank() == 0 ? 1 : x.shape().back();
  TRY_ASSIGN(Tensor result, Tensor::allocate(DType::f32, x.shape()));
  auto* to = result.mutable_data<float>();
  std::int64_t feature = 0;
  for (const double value : x.values<double>()) {
    const double shift = offset[static_cast<std::size_t>(feature * offset_stride)];
    *to++ = static_cast<float>((value - shift) * scale[static_cast<std::size_t>(feature * scale_stride)]);
    feature = feature + 1 == features ? 0 : feature + 1;
  }
  context.outputs[0] = std::move(result);
  return {};
}

Result<void> eval_imputer(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  TRY_ASSIGN(const Tensor imputed, attribute_list(context.attributes, "imputed_value"));
  if (!imputed.defined()) return fail(Code::bad_model, "Imputer needs imputed_value_floats or imputed_value_int64s");
  TRY_ASSIGN(const Tensor values, to_double(imputed));
  TRY_ASSIGN(const std::int64_t stride, feature_stride(x, static_cast<std::size_t>(values.size()), "imputed_value"));
  const std::int64_t features = x.rank() == 0 ? 1 : x.shape().back();
  const float replaced = context.attributes.real("replaced_value_float", 0.0F);
  const std::int64_t replaced_integer = context.attributes.integer("replaced_value_int64", 0);
  TRY_ASSIGN(Tensor result, Tensor::allocate(x.dtype(), x.shape()));
  TRY(dispatch<FeatureTypes>(x.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    std::int64_t feature = 0;
    for (const T& value : x.values<T>()) {
      bool missing = false;
      if constexpr (std::is_floating_point_v<T>)
        missing = std::isnan(replaced) ? std::isnan(value) : value == static_cast<T>(replaced);
      else
        missing = static_cast<std::int64_t>(value) == replaced_integer;
      const auto at = feature * stride;
      if (!missing)
        *to++ = value;
      else if (imputed.dtype() == DType::i64)
        *to++ = static_cast<T>(imputed.data<std::int64_t>()[at]);
      else
        *to++ = static_cast<T>(values.data<double>()[at]);
      feature = feature + 1 == features ? 0 : feature + 1;
    }
    return {};
  }));
  context.outputs[0] = std::move(result);
  return {};
}

/// What a row is divided by.
double norm_of(std::span<const double> row, const std::string& norm) {
  double result = norm == "MAX" && !row.empty() ? row[0] : 0;
  for (const double value : row) {
    if (norm == "MAX")
      result = std::max(result, value);
    else
      result += norm == "L1" ? std::abs(value) : value * value;
  }
  return norm == "L2" ? std::sqrt(result) : result;
}

Result<void> eval_normalizer(EvalContext& context) {
  const std::string norm = context.attributes.text("norm", "MAX");
  if (norm != "MAX" && norm != "L1" && norm != "L2") return fail(Code::bad_value, "\"{}\" is not a norm", norm);
  TRY_ASSIGN(const Rows rows, rows_of(context.tensor(0)));
  TRY_ASSIGN(Tensor result, Tensor::allocate(DType::f32, context.tensor(0).shape()));
  auto* to = result.mutable_data<float>();
  for (std::int64_t i = 0; i < rows.count && rows.features > 0; ++i) {
    const double divisor = norm_of(rows[i], norm);
    for (const double value : rows[i]) *to++ = static_cast<float>(divisor == 0 ? value : value / divisor);
  }
  context.outputs[0] = std::move(result);
  return {};
}

Result<void> infer_vectorizer(InferContext& context) {
  Dim rows;
  std::int64_t columns = 0;
  bool certain = true;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    const SymbolicShape* shape = context.shape(i);
    if (Dim count = row_count(shape); count.known()) rows = std::move(count);
    certain = certain && shape != nullptr && !shape->empty() && shape->back().known() &&
              !__builtin_add_overflow(columns, shape->back().value, &columns);
  }
  context.outputs[0] = Type::tensor(DType::f32, {rows, certain ? Dim(columns) : Dim()});
  return {};
}

Result<void> eval_vectorizer(EvalContext& context) {
  const auto dimensions = context.attributes.integers("inputdimensions");
  if (!dimensions.empty() && dimensions.size() != context.inputs.size())
    return fail(Code::bad_shape, "{} inputdimensions for {} inputs", dimensions.size(), context.inputs.size());
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    TRY_ASSIGN(const Rows rows, rows_of(context.tensor(i)));
    if (!dimensions.empty() && dimensions[i] != rows.features)
      return fail(Code::bad_shape, "input {} has {} features, and inputdimensions says {}", i, rows.features,
                  dimensions[i]);
    TRY_ASSIGN(const Tensor part, from_double(rows.data.reshaped({rows.count, rows.features}), DType::f32));
    parts.push_back(part);
  }
  TRY_ASSIGN(context.outputs[0], concat(parts, 1));
  return {};
}

}  // namespace

std::span<const OpDef> ml_feature_ops() {
  static constexpr std::string_view kMl = "ai.onnx.ml";
  static const OpDef rows[] = {
      {.name = "ArrayFeatureExtractor",
       .domain = kMl,
       .since = {1},
       .infer = infer_extractor,
       .eval = eval_extractor,
       .axes = kOpaqueAxes},
      {.name = "Binarizer",
       .domain = kMl,
       .since = {1},
       .infer = infer_same,
       .eval = eval_binarizer,
       .axes = kPointwiseAxes},
      {.name = "FeatureVectorizer",
       .domain = kMl,
       .since = {1},
       .infer = infer_vectorizer,
       .eval = eval_vectorizer,
       .axes = kOpaqueAxes},
      {.name = "Imputer",
       .domain = kMl,
       .since = {1},
       .infer = infer_same,
       .eval = eval_imputer,
       .axes = kFeaturesAxes},
      {.name = "Normalizer",
       .domain = kMl,
       .since = {1},
       .infer = infer_float,
       .eval = eval_normalizer,
       .axes = kOpaqueAxes},
      {.name = "Scaler", .domain = kMl, .since = {1}, .infer = infer_float, .eval = eval_scaler, .axes = kFeaturesAxes},
  };
  return rows;
}

}  // namespace pawl::ops
