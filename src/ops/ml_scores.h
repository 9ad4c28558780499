// Scores of classes and targets: what is made of them before they leave an operator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ops/ml_rows.h"
#include "pawl/error.h"

namespace pawl::ops {

enum class PostTransform : std::uint8_t { none, softmax, logistic, softmax_zero, probit };

/// Attribute post_transform, a word. Errors: bad_value.
Result<PostTransform> post_transform_of(const Attributes& attributes);

/// Applies it to one row of scores, in place. softmax_zero leaves a score of 0 at 0; probit is the inverse of the
/// normal distribution's integral.
void transform_scores(PostTransform transform, std::span<double> scores);

double logistic(double x);

/// The place of the greatest score; the first of equal ones, and 0 of none.
std::int64_t greatest(std::span<const double> scores);

/// One row of scores after the other, all of one length.
struct ScoreTable {
  std::int64_t columns = 0;
  std::vector<double> scores;

  void add(std::span<const double> row) {
    columns = static_cast<std::int64_t>(row.size());
    scores.insert(scores.end(), row.begin(), row.end());
  }
  /// A tensor [rows, columns]. Errors: limit.
  [[nodiscard]] Result<Tensor> tensor(std::int64_t rows, DType dtype) const;
};

}  // namespace pawl::ops
