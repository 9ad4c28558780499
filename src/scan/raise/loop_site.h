// One Loop that is looked at: its values by what they are for, and what of its body is known outside.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "graph/builder.h"
#include "graph/walk.h"
#include "scan/raise/linear.h"

namespace pawl::scan {

/// Ids called outer are of the graph around the Loop, inner ones of its body.
class LoopSite {
 public:
  LoopSite(graph::Builder& outer_graph, const graph::Node& loop_node, const graph::LoopOp& loop_op,
           std::span<const graph::ValueInfo> node_outputs);

  graph::Builder& outer;
  const graph::Node& node;  ///< its inputs are of `outer`
  const graph::LoopOp& loop;
  const graph::Graph& body;
  std::span<const graph::ValueInfo> outputs;  ///< names and declarations; omitted ones have no name
  Integers integers;                          ///< of `outer`

  [[nodiscard]] ValueId number() const { return body.inputs[0]; }      ///< of the step
  [[nodiscard]] ValueId going() const { return body.inputs[1]; }       ///< the condition that a step is given
  [[nodiscard]] ValueId condition() const { return body.outputs[0]; }  ///< whether another step follows
  [[nodiscard]] ValueId initial(std::size_t i) const { return node.inputs[2 + i]; }
  [[nodiscard]] ValueId carried(std::size_t i) const { return body.inputs[2 + i]; }
  [[nodiscard]] ValueId next(std::size_t i) const { return body.outputs[1 + i]; }
  [[nodiscard]] ValueId output(std::size_t k) const { return body.outputs[1 + loop.carried + k]; }
  /// Whether anybody reads output i of the node.
  [[nodiscard]] bool wants(std::size_t i) const { return i < outputs.size() && !outputs[i].name.empty(); }
  /// A carried value that is the same in every step.
  [[nodiscard]] bool stays(std::size_t i) const { return behind(next(i)) == carried(i); }

  /// The node that makes an inner value; null for inputs, captured values and constants.
  [[nodiscard]] const graph::Node* producer(ValueId inner) const { return producers_[inner.index]; }
  /// The value behind a chain of Identity nodes.
  [[nodiscard]] ValueId behind(ValueId inner) const;

  /// What the body's values are when each carried value keeps the type that it starts with, except those that grow.
  ///   grows : by carried value; such a one has the given type
  /// Errors: what inference says.
  Result<void> infer(const std::vector<std::optional<Type>>& grows);
  /// The same once more, where more is known of some values; by inner value.
  Result<void> refine(const std::unordered_map<std::uint32_t, Type>& better);
  /// What a carried value starts as.
  [[nodiscard]] Type initial_type(std::size_t i) { return integers.type(initial(i)); }
  /// After infer().
  [[nodiscard]] const ops::Fact& fact(ValueId inner) const { return facts_[inner.index]; }
  [[nodiscard]] const Type& type(ValueId inner) const { return facts_[inner.index].type; }

  /// The outer value that an inner one always is: captured, constant, carried unchanged, or made of such by operators
  /// that cannot fail, which are then emitted outside. Invalid where there is none. After infer().
  Result<ValueId> outside(ValueId inner);
  /// A carried value's shape is that of an outer value from the first step on.
  void set_shape_like(ValueId inner, ValueId like) { shaped_like_[inner.index] = like; }

 private:
  Result<ValueId> bring_out(ValueId inner);
  Result<ValueId> bring_out(const graph::Node& made, const graph::OpCall& call, ValueId inner);

  std::vector<const graph::Node*> producers_;  ///< by inner value
  std::vector<ops::Fact> facts_;               ///< by inner value
  std::unordered_map<std::uint32_t, ValueId> outside_;
  std::unordered_map<std::uint32_t, ValueId> shaped_like_;
};

}  // namespace pawl::scan
