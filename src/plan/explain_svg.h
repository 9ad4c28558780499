// A picture of a Scan's body.
#pragma once

#include <map>

#include "scan/pass.h"

namespace pawl::plan {

/// What is said of a Scan in a line, by its label.
using Summaries = std::map<std::string, std::string>;

/// The bodies of a graph's Scans, below each other: what was hoisted to the left of the loop's box, what was sunk to
/// the right of it, states as arrows that come back.
///   notes : what the passes did, of all Scans
std::string to_svg(const graph::Graph& graph, const std::vector<scan::Note>& notes, const Summaries& summaries);

}  // namespace pawl::plan
