#include "ops/ml_scores.h"

#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "ops/resample.h"

namespace pawl::ops {
namespace {

/// The x with erf(x) = y, by Newton's method from a guess that is right to three digits.
double inverse_erf(double y) {
  if (!(y > -1 && y < 1)) return y == 1 || y == -1 ? y * std::numeric_limits<double>::infinity() : std::nan("");
  constexpr double kPi = 3.14159265358979323846;
  constexpr double kA = 0.147;
  const double log = std::log1p(-y * y);
  const double half = 2 / (kPi * kA) + log / 2;
  double x = std::copysign(std::sqrt(std::sqrt(half * half - log / kA) - half), y);
  for (int i = 0; i < 3; ++i) x -= (std::erf(x) - y) * std::sqrt(kPi) / 2 * std::exp(x * x);
  return x;
}

void softmax(std::span<double> scores, bool keep_zero) {
  if (scores.empty()) return;
  // What is this close to 0 counts as 0.
  constexpr double kZero = 1e-7;
  const double most = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) {
    if (keep_zero && std::abs(score) <= kZero) {
      score *= std::exp(-most);
      continue;
    }
    score = std::exp(score - most);
    sum += score;
  }
  if (sum == 0) return;
  for (double& score : scores) score /= sum;
}

}  // namespace

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

Result<PostTransform> post_transform_of(const Attributes& attributes) {
  const std::string word = attributes.text("post_transform", "NONE");
  if (word == "NONE") return PostTransform::none;
  if (word == "SOFTMAX") return PostTransform::softmax;
  if (word == "LOGISTIC") return PostTransform::logistic;
  if (word == "SOFTMAX_ZERO") return PostTransform::softmax_zero;
  if (word == "PROBIT") return PostTransform::probit;
  return fail(Code::bad_value, "\"{}\" is not a post_transform", word);
}

void transform_scores(PostTransform transform, std::span<double> scores) {
  switch (transform) {
    case PostTransform::none: return;
    case PostTransform::softmax: return softmax(scores, false);
    case PostTransform::softmax_zero: return softmax(scores, true);
    case PostTransform::logistic:
      for (double& score : scores) score = logistic(score);
      return;
    case PostTransform::probit:
      for (double& score : scores) score = std::sqrt(2.0) * inverse_erf(2 * score - 1);
      return;
  }
}

std::int64_t greatest(std::span<const double> scores) {
  return scores.empty() ? 0 : std::max_element(scores.begin(), scores.end()) - scores.begin();
}

Result<Tensor> ScoreTable::tensor(std::int64_t rows, DType dtype) const {
  const Tensor table = Tensor::borrow(DType::f64, {rows, rows == 0 ? 0 : columns}, scores.data());
  return from_double(table, dtype);
}

}  // namespace pawl::ops
