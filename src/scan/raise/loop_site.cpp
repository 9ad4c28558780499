#include "scan/raise/loop_site.h"

#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/motion.h"

namespace pawl::scan {

using graph::Node;
using graph::OpCall;

LoopSite::LoopSite(graph::Builder& outer_graph, const Node& loop_node, const graph::LoopOp& loop_op,
                   std::span<const graph::ValueInfo> node_outputs)
    : outer(outer_graph),
      node(loop_node),
      loop(loop_op),
      body(*loop_op.body.graph),
      outputs(node_outputs),
      integers(outer_graph),
      producers_(body.values.size(), nullptr) {
  for (const Node& each : body.nodes)
    for (const ValueId id : each.outputs)
      if (id.valid()) producers_[id.index] = &each;
}

ValueId LoopSite::behind(ValueId inner) const {
  while (graph::call_of(producer(inner), "Identity") != nullptr) inner = producer(inner)->inputs[0];
  return inner;
}

Result<void> LoopSite::infer(const std::vector<std::optional<Type>>& grows) {
  std::vector<ops::Fact> given(body.inputs.size());
  const auto one = [&](std::size_t i, DType dtype) {
    const Type& declared = body[body.inputs[i]].declared;
    const bool vector = declared.is_tensor() && declared.shape && declared.shape->size() == 1;
    return Type::tensor(dtype, vector ? Dims{1} : Dims{});
  };
  given[0].type = one(0, DType::i64);
  given[1].type = one(1, DType::boolean);
  for (std::size_t i = 0; i < loop.carried; ++i) {
    if (stays(i)) given[2 + i] = outer.fact(initial(i));
    given[2 + i].type = grows[i] ? *grows[i] : initial_type(i);
  }
  std::vector<ops::Fact> captured;
  for (const graph::Capture& capture : loop.body.captures) {
    captured.push_back(outer.fact(capture.outer));
    captured.back().type = integers.type(capture.outer);
  }
  TRY_ASSIGN(facts_, graph::infer_graph(body, std::move(given), std::move(captured)));
  return {};
}

Result<void> LoopSite::refine(const std::unordered_map<std::uint32_t, Type>& better) {
  for (const Node& each : body.nodes) {
    TRY_ASSIGN(std::vector<ops::Fact> made, graph::infer_node(each, each.outputs.size(), facts_));
    for (std::size_t k = 0; k < made.size(); ++k) {
      if (!each.outputs[k].valid()) continue;
      const auto known = better.find(each.outputs[k].index);
      if (known != better.end()) made[k].type = known->second;
      facts_[each.outputs[k].index] = std::move(made[k]);
    }
  }
  return {};
}

Result<ValueId> LoopSite::outside(ValueId inner) {
  if (!inner.valid()) return inner;
  if (const auto found = outside_.find(inner.index); found != outside_.end()) return found->second;
  TRY_ASSIGN(const ValueId made, bring_out(inner));
  outside_[inner.index] = made;
  return made;
}

Result<ValueId> LoopSite::bring_out(ValueId inner) {
  if (const Tensor* constant = fact(inner).tensor()) return outer.add_constant(*constant, body[inner].name);
  for (const graph::Capture& capture : loop.body.captures)
    if (capture.inner == inner) return capture.outer;
  for (std::size_t i = 0; i < loop.carried; ++i)
    if (inner == carried(i)) return stays(i) ? initial(i) : ValueId();
  const Node* made = producer(inner);
  const auto* call = made == nullptr ? nullptr : std::get_if<OpCall>(&made->operation);
  if (call == nullptr || call->def->random) return ValueId();
  return bring_out(*made, *call, inner);
}

Result<ValueId> LoopSite::bring_out(const Node& made, const OpCall& call, ValueId inner) {
  const bool asks_shape = call.def->domain.empty() && (call.def->name == "Shape" || call.def->name == "Size");
  const bool passes = call.def->domain.empty() && call.def->name == "Identity";
  std::vector<ValueId> inputs;
  std::vector<const ops::Fact*> facts;
  for (const ValueId id : made.inputs) {
    TRY_ASSIGN(ValueId brought, outside(id));
    if (!brought.valid() && id.valid() && asks_shape) {
      const auto like = shaped_like_.find(id.index);
      if (like != shaped_like_.end()) brought = like->second;
    }
    if (id.valid() && !brought.valid()) return ValueId();
    inputs.push_back(brought);
  }
  for (const ValueId id : inputs) facts.push_back(id.valid() ? &outer.fact(id) : nullptr);
  if (passes) return inputs[0];
  if (!asks_shape && !cannot_fail(call, facts, made.outputs.size())) return ValueId();
  Node copy;
  copy.name = made.name;
  copy.label = made.label;
  copy.operation = call;
  copy.inputs = std::move(inputs);
  TRY_ASSIGN(const std::vector<ValueId> ids, outer.add(std::move(copy), graph::outputs_of(body, made)));
  for (std::size_t k = 0; k < ids.size(); ++k)
    if (made.outputs[k].valid()) outside_[made.outputs[k].index] = ids[k];
  return outside_[inner.index];
}

}  // namespace pawl::scan
