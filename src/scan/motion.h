// Whether a node of a body may run where it would not have run, or may not have.
#pragma once

#include "scan/pass.h"

namespace pawl::scan {

/// A node may be evaluated before the loop when the loop surely runs, or when the node cannot fail. Nodes that draw
/// random numbers never may.
///   inputs : what is known of the node's inputs (null where omitted) before the loop
bool may_run_early(const Site& site, const graph::Node& node, std::span<const ops::Fact* const> inputs);

/// Whether an operator gives a result for all values that its inputs may have, given their types.
bool cannot_fail(const graph::OpCall& call, std::span<const ops::Fact* const> inputs, std::size_t outputs);

/// What a body declares is checked when it runs, unless it is known to hold. A body with such checks stays as it is.
bool is_settled(const graph::Graph& body);

}  // namespace pawl::scan
