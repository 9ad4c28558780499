// What nodes that only say where elements are gave the last time: in a model that runs step by step it is the same.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"
#include "pawl/tensor.h"

namespace pawl::reference {

/// Whether a node's outputs are views of its first input that depend on nothing but how that one lies in memory.
///   constant : by value of the graph: known before the run
bool only_moves(const graph::Node& node, const std::vector<bool>& constant);

/// The results of one such node.
class SeenViews {
 public:
  /// Gives the results again, if the input lies as it did; those that are not wanted stay none.
  [[nodiscard]] bool recall(const Tensor& input, std::span<Value> results) const;
  /// Results that are not where the input is (operators may copy) are forgotten.
  void remember(const Tensor& input, std::span<const Value> results);

 private:
  struct View {
    bool wanted = false;
    Dims shape, strides;
    std::int64_t offset = 0;  ///< in elements
  };
  Dims shape_, strides_;
  DType dtype_ = DType::undefined;
  std::vector<View> views_;  ///< by result; empty: nothing is known
};

}  // namespace pawl::reference
