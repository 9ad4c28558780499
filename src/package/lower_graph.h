// A graph all of whose extents are known, as a draft.
#pragma once

#include "graph/graph.h"
#include "package/draft.h"
#include "package/lower_loop.h"
#include "pawl/error.h"

namespace pawl::package {

/// Names of a package for what goes in and comes out.
struct Keys {
  std::vector<std::string> inputs;   ///< by input of the graph
  std::vector<std::string> outputs;  ///< by output

  [[nodiscard]] std::vector<std::string> all() const {
    std::vector<std::string> both = inputs;
    both.insert(both.end(), outputs.begin(), outputs.end());
    return both;
  }
};

/// Errors: unsupported, naming the node that has no form in shaders, and why.
Result<Draft> lower(const graph::Graph& graph, const Keys& keys, Chunks chunks);

/// Whether 32 bits do for the 64-bit integers that are computed with. Errors: unsupported, naming the node for which
/// they may not.
Result<void> check_integers(const graph::Graph& graph);

}  // namespace pawl::package
