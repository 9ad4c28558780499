// A recurrence of examples/, ready to run.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/reference/prepare.h"
#include "base/try.h"
#include "graph/import.h"
#include "graph/specialise.h"
#include "onnx/read.h"
#include "scan/pass.h"

namespace pawl::bench {

struct Example {
  std::unique_ptr<graph::Graph> graph;  ///< rewritten for kernels
  std::shared_ptr<const reference::Prepared> prepared;
};

/// The example with these extents. Errors of reading, importing and rewriting it.
inline Result<Example> read_example(std::string_view name,
                                    const std::vector<std::pair<std::string, std::int64_t>>& extents) {
  TRY_ASSIGN(const onnx::Model model, onnx::read_model(fmt::format("examples/recurrences/{}.onnxtxt", name)));
  TRY_ASSIGN(const graph::Imported imported, graph::import(model, nullptr));
  TRY_ASSIGN(const graph::Graph sized, graph::specialise(*imported.graph, extents));
  TRY_ASSIGN(graph::Graph graph, scan::run_passes(sized, scan::Runner::kernel));
  Example made{std::make_unique<graph::Graph>(std::move(graph)), nullptr};
  TRY_ASSIGN(made.prepared, reference::prepare(*made.graph));
  return made;
}

}  // namespace pawl::bench
