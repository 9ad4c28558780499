// onnx::Model to graph::Graph: names resolved by scope, functions inlined, opset versions resolved to rows, nodes
// sorted, types inferred, captures made explicit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "onnx/model.h"
#include "pawl/program.h"

namespace pawl::graph {

/// An imported model: its main graph, whose inputs are what a caller must or may give.
struct Imported {
  std::unique_ptr<Graph> graph;
  /// For each graph input: its default from an initializer of the same name (IR <= 3), else undefined.
  std::vector<Tensor> defaults;
  /// Things that are wrong with the file but do not stand in the way.
  std::vector<std::string> warnings;
  /// Calls that gave way to their bodies in the function table.
  std::size_t expanded = 0;
};

struct ImportOptions {
  /// Which operators of the function table (ops/functions.h) give way to their bodies.
  Expansion expansion = Expansion::needed;
};

/// Collects every problem instead of stopping at the first one. Used by `pawl check`.
using Problems = std::vector<Error>;

/// Errors: bad_model, bad_shape, bad_type, unsupported. With `problems`, all that were found are added to it and the
/// first one is returned.
Result<Imported> import(const onnx::Model& model, Problems* problems = nullptr, const ImportOptions& options = {});

}  // namespace pawl::graph
