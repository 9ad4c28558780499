// What an operator takes out of a tensor along one axis, where that is known before the run: Slice, Split, Gather.
#pragma once

#include <optional>

#include "graph/walk.h"

namespace pawl::scan {

/// Neighbouring places of an axis: [first, end).
struct Run {
  std::int64_t first = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t width() const { return end - first; }
  friend bool operator==(const Run&, const Run&) = default;
};

/// The runs of `source` along `axis`, one after the other; all other axes as they are.
struct Selection {
  graph::ValueId source;
  std::size_t axis = 0;
  std::vector<Run> runs;
  bool drops = false;  ///< one place, and the axis is gone

  /// All places, one by one.
  [[nodiscard]] std::vector<std::int64_t> places() const;
};

/// The number of places along an axis; nothing where it is not known.
std::optional<std::int64_t> extent_of(const Type& type, std::size_t axis);

/// What a node's output is of its first input, one axis after the other, if it is no more than that.
std::optional<std::vector<Selection>> selections_of(const graph::Graph& graph, const graph::Node& node,
                                                    std::size_t output);
/// The same, with facts of all values that are not the graph's own.
std::optional<std::vector<Selection>> selections_of(const std::vector<ops::Fact>& facts, const graph::Node& node,
                                                    std::size_t output);
/// The same along a single axis.
std::optional<Selection> selection_of(const graph::Graph& graph, const graph::Node& node, std::size_t output);

/// The only axis that a Squeeze takes away or an Unsqueeze adds, counted from the front in the value that has it.
std::optional<std::size_t> only_axis(const graph::Graph& graph, const graph::Node& node);

/// Axis i of a Transpose's output is axis order[i] of its input.
std::optional<std::vector<std::int64_t>> order_of_transpose(const graph::Node& node, const Type& input);

/// The order that undoes another one.
std::vector<std::int64_t> inverse_order(const std::vector<std::int64_t>& order);

/// The axis of a Concat, counted from the front.
std::optional<std::size_t> concat_axis(const graph::Graph& graph, const graph::Node& node);

}  // namespace pawl::scan
