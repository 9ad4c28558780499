// Rewritten spellings of single operators: what later passes then need not know.
#include <algorithm>
#include <array>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/pass.h"

namespace pawl::scan {
namespace {

using graph::Builder;
using graph::Node;
using graph::OpCall;
using graph::ValueId;
using graph::ValueInfo;

/// Identity of a tensor is the tensor, unless a declaration has to be checked on the way.
Rewritten identity(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  if (call_of(&node, "Identity") == nullptr) return {std::nullopt};
  const Type type = builder.fact(node.inputs[0]).type;
  if (!type.is_tensor() || type.dtype == DType::undefined || !graph::implies(type, outputs[0].declared))
    return {std::nullopt};
  return {std::vector<ValueId>{node.inputs[0]}};
}

/// The branch that is always taken, in the place of the If.
Rewritten known_branch(Builder& builder, const Node& node, std::span<const ValueInfo>) {
  const auto* branch = std::get_if<graph::IfOp>(&node.operation);
  const Tensor* condition = branch == nullptr ? nullptr : builder.fact(node.inputs[0]).tensor();
  if (condition == nullptr || condition->dtype() != DType::boolean || condition->size() != 1) return {std::nullopt};
  const graph::Body& body = *condition->data<bool>() ? branch->then_branch : branch->else_branch;
  graph::Mapping mapping(*body.graph);
  for (const graph::Capture& capture : body.captures) mapping[capture.inner] = capture.outer;
  TRY(graph::copy_nodes(*body.graph, graph::values_behind(*body.graph, body.graph->outputs), mapping, builder));
  return {mapping(body.graph->outputs)};
}

constexpr std::array kRules = {identity, known_branch, simplify_sequence, simplify_view};

}  // namespace

Rewritten simplify(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  for (const auto rule : kRules) {
    TRY_ASSIGN(auto made, rule(builder, node, outputs));
    if (made) return {std::move(made)};
  }
  return {std::nullopt};
}

}  // namespace pawl::scan
