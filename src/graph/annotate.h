// Writes what inference finds into an imported graph, and holds it against what the file declares.
#pragma once

#include "graph/import.h"

namespace pawl::graph {

/// Fills ValueInfo::fact of every value, in bodies too. Errors as infer_graph; with `problems`, all of them are added.
/// Adds warnings for wrong declarations that do not matter.
Result<void> annotate(Imported& imported, Problems* problems);

}  // namespace pawl::graph
