// How the values of a body are made, where states are several things side by side.
#pragma once

#include <optional>
#include <set>

#include "scan/dependence.h"
#include "scan/pass.h"
#include "scan/selection.h"

namespace pawl::scan {

/// A body value that can be had in pieces along an axis.
struct Packed {
  std::size_t axis = 0;
  std::set<std::int64_t> cuts;  ///< 0, where a piece ends and the next one starts, the extent
  bool drops = false;           ///< pieces of one place lack the axis
  [[nodiscard]] std::vector<Run> pieces() const;
  [[nodiscard]] bool is_apart() const { return cuts.size() > 2; }
};

/// How the values of a body are made, as far as pieces are concerned.
class PackedBody {
 public:
  PackedBody(const Site& site, const Dependence& dependence);

  /// The node that makes a value; null where none does.
  [[nodiscard]] const graph::Node* producer(graph::ValueId id) const { return producers_[id.index]; }
  /// A Squeeze of one place that is taken is one selection with it.
  [[nodiscard]] const Selection* selection(graph::ValueId id) const {
    return selections_[id.index] ? &*selections_[id.index] : nullptr;
  }
  /// The state that a value is; nothing for others.
  [[nodiscard]] std::optional<std::size_t> state(graph::ValueId id) const { return states_[id.index]; }

  /// By input of a pointwise node, the axis that moves with axis `axis` of the output; -1 where the input has none.
  /// Nothing for other nodes.
  [[nodiscard]] std::optional<std::vector<int>> tied_axes(const graph::Node& node, std::size_t axis) const;

  /// Leaves a state whole.
  void block(std::size_t state);
  void unblock_all();
  /// Whether a value is made of pieces of states, along an axis that it has.
  [[nodiscard]] bool packable(graph::ValueId id, std::size_t axis) const {
    return axis < kMaxRank && (axes_[id.index] >> axis & 1U) != 0;
  }

  const Site& site;
  const Dependence& dependence;

 private:
  static constexpr std::size_t kMaxRank = 32;

  void find_axes();
  [[nodiscard]] std::uint32_t axes_made_by(const graph::Node& node, std::size_t output) const;

  std::vector<const graph::Node*> producers_;
  std::vector<std::optional<Selection>> selections_;
  std::vector<std::optional<std::size_t>> states_;
  std::vector<bool> blocked_;        ///< by state
  std::vector<std::uint32_t> axes_;  ///< by value, a bit for each axis
};

}  // namespace pawl::scan
