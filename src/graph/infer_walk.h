// Inference over a graph and the bodies inside it. infer.cpp holds graphs and operators; infer_bodies.cpp control flow.
#pragma once

#include "graph/infer.h"

namespace pawl::graph {

class InferWalk {
 public:
  using Facts = std::vector<ops::Fact>;
  explicit InferWalk(const InferSinks& sinks) : sinks_(sinks) {}

  Result<Facts> graph(const Graph& graph, Facts inputs, Facts captured);

 private:
  Result<Facts> node(const Node& node, const Facts& facts);
  Result<Facts> bodies(const Node& node, std::span<const ops::Fact* const> inputs, const Facts& facts);
  Result<Facts> scan(const ScanOp& scan, const Facts& inputs, const Facts& outer);
  Result<Facts> loop(const LoopOp& loop, const Facts& inputs, const Facts& outer, std::size_t output_count);
  Result<Facts> branch(const IfOp& branch, const Facts& inputs, const Facts& outer);
  /// Facts of the body's outputs.
  Result<Facts> body(const Body& body, Facts inputs, const Facts& outer);

  const InferSinks& sinks_;
  int branch_depth_ = 0;
};

}  // namespace pawl::graph
