// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss. In double, rounded once.
#include <cmath>

#include "expr/scalar.h"
#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/wide.h"

namespace pawl::ops {
namespace {

enum class Reduction : std::uint8_t { none, mean, sum };

Result<Reduction> reduction_of(const Attributes& attributes) {
  const std::string text = attributes.text("reduction", "mean");
  if (text == "none") return Reduction::none;
  if (text == "mean") return Reduction::mean;
  if (text == "sum") return Reduction::sum;
  return fail(Code::bad_value, "reduction is \"{}\"; none, mean and sum are allowed", text);
}

Error shapes_differ(std::string_view scores, std::string_view labels) {
  return fail(Code::bad_shape, "scores of shape {} and labels of shape {} do not fit [N,C,…] and [N,…]", scores,
              labels);
}

/// Scores [N, C, inner] and labels [N, inner], both dense.
struct Problem {
  std::int64_t batch = 0, classes = 0, inner = 0;
  Tensor scores;  ///< doubles
  Dims labels;
  std::optional<std::int64_t> ignored;
  std::vector<double> weights;  ///< per class
};

Result<Problem> read_problem(const EvalContext& context) {
  Problem problem;
  const Dims &shape = context.tensor(0).shape(), &labels = context.tensor(1).shape();
  bool fits = shape.size() >= 2 && labels.size() + 1 == shape.size();
  for (std::size_t i = 0; fits && i < labels.size(); ++i) fits = labels[i] == shape[i == 0 ? 0 : i + 1];
  if (!fits) return shapes_differ(to_string(shape), to_string(labels));
  TRY_ASSIGN(problem.scores, as_doubles(context.tensor(0)));
  TRY_ASSIGN(problem.labels, context.integers(1));
  problem.batch = shape[0];
  problem.classes = shape[1];
  const auto count = static_cast<std::int64_t>(problem.labels.size());
  problem.inner = problem.batch == 0 ? 0 : count / problem.batch;
  if (const auto* ignored = context.attributes.get<std::int64_t>("ignore_index")) problem.ignored = *ignored;
  for (const std::int64_t label : problem.labels)
    if (label != problem.ignored && (label < 0 || label >= problem.classes))
      return fail(Code::bad_value, "label {} is none of the {} classes", label, problem.classes);
  if (context.has_input(2)) {
    if (context.tensor(2).shape() != Dims{problem.classes})
      return fail(Code::bad_shape, "weights of shape {} do not fit {} classes", to_string(context.tensor(2).shape()),
                  problem.classes);
    TRY_ASSIGN(const Tensor weights, as_doubles(context.tensor(2)));
    problem.weights.assign(weights.data<double>(), weights.data<double>() + weights.size());
  }
  return problem;
}

/// -weight·score of each label, 0 for those to be ignored; then their sum, or their mean over the weights.
Result<Tensor> loss_of(const Problem& problem, Reduction reduction, const Dims& shape, DType dtype) {
  TRY_ASSIGN(Tensor losses, zero_doubles(shape));
  double sum = 0, weights = 0;
  for (std::int64_t i = 0; i < losses.size(); ++i) {
    const std::int64_t label = problem.labels[static_cast<std::size_t>(i)];
    if (label == problem.ignored) continue;
    const double weight = problem.weights.empty() ? 1 : problem.weights[static_cast<std::size_t>(label)];
    const std::int64_t at = (i / problem.inner * problem.classes + label) * problem.inner + i % problem.inner;
    const double loss = -weight * problem.scores.data<double>()[at];
    losses.mutable_data<double>()[i] = loss;
    sum += loss;
    weights += weight;
  }
  if (reduction == Reduction::none) return rounded(losses, dtype);
  return rounded(Tensor::scalar(reduction == Reduction::mean ? sum / weights : sum), dtype);
}

Result<void> infer_loss(InferContext& context) {
  TRY_ASSIGN(const Reduction reduction, reduction_of(context.attributes));
  const SymbolicShape *scores = context.shape(0), *labels = context.shape(1);
  if (scores != nullptr && labels != nullptr) {
    bool fits = scores->size() >= 2 && labels->size() + 1 == scores->size();
    for (std::size_t i = 0; fits && i < labels->size(); ++i)
      fits = agree_dim((*labels)[i], (*scores)[i == 0 ? 0 : i + 1]).has_value();
    if (!fits) return shapes_differ(to_string(*scores), to_string(*labels));
  }
  if (reduction != Reduction::none)
    context.set_shape(0, {});
  else if (labels != nullptr)
    context.set_shape(0, *labels);
  if (scores != nullptr) context.set_shape(1, *scores);
  return {};
}

Result<void> eval_likelihood(EvalContext& context) {
  TRY_ASSIGN(const Reduction reduction, reduction_of(context.attributes));
  TRY_ASSIGN(const Problem problem, read_problem(context));
  TRY_ASSIGN(context.outputs[0], loss_of(problem, reduction, context.tensor(1).shape(), context.tensor(0).dtype()));
  return {};
}

/// x - max - log(sum(exp(x - max))) over the classes.
Result<Tensor> log_softmax(const Problem& problem) {
  TRY_ASSIGN(Tensor out, problem.scores.clone());
  double* at = out.mutable_data<double>();
  const std::int64_t step = problem.inner, count = out.size() == 0 ? 0 : problem.batch * problem.inner;
  for (std::int64_t i = 0; i < count; ++i) {
    double* x = at + i / step * problem.classes * step + i % step;
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t c = 0; c < problem.classes; ++c)
      if (x[c * step] > most || x[c * step] != x[c * step]) most = x[c * step];
    for (std::int64_t c = 0; c < problem.classes; ++c) sum += expr::exp(x[c * step] - most);
    for (std::int64_t c = 0; c < problem.classes; ++c) x[c * step] -= most + expr::log(sum);
  }
  return out;
}

Result<void> eval_cross_entropy(EvalContext& context) {
  TRY_ASSIGN(const Reduction reduction, reduction_of(context.attributes));
  TRY_ASSIGN(Problem problem, read_problem(context));
  TRY_ASSIGN(problem.scores, log_softmax(problem));
  const DType dtype = context.tensor(0).dtype();
  TRY_ASSIGN(context.outputs[0], loss_of(problem, reduction, context.tensor(1).shape(), dtype));
  if (context.outputs.size() > 1 && context.wanted[1]) {
    TRY_ASSIGN(context.outputs[1], rounded(problem.scores, dtype));
  }
  return {};
}

constexpr OpDef kLoss[] = {
    {.name = "NegativeLogLikelihoodLoss",
     .since = {12, 13, 22},
     .infer = infer_loss,
     .eval = eval_likelihood,
     .axes = kLossAxes},
    {.name = "SoftmaxCrossEntropyLoss",
     .since = {12, 13},
     .infer = infer_loss,
     .eval = eval_cross_entropy,
     .axes = kLossAxes},
};

}  // namespace

std::span<const OpDef> loss_ops() { return kLoss; }

}  // namespace pawl::ops
