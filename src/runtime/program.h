// What a compiled program holds.
#pragma once

#include "backend/reference/evaluate.h"
#include "pawl/program.h"
#include "runtime/model.h"

namespace pawl {

struct Program::State {
  std::shared_ptr<const Model::State> model;
  graph::Imported expanded;  ///< the model with its functions expanded; without a graph: as it was loaded
  std::shared_ptr<const reference::Prepared> reference;
  Guarantee guarantee = Guarantee::deterministic;

  Result<std::vector<Value>> accept(std::span<const Value> inputs) const;
  Result<std::vector<Value>> run(std::span<const Value> inputs, const RunOptions& options) const;
};

}  // namespace pawl
