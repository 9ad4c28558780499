// Reshape and its kin keep the elements in their order: what has the shape of one that it was made of is that one.
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

constexpr std::array<std::string_view, 6> kViews = {"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Expand", "Cast"};

/// Chains of views that are followed.
constexpr int kMostViews = 8;

/// Whether a Reshape's target has a -1, which fails beside an extent that turns out to be 0.
bool leaves_open(const Builder& builder, const Node& node) {
  if (call_of(&node, "Reshape") == nullptr || node.inputs.size() < 2) return false;
  const ops::Fact target = builder.fact(node.inputs[1]);
  if (const Tensor* constant = target.tensor()) {
    const Result<Tensor> dense = constant->to_dense();
    if (!dense.ok()) return true;
    const auto* extents = dense->data<std::int64_t>();
    return std::find(extents, extents + dense->size(), -1) != extents + dense->size();
  }
  return target.elements.empty() ||
         std::any_of(target.elements.begin(), target.elements.end(),
                     [](const ops::Element& each) { return each.number ? *each.number < 0 : each.symbol.empty(); });
}

/// An axis whose extent is a symbol can be squeezed only if that is 1.
bool loses_ones_only(const Type& from, const Type& to) {
  std::size_t ones = 0;
  for (const Dim& dim : *from.shape) ones += dim.value == 1 ? 1 : 0;
  for (const Dim& dim : *to.shape) ones -= dim.value == 1 ? 1 : 0;
  return from.shape->size() - to.shape->size() == ones;
}

/// What a node gives another shape; invalid where it does more than that, or may fail.
ValueId viewed(const Builder& builder, const Node& node, const Type& type) {
  const auto* call = std::get_if<OpCall>(&node.operation);
  if (call == nullptr || !call->def->domain.empty()) return {};
  const bool is_view = std::find(kViews.begin(), kViews.end(), call->def->name) != kViews.end();
  if (!is_view || !graph::is_measured(type)) return {};
  const Type from = builder.fact(node.inputs[0]).type;
  if (!graph::is_measured(from) || from.dtype != type.dtype) return {};
  // Expand repeats elements, unless it changes nothing.
  if (call->def->name == "Expand" && !graph::same_type(from, type)) return {};
  if (call->def->name == "Squeeze" && !loses_ones_only(from, type)) return {};
  if (leaves_open(builder, node) && !(from.static_shape() && type.static_shape())) return {};
  return node.inputs[0];
}

}  // namespace

Rewritten simplify_view(Builder& builder, const Node& node, std::span<const ValueInfo> outputs) {
  const auto* call = std::get_if<OpCall>(&node.operation);
  if (call == nullptr || outputs.size() != 1) return {std::nullopt};
  if (std::find(kViews.begin(), kViews.end(), call->def->name) == kViews.end()) return {std::nullopt};
  std::vector<ops::Fact> facts;
  Node copy;
  copy.operation = *call;
  for (const ValueId id : node.inputs) {
    copy.inputs.push_back(id.valid() ? ValueId{static_cast<std::uint32_t>(facts.size())} : id);
    if (id.valid()) facts.push_back(builder.fact(id));
  }
  const auto inferred = graph::infer_node(copy, 1, facts);
  if (!inferred.ok()) return {std::nullopt};
  const Type& type = (*inferred)[0].type;
  if (!graph::implies(type, outputs[0].declared)) return {std::nullopt};
  ValueId base = viewed(builder, node, type);
  for (int i = 0; i < kMostViews && base.valid(); ++i) {
    if (graph::same_type(builder.fact(base).type, type)) return {std::vector{base}};
    const Node* before = producer_of(builder.graph(), base);
    if (before == nullptr) break;
    base = viewed(builder, *before, builder.fact(base).type);
  }
  return {std::nullopt};
}

}  // namespace pawl::scan
