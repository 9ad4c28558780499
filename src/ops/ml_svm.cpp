// SVMClassifier and SVMRegressor of ai.onnx.ml.
#include <cmath>
#include <numeric>

#include "ops/extents.h"
#include "ops/families.h"
#include "ops/ml_scores.h"

namespace pawl::ops {
namespace {

struct Kernel {
  std::string type = "LINEAR";
  double gamma = 0;
  double coef0 = 0;
  double degree = 0;

  [[nodiscard]] double operator()(std::span<const double> a, const double* b) const {
    double dot = 0;
    double distance = 0;
    for (const double value : a) {
      dot += value * *b;
      distance += (value - *b) * (value - *b);
      ++b;
    }
    if (type == "POLY") return std::pow(gamma * dot + coef0, degree);
    if (type == "SIGMOID") return std::tanh(gamma * dot + coef0);
    if (type == "RBF") return std::exp(-gamma * distance);
    return dot;
  }
};

Result<Kernel> kernel_of(const Attributes& attributes) {
  Kernel kernel;
  kernel.type = attributes.text("kernel_type", "LINEAR");
  if (kernel.type != "LINEAR" && kernel.type != "POLY" && kernel.type != "RBF" && kernel.type != "SIGMOID")
    return fail(Code::bad_value, "\"{}\" is not a kernel_type", kernel.type);
  TRY_ASSIGN(const std::vector<double> parameters, reals(attributes, "kernel_params"));
  if (parameters.empty()) return kernel;
  if (parameters.size() != 3)
    return fail(Code::bad_model, "kernel_params has {} numbers instead of 3", parameters.size());
  kernel.gamma = parameters[0];
  kernel.coef0 = parameters[1];
  kernel.degree = parameters[2];
  return kernel;
}

/// Support vectors and what they weigh. Without vectors the coefficients are those of linear functions.
struct Machine {
  Kernel kernel;
  std::int64_t vectors = 0;
  std::vector<double> support;  ///< [vectors, features]
  std::vector<double> coefficients;
  std::vector<double> rho;
};

Result<Machine> machine_of(const Attributes& attributes, std::int64_t vectors, std::int64_t features) {
  Machine machine;
  machine.vectors = vectors;
  TRY_ASSIGN(machine.kernel, kernel_of(attributes));
  TRY_ASSIGN(machine.support, reals(attributes, "support_vectors"));
  TRY_ASSIGN(machine.coefficients, reals(attributes, "coefficients"));
  TRY_ASSIGN(machine.rho, reals(attributes, "rho"));
  std::int64_t size = 0;
  const bool fits =
      !__builtin_mul_overflow(vectors, features, &size) && size == static_cast<std::int64_t>(machine.support.size());
  if (vectors > 0 && !fits)
    return fail(Code::bad_shape, "{} numbers in support_vectors for {} vectors of {}", machine.support.size(), vectors,
                features);
  if (vectors == 0) machine.kernel.type = "LINEAR";
  return machine;
}

/// Errors: bad_shape, unless a list of the model has as many numbers as it must have.
Result<void> check_size(std::string_view what, std::size_t size, std::int64_t expected) {
  if (static_cast<std::int64_t>(size) >= expected) return {};
  return fail(Code::bad_shape, "{} has {} numbers, and {} are needed", what, size, expected);
}

struct Classifier {
  Machine machine;
  Labels labels;
  std::int64_t classes = 1;
  std::vector<std::int64_t> per_class;  ///< support vectors of each class
  std::vector<double> prob_a;
  std::vector<double> prob_b;
  PostTransform transform = PostTransform::none;
  bool positive = true;  ///< no coefficient is negative
};

Result<Classifier> classifier_of(const Attributes& attributes, std::int64_t features) {
  Classifier it;
  TRY_ASSIGN(it.transform, post_transform_of(attributes));
  TRY_ASSIGN(it.labels, labels_of(attributes, "classlabels_ints"));
  it.classes = std::max<std::int64_t>(it.labels.size(), 1);
  std::int64_t vectors = 0;
  for (const std::int64_t count : attributes.integers("vectors_per_class")) {
    if (count < 0 || __builtin_add_overflow(vectors, count, &vectors))
      return fail(Code::bad_value, "{} vectors of a class", count);
    it.per_class.push_back(count);
  }
  TRY_ASSIGN(it.machine, machine_of(attributes, vectors, features));
  TRY_ASSIGN(it.prob_a, reals(attributes, "prob_a"));
  TRY_ASSIGN(it.prob_b, reals(attributes, "prob_b"));
  for (const double coefficient : it.machine.coefficients) it.positive = it.positive && coefficient >= 0;
  if (it.classes > (1 << 16)) return fail(Code::limit, "{} classes", it.classes);
  const std::int64_t pairs = it.classes * (it.classes - 1) / 2;
  if (vectors == 0) {
    std::int64_t size = 0;
    if (__builtin_mul_overflow(it.classes, features, &size)) return fail(Code::limit, "{} features", features);
    TRY(check_size("coefficients", it.machine.coefficients.size(), size));
    TRY(check_size("rho", it.machine.rho.size(), 1));
    return it;
  }
  if (static_cast<std::int64_t>(it.per_class.size()) != it.classes)
    return fail(Code::bad_shape, "vectors_per_class speaks of {} classes, and there are {}", it.per_class.size(),
                it.classes);
  std::int64_t size = 0;
  if (__builtin_mul_overflow(it.classes - 1, vectors, &size)) return fail(Code::limit, "{} support vectors", vectors);
  TRY(check_size("coefficients", it.machine.coefficients.size(), size));
  TRY(check_size("rho", it.machine.rho.size(), pairs));
  if (!it.prob_a.empty()) {
    TRY(check_size("prob_a", it.prob_a.size(), pairs));
    TRY(check_size("prob_b", it.prob_b.size(), pairs));
  }
  return it;
}

/// Decisions between every two classes, and how many of them each class wins.
void decide(const Classifier& it, std::span<const double> row, std::vector<double>& decisions,
            std::vector<double>& votes) {
  const Machine& machine = it.machine;
  std::vector<double> kernels;
  for (std::int64_t j = 0; j < machine.vectors; ++j)
    kernels.push_back(machine.kernel(row, machine.support.data() + j * static_cast<std::int64_t>(row.size())));
  std::vector<std::int64_t> start;
  std::exclusive_scan(it.per_class.begin(), it.per_class.end(), std::back_inserter(start), std::int64_t{0});
  const auto part = [&](std::int64_t of, std::int64_t against) {
    double sum = 0;
    const std::int64_t first = start[static_cast<std::size_t>(of)];
    for (std::int64_t k = first; k < first + it.per_class[static_cast<std::size_t>(of)]; ++k)
      sum += machine.coefficients[static_cast<std::size_t>(against * machine.vectors + k)] *
             kernels[static_cast<std::size_t>(k)];
    return sum;
  };
  votes.assign(static_cast<std::size_t>(it.classes), 0);
  for (std::int64_t i = 0; i < it.classes; ++i) {
    for (std::int64_t j = i + 1; j < it.classes; ++j) {
      const double decision = machine.rho[decisions.size()] + part(i, j - 1) + part(j, i);
      decisions.push_back(decision);
      ++votes[static_cast<std::size_t>(decision > 0 ? i : j)];
    }
  }
}

/// Probabilities of the classes from those of every pair (Wu, Lin and Weng, 2004, the second method).
std::vector<double> coupled(const std::vector<double>& pairwise, std::size_t k) {
  std::vector<double> q(k * k, 0);
  std::vector<double> p(k, 1.0 / static_cast<double>(k));
  std::vector<double> qp(k, 0);
  for (std::size_t t = 0; t < k; ++t) {
    for (std::size_t j = 0; j < k; ++j) {
      if (j == t) continue;
      q[t * k + t] += pairwise[j * k + t] * pairwise[j * k + t];
      q[t * k + j] = -pairwise[j * k + t] * pairwise[t * k + j];
    }
  }
  const std::size_t rounds = std::max<std::size_t>(100, k);
  for (std::size_t round = 0; round < rounds; ++round) {
    double pqp = 0;
    for (std::size_t t = 0; t < k; ++t) {
      qp[t] = std::inner_product(p.begin(), p.end(), q.begin() + static_cast<std::ptrdiff_t>(t * k), 0.0);
      pqp += p[t] * qp[t];
    }
    double error = 0;
    for (const double value : qp) error = std::max(error, std::abs(value - pqp));
    if (error < 0.005 / static_cast<double>(k)) break;
    for (std::size_t t = 0; t < k; ++t) {
      const double step = (pqp - qp[t]) / q[t * k + t];
      p[t] += step;
      pqp = (pqp + step * (step * q[t * k + t] + 2 * qp[t])) / (1 + step) / (1 + step);
      for (std::size_t j = 0; j < k; ++j) {
        qp[j] = (qp[j] + step * q[t * k + j]) / (1 + step);
        p[j] /= 1 + step;
      }
    }
  }
  return p;
}

std::vector<double> probabilities(const Classifier& it, const std::vector<double>& decisions) {
  const auto k = static_cast<std::size_t>(it.classes);
  std::vector<double> pairwise(k * k, 0);
  std::size_t next = 0;
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = i + 1; j < k; ++j, ++next) {
      const double chance = 1 - logistic(decisions[next] * it.prob_a[next] + it.prob_b[next]);
      pairwise[i * k + j] = std::clamp(chance, 1e-7, 1 - 1e-7);
      pairwise[j * k + i] = 1 - pairwise[i * k + j];
    }
  }
  return coupled(pairwise, k);
}

/// The class of a row; its scores are added to the table.
std::int64_t classify(const Classifier& it, std::span<const double> row, ScoreTable& table) {
  std::vector<double> scores;
  std::vector<double> votes;
  const bool proba = it.machine.vectors > 0 && !it.prob_a.empty();
  if (it.machine.vectors > 0) {
    decide(it, row, scores, votes);
    if (proba) scores = probabilities(it, scores);
  } else {
    for (std::int64_t k = 0; k < it.classes; ++k)
      scores.push_back(it.machine.rho[0] + it.machine.kernel(row, it.machine.coefficients.data() +
                                                                      k * static_cast<std::int64_t>(row.size())));
  }
  const std::vector<double>& weights = votes.empty() ? scores : votes;
  std::int64_t winner = greatest(weights);
  const double most = weights.empty() ? 0 : weights[static_cast<std::size_t>(winner)];
  if (it.machine.rho.size() == 1) {
    if (it.labels.size() == 2 && !proba && it.positive && most >= 0.5) winner = 1;
    if (it.labels.size() != 2) winner = most > 0 ? 1 : 0;
  }
  // One decision between two classes is a score for the one and against the other.
  if (scores.size() == 1 && it.labels.size() == 2) scores = {-scores[0], scores[0]};
  transform_scores(it.transform, scores);
  table.add(scores);
  return winner;
}

Result<void> infer_svm_classifier(InferContext& context) {
  TRY(post_transform_of(context.attributes));
  TRY(kernel_of(context.attributes));
  TRY_ASSIGN(const Labels labels, labels_of(context.attributes, "classlabels_ints"));
  context.outputs[0] = Type::tensor(labels.dtype(), {row_count(context.shape(0))});
  if (context.outputs.size() > 1) context.outputs[1] = Type::tensor(DType::f32, rows_shape(context, Dim()));
  return {};
}

Result<void> eval_svm_classifier(EvalContext& context) {
  TRY_ASSIGN(const Rows rows, rows_of(context.tensor(0)));
  TRY_ASSIGN(const Classifier classifier, classifier_of(context.attributes, rows.features));
  std::vector<std::int64_t> classes;
  ScoreTable table;
  for (std::int64_t i = 0; i < rows.count; ++i) classes.push_back(classify(classifier, rows[i], table));
  TRY_ASSIGN(context.outputs[0], classifier.labels.of(classes));
  if (context.outputs.size() > 1) {
    TRY_ASSIGN(context.outputs[1], table.tensor(rows.count, DType::f32));
  }
  return {};
}

Result<void> infer_svm_regressor(InferContext& context) {
  TRY(post_transform_of(context.attributes));
  TRY(kernel_of(context.attributes));
  context.outputs[0] = Type::tensor(DType::f32, rows_shape(context, Dim(1)));
  return {};
}

Result<void> eval_svm_regressor(EvalContext& context) {
  TRY_ASSIGN(const PostTransform transform, post_transform_of(context.attributes));
  TRY_ASSIGN(const Rows rows, rows_of(context.tensor(0)));
  const std::int64_t vectors = context.attributes.integer("n_supports", 0);
  if (vectors < 0) return fail(Code::bad_value, "{} support vectors", vectors);
  TRY_ASSIGN(const Machine machine, machine_of(context.attributes, vectors, rows.features));
  TRY(check_size("coefficients", machine.coefficients.size(), vectors > 0 ? vectors : rows.features));
  TRY(check_size("rho", machine.rho.size(), 1));
  const bool one_class = context.attributes.integer("one_class", 0) != 0;
  ScoreTable table;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    double sum = machine.rho[0];
    for (std::int64_t j = 0; j < vectors; ++j)
      sum += machine.coefficients[static_cast<std::size_t>(j)] *
             machine.kernel(rows[i], machine.support.data() + j * rows.features);
    if (vectors == 0) sum += machine.kernel(rows[i], machine.coefficients.data());
    double score = one_class ? (sum > 0 ? 1 : -1) : sum;
    transform_scores(transform, {&score, 1});
    table.add({&score, 1});
  }
  TRY_ASSIGN(context.outputs[0], table.tensor(rows.count, DType::f32));
  return {};
}

}  // namespace

std::span<const OpDef> ml_svm_ops() {
  static constexpr std::string_view kMl = "ai.onnx.ml";
  static const OpDef rows[] = {
      {.name = "SVMClassifier",
       .domain = kMl,
       .since = {1},
       .infer = infer_svm_classifier,
       .eval = eval_svm_classifier,
       .axes = kOpaqueAxes},
      {.name = "SVMRegressor",
       .domain = kMl,
       .since = {1},
       .infer = infer_svm_regressor,
       .eval = eval_svm_regressor,
       .axes = kOpaqueAxes},
  };
  return rows;
}

}  // namespace pawl::ops
