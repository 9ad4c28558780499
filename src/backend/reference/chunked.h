// Scans in parts, by the algebra of their states' classes: slow, and obviously what the classes say. Tests compare it
// with the loop, so that a class is right before any code generator trusts it.
#pragma once

#include "backend/reference/prepare.h"
#include "scan/facts.h"

namespace pawl::reference {

/// One component of a Scan's states, ready to be run in parts.
struct ChunkedComponent {
  std::vector<std::size_t> states;
  const graph::Body* lift = nullptr;
  std::unique_ptr<Prepared> prepared_lift;
  std::unique_ptr<graph::Graph> combine;  ///< earlier element, later element → element
  std::unique_ptr<Prepared> prepared_combine;
  std::unique_ptr<graph::Graph> act;  ///< element, states → states
  std::unique_ptr<Prepared> prepared_act;
};

/// How a Scan runs in parts. The facts must outlive it.
struct ChunkedScan {
  std::size_t parts = 1;
  std::vector<ChunkedComponent> components;  ///< in topological order
};

/// Null where a component has no class.
Result<std::unique_ptr<ChunkedScan>> prepare_chunked(const scan::ScanFacts& facts, std::size_t parts);

}  // namespace pawl::reference
