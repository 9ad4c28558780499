// One call of an operator, said in the words of another version.
#pragma once

#include <optional>

#include "graph/graph.h"

namespace pawl::graph {

/// What a call is in another version: attributes, and constants that became inputs.
struct Reworded {
  ops::Attributes attributes;
  /// Further inputs by place: int64 vectors.
  std::vector<std::pair<std::size_t, std::vector<std::int64_t>>> inputs;
};

/// What version `from` of an operator says with these attributes, for version `to`; nothing when it cannot be said
/// there. Types are not looked at, nor the attributes of control flow, which has none in `attributes`.
std::optional<Reworded> reword(const ops::Schema& from, const ops::Attributes& attributes, const ops::Schema& to);

}  // namespace pawl::graph
