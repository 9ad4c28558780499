// Rewritten spellings of single operators: what later passes then need not know.
#include <algorithm>
#include <array>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/pass.h"
#include "scan/selection.h"

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

/// Two transpositions in a row are one, or none.
Rewritten twice_transposed(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  if (call_of(&node, "Transpose") == nullptr) return {std::nullopt};
  const Node* before = builder.maker(node.inputs[0]);
  if (call_of(before, "Transpose") == nullptr) return {std::nullopt};
  const ValueId x = before->inputs[0];
  const auto first = order_of_transpose(*before, builder.fact(x).type);
  const auto second = order_of_transpose(node, builder.fact(node.inputs[0]).type);
  if (!first || !second) return {std::nullopt};
  std::vector<std::int64_t> perm;
  for (const std::int64_t axis : *second) perm.push_back((*first)[static_cast<std::size_t>(axis)]);
  if (!std::is_sorted(perm.begin(), perm.end())) {
    TRY_ASSIGN(auto made, builder.call("Transpose", {{"perm", perm}}, {x}, outputs[0].name));
    return {std::move(made)};
  }
  if (!graph::implies(builder.fact(x).type, outputs[0].declared)) return {std::nullopt};
  return {std::vector<ValueId>{x}};
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

constexpr std::array kRules = {identity, known_branch, simplify_sequence, simplify_view, twice_transposed};

}  // namespace

Rewritten simplify(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  for (const auto rule : kRules) {
    TRY_ASSIGN(auto made, rule(builder, node, outputs));
    if (made) return {std::move(made)};
  }
  return {std::nullopt};
}

}  // namespace pawl::scan
