// Writes what inference finds into an imported graph, and holds it against what the file declares.
#pragma once

#include <functional>

#include "graph/import.h"

namespace pawl::graph {

/// Brings ValueInfo::fact of every value up to date, in bodies too, from the types of the graph's inputs.
/// Errors as infer_graph; with `problem`, which may be empty, they go there instead.
Result<void> infer_all(Graph& graph, const std::function<void(Error)>& problem = nullptr);

/// Fills ValueInfo::fact of every value, in bodies too. Errors as infer_graph; with `problems`, all of them are added.
/// Adds warnings for wrong declarations that do not matter.
Result<void> annotate(Imported& imported, Problems* problems);

}  // namespace pawl::graph
