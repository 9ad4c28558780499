// The graph that makes a monoid element out of one step's elements.
#pragma once

#include "graph/rebuild.h"
#include "scan/arithmetic.h"
#include "scan/recurrence.h"

namespace pawl::scan {

/// A graph with the inputs and captured values of a body, and all nodes that do not depend on a component's states.
/// Classes add what they need.
class Lift {
 public:
  static Result<Lift> start(const Component& component);
  /// A finished lift, to go on with.
  static Result<Lift> reopen(const graph::Body& lift);

  graph::Builder& builder() { return builder_; }
  /// The counterpart of a value of what was started or reopened; invalid for one that depends on the component.
  [[nodiscard]] graph::ValueId operator()(graph::ValueId id) const { return mapping_(id); }

  /// The finished lift; captures are those of the body. After the element it gives out what the component asks for.
  graph::Body finish(const Component& component, Tuple element);
  /// The same with these outputs; captures are those of `like`.
  graph::Body finish(const graph::Body& like, Tuple outputs);

 private:
  /// Maps inputs and captured values, and copies some nodes.
  Result<void> copy(const graph::Graph& from, const std::vector<bool>& values);

  explicit Lift(const graph::Graph& body) : builder_("lift"), mapping_(body) {}
  graph::Builder builder_;
  graph::Mapping mapping_;
};

}  // namespace pawl::scan
