// What a compiled program holds.
#pragma once

#include "backend/cpu/scan_kernels.h"
#include "backend/reference/evaluate.h"
#include "graph/graph.h"
#include "pawl/program.h"
#include "runtime/model.h"

namespace pawl {

struct Program::State {
  std::shared_ptr<const Model::State> model;
  std::size_t expansions = 0;                 ///< operators that gave way to their functions
  std::shared_ptr<const graph::Graph> graph;  ///< what is run: the model's own, or rewritten
  std::vector<scan::ScanFacts> facts;         ///< of the graph, where the reference runs Scans in parts
  std::shared_ptr<const reference::Prepared> reference;
  std::unique_ptr<cpu::ScanKernels> kernels;  ///< null: the evaluator runs Scans
  Guarantee guarantee = Guarantee::deterministic;
  int threads = 1;  ///< that one run may use

  Result<std::vector<Value>> accept(std::vector<Value> inputs) const;
  Result<std::vector<Value>> run(std::vector<Value> inputs, const RunOptions& options) const;
  Result<Work> work(std::span<const Value> inputs) const;
};

}  // namespace pawl
