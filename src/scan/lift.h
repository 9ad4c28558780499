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

  graph::Builder& builder() { return builder_; }
  /// The counterpart of a body value that does not depend on the component.
  [[nodiscard]] graph::ValueId operator()(graph::ValueId body_value) const { return mapping_(body_value); }

  /// The finished lift; captures are those of the body.
  graph::Body finish(const Component& component, Tuple element);

 private:
  explicit Lift(const graph::Graph& body) : builder_("lift"), mapping_(body) {}
  graph::Builder builder_;
  graph::Mapping mapping_;
};

}  // namespace pawl::scan
