// Sequences whose tensors are known one by one, and tensors with two axes made one.
#pragma once

#include <optional>
#include <vector>

#include "graph/builder.h"

namespace pawl::scan {

/// The tensors that a sequence was made of, in order; nothing where that is not known.
std::optional<std::vector<graph::ValueId>> known_items(const graph::Graph& graph, graph::ValueId sequence);

/// The tensors, all of one shape, as rows of one tensor.
Result<graph::ValueId> rows_of(graph::Builder& builder, const std::vector<graph::ValueId>& items);

/// [.., a, b, ..] of `rank` axes as [.., a * b, ..], where a is the extent of `axis`.
Result<graph::ValueId> merge_axes(graph::Builder& builder, graph::ValueId tensor, std::size_t rank, std::size_t axis,
                                  const std::string& name);

}  // namespace pawl::scan
