// What a body that is taken apart still needs whole, and what in pieces.
#pragma once

#include "scan/packing.h"

namespace pawl::scan {

class PieceNeeds {
 public:
  PieceNeeds(const PackedBody& body, const Packing& packing);

  [[nodiscard]] const Packed* packed(graph::ValueId id) const {
    return packing_[id.index] ? &*packing_[id.index] : nullptr;
  }
  [[nodiscard]] bool is_apart(graph::ValueId id) const { return packed(id) != nullptr && packed(id)->is_apart(); }

  [[nodiscard]] bool in_pieces(graph::ValueId id) const { return in_pieces_[id.index]; }
  /// By value: it is needed as it was.
  [[nodiscard]] const std::vector<bool>& whole() const { return whole_; }
  [[nodiscard]] bool whole(graph::ValueId id) const { return whole_[id.index]; }
  /// Whether pieces of what a value selects from make it up.
  [[nodiscard]] bool by_selection(graph::ValueId id) const { return by_selection_[id.index]; }

  /// What an Unsqueeze of that axis had, where the piece lacks it too.
  [[nodiscard]] std::optional<graph::ValueId> without_added_axis(graph::ValueId id, const Packed& own) const;
  /// Whether an input of a pointwise node comes in the pieces of the output.
  [[nodiscard]] bool has_pieces(graph::ValueId input, int along, const Packed& own) const;
  /// Whether an input of a Concat, from place `first` on, comes in pieces of the output.
  [[nodiscard]] bool joins_pieces(graph::ValueId input, std::int64_t first, const Packed& own) const;

  /// How many nodes the body gets: pointwise ones are done piece by piece, those that cut and join are gone.
  [[nodiscard]] int more_nodes() const;

 private:
  [[nodiscard]] bool fits(const Selection& taken) const;
  void need_for_pieces(const graph::Node& node, graph::ValueId id);

  const PackedBody& body_;
  const Packing& packing_;
  std::vector<bool> in_pieces_;
  std::vector<bool> whole_;
  std::vector<bool> by_selection_;
};

}  // namespace pawl::scan
