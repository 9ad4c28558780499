// A picture of a Scan's body.
#pragma once

#include "scan/pass.h"

namespace pawl::plan {

/// The body as the file has it: what was hoisted to the left of the loop's box, what was sunk to the right of it,
/// states as arrows that come back. Scans stand below each other.
///   notes : what the passes did, of all Scans
std::string to_svg(const graph::Graph& graph, const std::vector<scan::Note>& notes);

}  // namespace pawl::plan
