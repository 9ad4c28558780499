// What a Loop reads at places that follow from the number of the step: elements of a Scan.
#pragma once

#include "scan/raise/steps.h"
#include "scan/scan_builder.h"

namespace pawl::scan {

/// An inner value that is one entry of an outer tensor.
struct Read {
  ValueId tensor;  ///< outer
  std::size_t axis = 0;
  IndexForm at;                      ///< counts from the end where it is negative; a place outside fails
  std::vector<std::int64_t> kept{};  ///< axes of extent 1 that the inner value has and the entry has not
};

/// The entries of all steps, as something to cut elements from.
struct Entries {
  ValueId tensor;  ///< outer
  Cut cut;
  bool exact = false;  ///< there are as many as there are steps, for sure
};

class Reads {
 public:
  Reads(LoopSite& site, IndexForms& forms) : site_(site), forms_(forms) {}

  /// Whether a node is of a kind that find() knows.
  [[nodiscard]] static bool may_read(const graph::Node& node);
  /// The read that a node of the body is: Gather, GatherND, GatherElements, Slice of one entry, SequenceAt.
  ///   tensor : what the node's first input is outside
  Result<std::optional<Read>> find(const graph::Node& node, ValueId tensor);

  /// Emits the entries. A place outside of the tensor fails as it would have in the loop, if a step reads it.
  Result<Entries> entries(const Read& read, const Steps& steps);

 private:
  using Found = Result<std::optional<Read>>;
  Found gather(const graph::Node& node, const graph::OpCall& call, ValueId tensor);
  Found gather_row(const graph::Node& node, const graph::OpCall& call, ValueId tensor);
  Found gather_elements(const graph::Node& node, const graph::OpCall& call, ValueId tensor);
  Found slice(const graph::Node& node, const graph::OpCall& call, ValueId tensor);
  Found sequence_at(const graph::Node& node, ValueId sequence);
  /// Where a Slice along one axis with a step of 1 cuts.
  Result<std::optional<std::size_t>> sliced_axis(const graph::Node& node, std::size_t rank) const;
  [[nodiscard]] bool is_only_squeezed(ValueId inner, std::size_t axis) const;

  /// A sequence's tensors as entries of one tensor, at place 0.
  Found joined(ValueId sequence);
  Found split_parts(const graph::Node& split, const graph::OpCall& call);
  Found constructed(const std::vector<ValueId>& items);

  Result<ValueId> part(const Read& read, const Linear& start, ValueId count, std::int64_t stride);
  Result<Entries> picked(const Read& read, const Steps& steps);

  LoopSite& site_;
  IndexForms& forms_;
};

}  // namespace pawl::scan
