// Ensembles of decision trees, in one form for all versions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/op.h"

namespace pawl::ops {

enum class Branch : std::uint8_t { leq, lt, gte, gt, eq, neq, member, leaf };

/// What a leaf adds to one class or target.
struct Vote {
  std::int64_t target = 0;
  double weight = 0;
};

struct TreeNode {
  Branch branch = Branch::leaf;
  std::int64_t feature = 0;
  double threshold = 0;
  bool missing_is_true = false;  ///< where NaN goes
  std::size_t if_true = 0;       ///< node, for all but leaves
  std::size_t if_false = 0;
  std::vector<double> members;  ///< member: the values that are true
  std::vector<Vote> votes;      ///< leaf
};

struct Forest {
  std::vector<TreeNode> nodes;
  std::vector<std::size_t> roots;  ///< one per tree
};

/// The forest of TreeEnsembleClassifier ("class") and TreeEnsembleRegressor ("target"), whose votes are attributes with
/// that prefix. Errors: bad_model.
Result<Forest> forest_of(const Attributes& attributes, std::string_view votes);

/// The forest of TreeEnsemble-5. Errors: bad_model.
Result<Forest> ensemble_of(const Attributes& attributes);

enum class Aggregate : std::uint8_t { average, sum, min, max };

/// One row's scores for `targets` targets; those that no tree votes for get 0. Errors: bad_shape, when a node asks for
/// a feature that the row does not have; bad_model, when a tree has no end or votes for a target that is not there.
Result<std::vector<double>> scores_of(const Forest& forest, std::span<const double> row, std::int64_t targets,
                                      Aggregate aggregate);

}  // namespace pawl::ops
