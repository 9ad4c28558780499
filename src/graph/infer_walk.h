// Inference over a graph and the bodies inside it. infer.cpp holds graphs and operators; infer_bodies.cpp control flow.
#pragma once

#include "graph/infer.h"

namespace pawl::graph {

class InferWalk {
 public:
  using Facts = std::vector<ops::Fact>;
  explicit InferWalk(const InferSinks& sinks) : sinks_(sinks) {}

  Result<Facts> graph(const Graph& graph, Facts inputs, Facts captured);
  /// Facts of the first `outputs` outputs of a node, given those of its graph's values.
  Result<Facts> node(const Node& node, std::size_t outputs, const Facts& facts);

 private:
  Result<Facts> bodies(const Node& node, std::size_t outputs, std::span<const ops::Fact* const> inputs,
                       const Facts& facts);
  Result<Facts> scan(const ScanOp& scan, const Facts& inputs, const Facts& outer);
  Result<Facts> loop(const LoopOp& loop, const Facts& inputs, const Facts& outer, std::size_t output_count);
  Result<Facts> branch(const IfOp& branch, const Facts& inputs, const Facts& outer);
  /// Facts of the body's outputs.
  Result<Facts> body(const Body& body, Facts inputs, const Facts& outer);

  /// Loops widen their types in rounds, and loops in loops multiply them; a hostile file must not make that long.
  static constexpr std::size_t kMaxVisits = 4'000'000;

  const InferSinks& sinks_;
  std::size_t visits_ = 0;  ///< of nodes, repeated ones counted again
  int depth_ = 0;           ///< bodies around the node that is looked at
  int branch_depth_ = 0;    ///< those of them that are branches of an If
};

}  // namespace pawl::graph
