// LinearClassifier and LinearRegressor of ai.onnx.ml.
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/ml_scores.h"

namespace pawl::ops {
namespace {

/// A matrix [outputs, features] and a list of as many intercepts as outputs (or none).
struct LinearModel {
  std::vector<double> coefficients;
  std::vector<double> intercepts;
  std::int64_t outputs = 0;
  std::int64_t features = 0;
};

Result<LinearModel> linear_model(const Attributes& attributes, const Rows& rows, std::int64_t outputs) {
  LinearModel model;
  TRY_ASSIGN(model.coefficients, reals(attributes, "coefficients"));
  TRY_ASSIGN(model.intercepts, reals(attributes, "intercepts"));
  const auto size = static_cast<std::int64_t>(model.coefficients.size());
  model.features = rows.features;
  model.outputs = outputs > 0 ? outputs : (rows.features > 0 ? size / rows.features : 0);
  std::int64_t expected = 0;
  const bool fits = !__builtin_mul_overflow(model.outputs, rows.features, &expected) && expected == size;
  const auto intercepts = static_cast<std::int64_t>(model.intercepts.size());
  if (!fits || model.outputs == 0 || (intercepts != 0 && intercepts != model.outputs)) {
    return fail(Code::bad_shape, "{} coefficients and {} intercepts do not fit {} features and {} outputs", size,
                intercepts, rows.features, model.outputs);
  }
  return model;
}

std::vector<double> scores_of(const LinearModel& model, std::span<const double> row) {
  std::vector<double> scores;
  for (std::int64_t k = 0; k < model.outputs; ++k) {
    double sum = model.intercepts.empty() ? 0 : model.intercepts[static_cast<std::size_t>(k)];
    const double* coefficient = model.coefficients.data() + k * model.features;
    for (const double value : row) sum += value * *coefficient++;
    scores.push_back(sum);
  }
  return scores;
}

Result<void> infer_linear_classifier(InferContext& context) {
  TRY(post_transform_of(context.attributes));
  TRY_ASSIGN(const Labels labels, labels_of(context.attributes, "classlabels_ints"));
  context.outputs[0] = Type::tensor(labels.dtype(), {row_count(context.shape(0))});
  if (context.outputs.size() > 1) context.outputs[1] = Type::tensor(DType::f32, rows_shape(context, Dim()));
  return {};
}

/// The class of a row, and its scores made ready. A single score of two classes is for the second one, and against the
/// first; a single one without a counterpart is for class 0, or against it (-1).
std::int64_t classify(std::vector<double>& scores, const Labels& labels, PostTransform transform) {
  if (scores.size() == 1 && labels.size() == 2) scores = {-scores[0], scores[0]};
  transform_scores(transform, scores);
  if (scores.size() > 1) return greatest(scores);
  const bool holds = scores[0] >= (transform == PostTransform::none ? 0 : 0.5);
  if (labels.size() == 0) return holds ? 1 : 0;
  return holds ? 0 : -1;
}

Result<void> eval_linear_classifier(EvalContext& context) {
  TRY_ASSIGN(const PostTransform transform, post_transform_of(context.attributes));
  TRY_ASSIGN(const Labels labels, labels_of(context.attributes, "classlabels_ints"));
  TRY_ASSIGN(const Rows rows, rows_of(context.tensor(0)));
  TRY_ASSIGN(const LinearModel model, linear_model(context.attributes, rows, 0));
  if (labels.size() > 0 && model.outputs > labels.size())
    return fail(Code::bad_shape, "{} labels for {} classes", labels.size(), model.outputs);
  std::vector<std::int64_t> classes;
  ScoreTable table;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    std::vector<double> scores = scores_of(model, rows[i]);
    classes.push_back(classify(scores, labels, transform));
    table.add(scores);
  }
  TRY_ASSIGN(context.outputs[0], labels.of(classes));
  if (context.outputs.size() > 1) {
    TRY_ASSIGN(context.outputs[1], table.tensor(rows.count, DType::f32));
  }
  return {};
}

Result<void> infer_linear_regressor(InferContext& context) {
  TRY(post_transform_of(context.attributes));
  context.outputs[0] = Type::tensor(DType::f32, rows_shape(context, Dim(context.attributes.integer("targets", 1))));
  return {};
}

Result<void> eval_linear_regressor(EvalContext& context) {
  TRY_ASSIGN(const PostTransform transform, post_transform_of(context.attributes));
  TRY_ASSIGN(const Rows rows, rows_of(context.tensor(0)));
  const std::int64_t targets = context.attributes.integer("targets", 1);
  if (targets < 1) return fail(Code::bad_value, "{} targets", targets);
  TRY_ASSIGN(const LinearModel model, linear_model(context.attributes, rows, targets));
  ScoreTable table;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    std::vector<double> scores = scores_of(model, rows[i]);
    transform_scores(transform, scores);
    table.add(scores);
  }
  TRY_ASSIGN(context.outputs[0], table.tensor(rows.count, DType::f32));
  return {};
}

}  // namespace

std::span<const OpDef> ml_linear_ops() {
  static constexpr std::string_view kMl = "ai.onnx.ml";
  static const OpDef rows[] = {
      {.name = "LinearClassifier",
       .domain = kMl,
       .since = {1},
       .infer = infer_linear_classifier,
       .eval = eval_linear_classifier,
       .axes = kOpaqueAxes},
      {.name = "LinearRegressor",
       .domain = kMl,
       .since = {1},
       .infer = infer_linear_regressor,
       .eval = eval_linear_regressor,
       .axes = kOpaqueAxes},
  };
  return rows;
}

}  // namespace pawl::ops
