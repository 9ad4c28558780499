// Emitting what works along the leading axis of values that hold all steps.
#pragma once

#include <limits>

#include "graph/builder.h"

namespace pawl::scan {

class TimeAxis {
 public:
  static constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

  explicit TimeAxis(graph::Builder& to) : to_(to) {}

  using Made = Result<graph::ValueId>;
  /// Rows [start, end); negative ones count from the last row on.
  Made slice(graph::ValueId x, std::int64_t start, std::int64_t end);
  /// One row, without the axis.
  Made row(graph::ValueId x, std::int64_t index);
  Made concat(std::vector<graph::ValueId> parts);
  /// With new axes of extent 1 at [first, first + count).
  Made with_axes(graph::ValueId x, std::int64_t first, std::size_t count);
  /// Broadcast to the extents of `shape`, a list of int64.
  Made expand(graph::ValueId x, graph::ValueId shape);

  Made call(std::string_view op, std::vector<graph::ValueId> inputs, std::vector<ops::Attribute> attributes = {});
  graph::ValueId integers(std::vector<std::int64_t> list);
  graph::ValueId integer(std::int64_t value);

  graph::Builder& builder() { return to_; }

 private:
  graph::Builder& to_;
};

}  // namespace pawl::scan
