// TreeEnsembleClassifier, TreeEnsembleRegressor and TreeEnsemble of ai.onnx.ml.
#include <algorithm>

#include "ops/extents.h"
#include "ops/families.h"
#include "ops/ml_scores.h"
#include "ops/ml_tree.h"

namespace pawl::ops {
namespace {

/// Classes and targets are listed or voted for; more than this are a mistake or an attack.
constexpr std::int64_t kMaxTargets = std::int64_t{1} << 24;

/// One base value for all, or one for each.
Result<void> add_base(const std::vector<double>& base, std::vector<double>& scores) {
  if (base.empty()) return {};
  if (base.size() != 1 && base.size() != scores.size())
    return fail(Code::bad_model, "{} base_values for {} scores", base.size(), scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += base.size() == 1 ? base[0] : base[i];
  return {};
}

/// What the votes of a classifier say of its form.
struct Voters {
  bool binary = false;    ///< all votes are for one class: they are for the second of two, and against the first
  bool positive = true;   ///< no vote is negative
  std::int64_t only = 0;  ///< that one class
};

Voters voters_of(const Forest& forest) {
  Voters voters;
  bool first = true;
  for (const TreeNode& node : forest.nodes) {
    for (const Vote& vote : node.votes) {
      voters.positive = voters.positive && vote.weight >= 0;
      voters.binary = first || (voters.binary && vote.target == voters.only);
      voters.only = vote.target;
      first = false;
    }
  }
  return voters;
}

/// The class of a row, and its scores made ready.
std::int64_t classify(std::vector<double>& scores, const Voters& voters, PostTransform transform) {
  if (voters.binary && scores.size() <= 2) {
    const double score = scores[static_cast<std::size_t>(voters.only)];
    const bool complement = voters.positive && (transform == PostTransform::none || transform == PostTransform::probit);
    scores = {complement ? 1 - score : -score, score};
  }
  transform_scores(transform, scores);
  return greatest(scores);
}

Result<void> infer_classifier(InferContext& context) {
  TRY(post_transform_of(context.attributes));
  TRY_ASSIGN(const Labels labels, labels_of(context.attributes, "classlabels_int64s"));
  context.outputs[0] = Type::tensor(labels.dtype(), {row_count(context.shape(0))});
  if (context.outputs.size() > 1) context.outputs[1] = Type::tensor(DType::f32, rows_shape(context, Dim()));
  return {};
}

Result<void> eval_classifier(EvalContext& context) {
  TRY_ASSIGN(const PostTransform transform, post_transform_of(context.attributes));
  TRY_ASSIGN(const Labels labels, labels_of(context.attributes, "classlabels_int64s"));
  if (labels.size() == 0) return fail(Code::bad_model, "the classifier has no class labels");
  TRY_ASSIGN(const Forest forest, forest_of(context.attributes, "class"));
  TRY_ASSIGN(const std::vector<double> base, reals(context.attributes, "base_values", "base_values_as_tensor"));
  TRY_ASSIGN(const Rows rows, rows_of(context.tensor(0)));
  const Voters voters = voters_of(forest);
  std::vector<std::int64_t> classes;
  ScoreTable table;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    TRY_ASSIGN(std::vector<double> scores, scores_of(forest, rows[i], labels.size(), Aggregate::sum));
    TRY(add_base(base, scores));
    std::int64_t winner = classify(scores, voters, transform);
    // A single label is that of the second class; the first one has none.
    if (labels.size() == 1) winner -= 1;
    classes.push_back(winner);
    table.add(scores);
  }
  TRY_ASSIGN(context.outputs[0], labels.of(classes));
  if (context.outputs.size() > 1) {
    TRY_ASSIGN(context.outputs[1], table.tensor(rows.count, DType::f32));
  }
  return {};
}

Result<Aggregate> aggregate_of(const Attributes& attributes) {
  const std::string word = attributes.text("aggregate_function", "SUM");
  if (word == "SUM") return Aggregate::sum;
  if (word == "AVERAGE") return Aggregate::average;
  if (word == "MIN") return Aggregate::min;
  if (word == "MAX") return Aggregate::max;
  return fail(Code::bad_value, "\"{}\" is not an aggregate_function", word);
}

Result<std::int64_t> target_count(const Attributes& attributes) {
  const std::int64_t targets = attributes.integer("n_targets", 1);
  if (targets < 1 || targets > kMaxTargets) return fail(Code::bad_value, "{} targets", targets);
  return targets;
}

Result<void> infer_regressor(InferContext& context) {
  TRY(post_transform_of(context.attributes));
  TRY_ASSIGN(const std::int64_t targets, target_count(context.attributes));
  context.outputs[0] = Type::tensor(DType::f32, rows_shape(context, Dim(targets)));
  return {};
}

/// Scores of every row, one after the other.
Result<Tensor> regress(const Tensor& x, const Forest& forest, std::int64_t targets, Aggregate aggregate,
                       const std::vector<double>& base, PostTransform transform, DType dtype) {
  TRY_ASSIGN(const Rows rows, rows_of(x));
  ScoreTable table;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    TRY_ASSIGN(std::vector<double> scores, scores_of(forest, rows[i], targets, aggregate));
    TRY(add_base(base, scores));
    transform_scores(transform, scores);
    table.add(scores);
  }
  table.columns = targets;
  return table.tensor(rows.count, dtype);
}

Result<void> eval_regressor(EvalContext& context) {
  TRY_ASSIGN(const PostTransform transform, post_transform_of(context.attributes));
  TRY_ASSIGN(const Aggregate aggregate, aggregate_of(context.attributes));
  TRY_ASSIGN(const std::int64_t targets, target_count(context.attributes));
  TRY_ASSIGN(const Forest forest, forest_of(context.attributes, "target"));
  TRY_ASSIGN(const std::vector<double> base, reals(context.attributes, "base_values", "base_values_as_tensor"));
  TRY_ASSIGN(context.outputs[0], regress(context.tensor(0), forest, targets, aggregate, base, transform, DType::f32));
  return {};
}

/// An attribute of TreeEnsemble-5 that is a number below `limit`.
Result<std::int64_t> small_number(const Attributes& attributes, std::string_view name, std::int64_t otherwise,
                                  std::int64_t limit) {
  const std::int64_t number = attributes.integer(name, otherwise);
  if (number < 0 || number >= limit) return fail(Code::bad_value, "{} is not a value of {}", number, name);
  return number;
}

Result<void> infer_ensemble(InferContext& context) {
  TRY_ASSIGN(const std::int64_t targets, target_count(context.attributes));
  context.set_shape(0, rows_shape(context, Dim(targets)));
  return {};
}

Result<void> eval_ensemble(EvalContext& context) {
  TRY_ASSIGN(const std::int64_t aggregate, small_number(context.attributes, "aggregate_function", 1, 4));
  TRY_ASSIGN(const std::int64_t transform, small_number(context.attributes, "post_transform", 0, 5));
  TRY_ASSIGN(const std::int64_t targets, target_count(context.attributes));
  TRY_ASSIGN(const Forest forest, ensemble_of(context.attributes));
  const Tensor& x = context.tensor(0);
  TRY_ASSIGN(context.outputs[0], regress(x, forest, targets, static_cast<Aggregate>(aggregate), {},
                                         static_cast<PostTransform>(transform), x.dtype()));
  return {};
}

}  // namespace

std::span<const OpDef> ml_tree_ops() {
  static constexpr std::string_view kMl = "ai.onnx.ml";
  static const OpDef rows[] = {
      {.name = "TreeEnsembleClassifier",
       .domain = kMl,
       .since = {1, 3, 5},
       .infer = infer_classifier,
       .eval = eval_classifier,
       .axes = kOpaqueAxes},
      {.name = "TreeEnsembleRegressor",
       .domain = kMl,
       .since = {1, 3, 5},
       .infer = infer_regressor,
       .eval = eval_regressor,
       .axes = kOpaqueAxes},
      {.name = "TreeEnsemble",
       .domain = kMl,
       .since = {5},
       .infer = infer_ensemble,
       .eval = eval_ensemble,
       .axes = kOpaqueAxes},
  };
  return rows;
}

}  // namespace pawl::ops
