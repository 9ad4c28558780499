#include "ops/ml_tree.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ops/ml_rows.h"
#include "ops/resample.h"

namespace pawl::ops {
namespace {

Result<Branch> branch_of(const std::string& mode) {
  if (mode == "BRANCH_LEQ") return Branch::leq;
  if (mode == "BRANCH_LT") return Branch::lt;
  if (mode == "BRANCH_GTE") return Branch::gte;
  if (mode == "BRANCH_GT") return Branch::gt;
  if (mode == "BRANCH_EQ") return Branch::eq;
  if (mode == "BRANCH_NEQ") return Branch::neq;
  if (mode == "LEAF") return Branch::leaf;
  return fail(Code::bad_value, "\"{}\" is not a node mode", mode);
}

/// Lists that speak of the same things must be of one length.
Result<void> same_length(std::string_view what, std::size_t size, std::size_t expected) {
  if (size == expected) return {};
  return fail(Code::bad_model, "{} has {} entries, and {} are needed", what, size, expected);
}

using NodeKey = std::pair<std::int64_t, std::int64_t>;  ///< tree, node
using NodeIndex = std::map<NodeKey, std::size_t>;

Result<std::size_t> node_at(const NodeIndex& index, std::int64_t tree, std::int64_t node) {
  const auto found = index.find({tree, node});
  if (found == index.end()) return fail(Code::bad_model, "tree {} has no node {}", tree, node);
  return found->second;
}

Result<void> add_votes(const Attributes& attributes, const std::string& prefix, const NodeIndex& index,
                       Forest& forest) {
  const auto trees = attributes.integers(prefix + "_treeids");
  const auto nodes = attributes.integers(prefix + "_nodeids");
  const auto targets = attributes.integers(prefix + "_ids");
  TRY_ASSIGN(const std::vector<double> weights, reals(attributes, prefix + "_weights", prefix + "_weights_as_tensor"));
  TRY(same_length(prefix + "_nodeids", nodes.size(), trees.size()));
  TRY(same_length(prefix + "_ids", targets.size(), trees.size()));
  TRY(same_length(prefix + "_weights", weights.size(), trees.size()));
  for (std::size_t i = 0; i < trees.size(); ++i) {
    TRY_ASSIGN(const std::size_t node, node_at(index, trees[i], nodes[i]));
    forest.nodes[node].votes.push_back({targets[i], weights[i]});
  }
  return {};
}

bool holds(const TreeNode& node, double value) {
  if (std::isnan(value)) return node.missing_is_true;
  switch (node.branch) {
    case Branch::leq: return value <= node.threshold;
    case Branch::lt: return value < node.threshold;
    case Branch::gte: return value >= node.threshold;
    case Branch::gt: return value > node.threshold;
    case Branch::eq: return value == node.threshold;
    case Branch::neq: return value != node.threshold;
    case Branch::member: return std::find(node.members.begin(), node.members.end(), value) != node.members.end();
    case Branch::leaf: break;
  }
  return false;
}

Result<std::size_t> leaf_of(const Forest& forest, std::size_t node, std::span<const double> row) {
  for (std::size_t steps = 0; steps <= forest.nodes.size(); ++steps) {
    const TreeNode& it = forest.nodes[node];
    if (it.branch == Branch::leaf) return node;
    if (it.feature < 0 || it.feature >= static_cast<std::int64_t>(row.size()))
      return fail(Code::bad_shape, "a node asks for feature {} of {}", it.feature, row.size());
    node = holds(it, row[static_cast<std::size_t>(it.feature)]) ? it.if_true : it.if_false;
  }
  return fail(Code::bad_model, "a tree goes in circles");
}

/// The lists of values of the member nodes, in the order of the nodes, each ended by a NaN.
Result<void> add_members(const Attributes& attributes, Forest& forest) {
  std::vector<double> values;
  if (const auto* tensor = attributes.get<Tensor>("membership_values")) {
    TRY_ASSIGN(const Tensor numbers, to_double(*tensor));
    values.assign(numbers.values<double>().begin(), numbers.values<double>().end());
  }
  auto next = values.begin();
  for (TreeNode& node : forest.nodes) {
    if (node.branch != Branch::member) continue;
    if (next == values.end()) return fail(Code::bad_model, "membership_values ends before the last member node");
    const auto end = std::find_if(next, values.end(), [](double value) { return std::isnan(value); });
    node.members.assign(next, end);
    next = end == values.end() ? end : end + 1;
  }
  return {};
}

/// One tensor attribute of TreeEnsemble-5 as doubles.
Result<std::vector<double>> numbers_of(const Attributes& attributes, std::string_view name) {
  const auto* tensor = attributes.get<Tensor>(name);
  if (tensor == nullptr) return fail(Code::bad_model, "{} is missing", name);
  TRY_ASSIGN(const Tensor numbers, to_double(*tensor));
  const auto values = numbers.values<double>();
  return std::vector<double>(values.begin(), values.end());
}

/// Where a branch of TreeEnsemble-5 leads: to a node, or to a leaf, which stands behind the nodes.
Result<std::size_t> branch_target(std::int64_t id, bool leaf, std::size_t nodes, std::size_t leaves) {
  const auto limit = static_cast<std::int64_t>(leaf ? leaves : nodes);
  if (id < 0 || id >= limit)
    return fail(Code::bad_model, "a branch leads to {} {} of {}", leaf ? "leaf" : "node", id, limit);
  return static_cast<std::size_t>(id) + (leaf ? nodes : 0);
}

}  // namespace

Result<Forest> forest_of(const Attributes& attributes, std::string_view votes) {
  const auto trees = attributes.integers("nodes_treeids");
  const auto ids = attributes.integers("nodes_nodeids");
  const auto features = attributes.integers("nodes_featureids");
  const auto if_true = attributes.integers("nodes_truenodeids");
  const auto if_false = attributes.integers("nodes_falsenodeids");
  const auto missing = attributes.integers("nodes_missing_value_tracks_true");
  const std::vector<std::string> modes = texts(attributes, "nodes_modes");
  TRY_ASSIGN(const std::vector<double> values, reals(attributes, "nodes_values", "nodes_values_as_tensor"));
  TRY(same_length("nodes_nodeids", ids.size(), trees.size()));
  TRY(same_length("nodes_featureids", features.size(), trees.size()));
  TRY(same_length("nodes_truenodeids", if_true.size(), trees.size()));
  TRY(same_length("nodes_falsenodeids", if_false.size(), trees.size()));
  TRY(same_length("nodes_modes", modes.size(), trees.size()));
  TRY(same_length("nodes_values", values.size(), trees.size()));
  if (!missing.empty()) TRY(same_length("nodes_missing_value_tracks_true", missing.size(), trees.size()));
  Forest forest;
  NodeIndex index;
  std::map<std::int64_t, std::size_t> roots;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    if (!index.emplace(NodeKey{trees[i], ids[i]}, i).second)
      return fail(Code::bad_model, "tree {} has node {} twice", trees[i], ids[i]);
    roots.emplace(trees[i], i);
  }
  for (std::size_t i = 0; i < trees.size(); ++i) {
    TreeNode node;
    TRY_ASSIGN(node.branch, branch_of(modes[i]));
    node.feature = features[i];
    node.threshold = values[i];
    node.missing_is_true = !missing.empty() && missing[i] != 0;
    if (node.branch != Branch::leaf) {
      TRY_ASSIGN(node.if_true, node_at(index, trees[i], if_true[i]));
      TRY_ASSIGN(node.if_false, node_at(index, trees[i], if_false[i]));
    }
    forest.nodes.push_back(std::move(node));
  }
  // The first node of a tree is its root.
  for (const auto& [tree, root] : roots) forest.roots.push_back(root);
  TRY(add_votes(attributes, std::string(votes), index, forest));
  return forest;
}

Result<Forest> ensemble_of(const Attributes& attributes) {
  TRY_ASSIGN(const std::vector<double> modes, numbers_of(attributes, "nodes_modes"));
  TRY_ASSIGN(const std::vector<double> splits, numbers_of(attributes, "nodes_splits"));
  TRY_ASSIGN(const std::vector<double> weights, numbers_of(attributes, "leaf_weights"));
  const auto features = attributes.integers("nodes_featureids");
  const auto if_true = attributes.integers("nodes_truenodeids");
  const auto if_false = attributes.integers("nodes_falsenodeids");
  const auto true_leafs = attributes.integers("nodes_trueleafs");
  const auto false_leafs = attributes.integers("nodes_falseleafs");
  const auto missing = attributes.integers("nodes_missing_value_tracks_true");
  const auto targets = attributes.integers("leaf_targetids");
  const std::size_t count = modes.size();
  TRY(same_length("nodes_splits", splits.size(), count));
  TRY(same_length("nodes_featureids", features.size(), count));
  TRY(same_length("nodes_truenodeids", if_true.size(), count));
  TRY(same_length("nodes_falsenodeids", if_false.size(), count));
  TRY(same_length("nodes_trueleafs", true_leafs.size(), count));
  TRY(same_length("nodes_falseleafs", false_leafs.size(), count));
  TRY(same_length("leaf_weights", weights.size(), targets.size()));
  if (!missing.empty()) TRY(same_length("nodes_missing_value_tracks_true", missing.size(), count));
  Forest forest;
  for (std::size_t i = 0; i < count; ++i) {
    TreeNode node;
    if (!(modes[i] >= 0 && modes[i] <= 6)) return fail(Code::bad_value, "{} is not a node mode", modes[i]);
    node.branch = static_cast<Branch>(modes[i]);
    node.feature = features[i];
    node.threshold = splits[i];
    node.missing_is_true = !missing.empty() && missing[i] != 0;
    TRY_ASSIGN(node.if_true, branch_target(if_true[i], true_leafs[i] != 0, count, targets.size()));
    TRY_ASSIGN(node.if_false, branch_target(if_false[i], false_leafs[i] != 0, count, targets.size()));
    forest.nodes.push_back(std::move(node));
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    TreeNode leaf;
    leaf.votes.push_back({targets[i], weights[i]});
    forest.nodes.push_back(std::move(leaf));
  }
  for (const std::int64_t root : attributes.integers("tree_roots")) {
    TRY_ASSIGN(const std::size_t node, branch_target(root, false, count, 0));
    forest.roots.push_back(node);
  }
  TRY(add_members(attributes, forest));
  return forest;
}

Result<std::vector<double>> scores_of(const Forest& forest, std::span<const double> row, std::int64_t targets,
                                      Aggregate aggregate) {
  std::vector<double> scores(static_cast<std::size_t>(targets), 0);
  std::vector<bool> voted(scores.size(), false);
  for (const std::size_t root : forest.roots) {
    TRY_ASSIGN(const std::size_t leaf, leaf_of(forest, root, row));
    for (const Vote& vote : forest.nodes[leaf].votes) {
      if (vote.target < 0 || vote.target >= targets)
        return fail(Code::bad_model, "a vote for {} of {}", vote.target, targets);
      const auto at = static_cast<std::size_t>(vote.target);
      if (!voted[at])
        scores[at] = vote.weight;
      else if (aggregate == Aggregate::min)
        scores[at] = std::min(scores[at], vote.weight);
      else if (aggregate == Aggregate::max)
        scores[at] = std::max(scores[at], vote.weight);
      else
        scores[at] += vote.weight;
      voted[at] = true;
    }
  }
  if (aggregate == Aggregate::average && !forest.roots.empty())
    for (double& score : scores) score /= static_cast<double>(forest.roots.size());
  return scores;
}

}  // namespace pawl::ops
