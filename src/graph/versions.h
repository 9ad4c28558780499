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

/// The call for version `to` of its operator; nothing when it cannot be said there. Types are not looked at.
std::optional<Reworded> reword(const OpCall& call, const ops::Schema& to);

}  // namespace pawl::graph
