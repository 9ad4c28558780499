// Shapes that are computed: which elements of integer tensors are extents, and which extents follow from them.
#pragma once

#include <span>

#include "graph/graph.h"

namespace pawl::graph {

/// Adds to the facts of an operator's outputs what follows from the single elements of its inputs: elements of outputs
/// (Gather(Shape(x), 0) is x's first extent), and extents (ConstantOfShape, Expand, Reshape, Range, Tile). An output
/// all of whose elements are numbers becomes a constant.
///   inputs : null where omitted
void infer_elements(const OpCall& call, std::span<const ops::Fact* const> inputs, std::span<ops::Fact> outputs);

}  // namespace pawl::graph
