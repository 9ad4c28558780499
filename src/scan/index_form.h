// Indices inside a loop that follow from the number of the step:  scale * t + offset + (another value).
#pragma once

#include <optional>

#include "graph/walk.h"

namespace pawl::scan {

struct IndexForm {
  std::int64_t scale = 0;
  std::int64_t offset = 0;
  graph::ValueId added;  ///< of the body, the same in every step; invalid: nothing
  bool vector = false;   ///< a vector of one, not a scalar
};

/// Follows integer values of a loop's body back to the number of the step.
class IndexForms {
 public:
  /// `number` is the body's value for the number of the step: 0, 1, 2, …
  IndexForms(const graph::Graph& body, graph::ValueId number) : body_(body), number_(number) {}

  /// A value that is `start + step * t`: a carried counter.
  void add_counter(graph::ValueId id, std::int64_t start, std::int64_t step) { counters_.push_back({id, start, step}); }

  [[nodiscard]] std::optional<IndexForm> of(graph::ValueId id) const;
  /// The value behind a chain of Identity nodes.
  [[nodiscard]] graph::ValueId behind(graph::ValueId id) const;

 private:
  struct Counter {
    graph::ValueId id;
    std::int64_t start;
    std::int64_t step;
  };
  [[nodiscard]] std::optional<IndexForm> leaf(graph::ValueId id) const;

  const graph::Graph& body_;
  graph::ValueId number_;
  std::vector<Counter> counters_;
};

}  // namespace pawl::scan
