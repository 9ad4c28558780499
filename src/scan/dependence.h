// What a Scan's body values depend on.
#pragma once

#include <vector>

#include "graph/walk.h"

namespace pawl::scan {

/// For every value of the body: the states and whether any element can reach it. Random operators count as elements:
/// each step draws anew.
class Dependence {
 public:
  explicit Dependence(const graph::ScanOp& scan);

  [[nodiscard]] bool on_state(graph::ValueId id) const { return state_words_ > 0 && any(id); }
  [[nodiscard]] bool on_state(graph::ValueId id, std::size_t state) const {
    return (words_[id.index * state_words_ + state / 64] >> (state % 64) & 1U) != 0;
  }
  [[nodiscard]] bool on_element(graph::ValueId id) const { return element_[id.index]; }
  /// The same in every step.
  [[nodiscard]] bool invariant(graph::ValueId id) const { return !on_state(id) && !on_element(id); }

 private:
  [[nodiscard]] bool any(graph::ValueId id) const;
  void add(graph::ValueId to, graph::ValueId from);

  std::size_t state_words_;
  std::vector<std::uint64_t> words_;  ///< a bit per value and state
  std::vector<bool> element_;
};

/// Whether a node, or any node of its bodies, draws random numbers.
bool draws(const graph::Node& node);

}  // namespace pawl::scan
