// graph::Graph back to onnx::Model: plain standard ONNX that any runtime loads.
#pragma once

#include "graph/graph.h"
#include "onnx/model.h"

namespace pawl::graph {

struct ExportOptions {
  /// The opset of domain "" to write; 0: the smallest that is not below the original's and has all that is used.
  std::int64_t opset = 0;
  /// Inputs and outputs are declared as what is known of them, where that is more than the original says.
  bool known_types = false;
};

/// The model with its main graph replaced. Inputs and outputs keep their names and declared types; functions are gone,
/// as they were expanded. Body outputs are always values that a node of the body makes, each once: some runtimes need
/// that. Errors: unsupported, naming the operator, where the opset has no way to say what a node does.
Result<onnx::Model> to_model(const Graph& graph, const onnx::Model& original, const ExportOptions& options = {});

}  // namespace pawl::graph
