// Following the states of a component through one step, in whatever terms a family of classes thinks.
#pragma once

#include <algorithm>
#include <optional>

#include "scan/lift.h"

namespace pawl::scan {

/// By body value: what the component's next states are made of.
std::vector<bool> made_into_next_states(const Component& component);

/// Gives every value that depends on the component, and that a next state is made of, a form.
///   start(i)   : the form of the component's i-th state as it comes in
///   step(node, call, form) : the form of the node's first output; form(id) gives those of its inputs, nullopt for a
///                free one. step(node, call, form, i): the form of output i
///   returns    : the forms by body value; nullopt when a node has none: `obstacle` names it
template <class Form, class Start, class Step>
Result<std::optional<std::vector<std::optional<Form>>>> walk_step(const Component& component, Arithmetic& make,
                                                                  std::string_view what, Obstacle& obstacle,
                                                                  Start start, Step step) {
  using Forms = std::vector<std::optional<Form>>;
  Forms forms(component.body.values.size());
  for (std::size_t i = 0; i < component.states.size(); ++i)
    forms[component.body.inputs[component.states[i]].index] = start(i);
  const std::vector<bool> needed = made_into_next_states(component);
  const auto matters = [&](graph::ValueId id) { return id.valid() && needed[id.index] && component.reaches(id); };
  for (const graph::Node& node : component.body.nodes) {
    if (std::none_of(node.outputs.begin(), node.outputs.end(), matters)) continue;
    const auto* call = std::get_if<graph::OpCall>(&node.operation);
    const auto form = [&](graph::ValueId id) -> const std::optional<Form>& { return forms[id.index]; };
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!matters(node.outputs[i])) continue;
      std::optional<Form> made;
      if (call != nullptr && call->def->domain.empty()) {
        if constexpr (std::is_invocable_v<Step&, const graph::Node&, const graph::OpCall&, decltype(form)&,
                                          std::size_t>)
          made = step(node, *call, form, i);
        else if (i == 0)
          made = step(node, *call, form);
      }
      if (!make.status().ok()) return make.status().error();
      if (!made) {
        const auto at = static_cast<std::size_t>(&node - component.body.nodes.data()) + 1;
        obstacle = {fmt::format("{} is not {}", node.label, what), at};
        return std::optional<Forms>();
      }
      forms[node.outputs[i].index] = std::move(made);
    }
  }
  return std::optional<Forms>(std::move(forms));
}

}  // namespace pawl::scan
