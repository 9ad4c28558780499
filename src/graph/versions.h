// One call of an operator, said in the words of another version.
#pragma once

#include <functional>
#include <optional>

#include "graph/graph.h"

namespace pawl::graph {

/// What a call is in another version: attributes, constants that became inputs, and the other way round.
struct Reworded {
  ops::Attributes attributes;
  /// Further inputs by place: int64 vectors.
  std::vector<std::pair<std::size_t, std::vector<std::int64_t>>> inputs;
  std::size_t kept_inputs = static_cast<std::size_t>(-1);  ///< the call's own inputs from here on are attributes now
};

/// The elements of a call's input that is a constant list of integers; nothing where it is none.
using ConstantInput = std::function<std::optional<std::vector<std::int64_t>>(std::size_t place)>;

/// What version `from` of an operator says with these attributes, for version `to`; nothing when it cannot be said
/// there. Types are not looked at, nor the attributes of control flow, which has none in `attributes`.
///   inputs : how many the call has
std::optional<Reworded> reword(const ops::Schema& from, const ops::Attributes& attributes, const ops::Schema& to,
                               std::size_t inputs, const ConstantInput& constant);

}  // namespace pawl::graph
