// Which axes of a state are independent: followed backwards from the next state through the ties of the operators.
#include <map>
#include <memory>
#include <set>

#include "ops/axis_rule.h"
#include "scan/facts.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

class Trace {
 public:
  explicit Trace(const Component& component) : component_(component) {
    for (const graph::Node& node : component.body.nodes)
      for (std::size_t i = 0; i < node.outputs.size(); ++i)
        if (node.outputs[i].valid()) producer_[node.outputs[i].index] = {&node, i};
  }

  /// Whether slice j along `axis` of the next state needs slice j along `axis` of the state only.
  bool holds(std::size_t state, std::size_t axis) {
    wanted_ = {{state, axis}};
    asked_.clear();
    std::set<std::pair<std::size_t, std::size_t>> done;
    while (!wanted_.empty()) {
      const auto [each, along] = *wanted_.begin();
      wanted_.erase(wanted_.begin());
      if (!done.insert({each, along}).second) continue;
      if (!slice(component_.body.outputs[each], along)) return false;
      // Further states of the component that took part, along the axes that they took part with.
      for (const auto& more : met_)
        if (!done.contains(more)) wanted_.insert(more);
    }
    // Every state takes part with one axis: two would be a transposition from step to step.
    std::map<std::size_t, std::size_t> axis_of;
    for (const auto& [each, along] : done)
      if (!axis_of.emplace(each, along).second) return false;
    return axis_of[state] == axis;
  }

 private:
  struct Source {
    const graph::Node* node = nullptr;
    std::size_t output = 0;
  };

  const std::optional<SymbolicShape>& shape(ValueId id) const { return component_.body[id].fact.type.shape; }

  bool slice(ValueId id, std::size_t axis) {
    if (!component_.reaches(id)) return true;
    if (!asked_.insert({id.index, axis}).second) return true;
    for (const std::size_t state : component_.states)
      if (component_.body.inputs[state] == id) {
        met_.insert({state, axis});
        return true;
      }
    const auto found = producer_.find(id.index);
    if (found == producer_.end()) return false;
    return through(*found->second.node, found->second.output, axis);
  }

  bool through(const graph::Node& node, std::size_t output, std::size_t axis) {
    const auto* call = std::get_if<graph::OpCall>(&node.operation);
    if (call == nullptr) return false;
    std::vector<const ops::Fact*> inputs;
    for (const ValueId id : node.inputs) inputs.push_back(id.valid() ? &component_.body[id].fact : nullptr);
    std::vector<Type> outputs;
    for (const ValueId id : node.outputs) outputs.push_back(id.valid() ? component_.body[id].fact.type : Type());
    const ops::Ties ties = ops::relate(*call->def, {*call->schema, call->attributes, inputs, outputs});
    const ops::Tie* tie = ties.find(output, axis);
    if (tie == nullptr) return false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (!id.valid() || !component_.reaches(id)) continue;
      const int along = tie->inputs[i];
      if (along < 0) return false;
      // A state that is stretched along the axis is needed whole.
      const Dim& extent = (*shape(id))[static_cast<std::size_t>(along)];
      const Dim& whole = (*shape(node.outputs[output]))[axis];
      if (!extent.same(whole)) return false;
      if (!slice(id, static_cast<std::size_t>(along))) return false;
    }
    return true;
  }

  const Component& component_;
  std::map<std::uint32_t, Source> producer_;
  std::set<std::pair<std::uint32_t, std::size_t>> asked_;
  std::set<std::pair<std::size_t, std::size_t>> met_;
  std::set<std::pair<std::size_t, std::size_t>> wanted_;
};

}  // namespace

std::vector<std::size_t> independent_axes(const Component& component, std::size_t state) {
  const std::optional<SymbolicShape>& shape = component.body[component.body.inputs[state]].fact.type.shape;
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; shape && axis < shape->size(); ++axis)
    if (Trace(component).holds(state, axis)) axes.push_back(axis);
  return axes;
}

}  // namespace pawl::scan
