// Scans whose elements are made block by block of steps, so that they are never there as a whole.
#pragma once

#include <set>

#include "kernel/node_groups.h"

namespace pawl::reference {

/// The nodes that make the elements of a Scan and nothing else, each of which makes any range of steps from the same
/// range of what it reads.
struct ElementMakers {
  const graph::Node* scan = nullptr;
  std::set<const graph::Node*> nodes;
  struct Source {
    graph::ValueId id;
    int axis = -1;  ///< that of time; -1: it is read as a whole
  };
  std::vector<Source> sources;     ///< what they read, constants apart
  std::int64_t bytes_of_step = 0;  ///< of all that they make
};

/// Those of the graph's Scans; moves them in the order to where their Scan is.
std::vector<ElementMakers> gather_element_makers(const graph::Graph& graph, kernel::GroupedNodes& nodes);

}  // namespace pawl::reference
