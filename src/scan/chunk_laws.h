// What the steps of chunks do to states, piece by piece: for back ends that put chunks together by themselves.
#pragma once

#include "scan/chunks.h"

namespace pawl::scan {

/// The monoid of one component. Each Scan here has no states: its body gives its outputs from its elements.
struct ComponentLaw {
  std::vector<std::size_t> states;  ///< of the whole Scan
  graph::ScanOp lift;               ///< from the inputs and captured values of the Scan's body: the element of one step
  graph::ScanOp combine;            ///< from the earlier element and the later one
  graph::ScanOp act;                ///< from an element and the states before it
  std::vector<Type> element;        ///< types of its values
  /// The element that changes nothing, by value; no element where there is none (a delay).
  std::vector<Tensor> unchanged;
  std::vector<Doubt> doubts;  ///< by state
  std::vector<bool> factors;  ///< by value of the element, as those of ChunkLevel
  bool commutative = false;   ///< in any order the same, but for rounding
};

/// A Scan for these types, and what its steps do.
struct ChunkLaws {
  graph::Graph graph;  ///< its last node is the Scan; time is the first axis of all that it cuts and stacks
  std::vector<ComponentLaw> components;

  [[nodiscard]] const graph::ScanOp& scan() const { return std::get<graph::ScanOp>(graph.nodes.back().operation); }
};

/// The laws, or in words why there are none.
struct ChunkLawsResult {
  std::optional<ChunkLaws> laws;
  std::string refusal;
};

/// As cut_into_chunks, where no state waits for another component.
Result<ChunkLawsResult> chunk_laws(const graph::ScanOp& scan, const std::vector<ops::Fact>& inputs,
                                   const std::vector<ops::Fact>& captured, bool exact);

}  // namespace pawl::scan
