// The machine-readable form of an explanation.
#include <nlohmann/json.hpp>

#include "plan/explain.h"

namespace pawl::plan {

std::string to_json(const std::vector<Explained>& scans) {
  using nlohmann::json;
  json list = json::array();
  for (const Explained& scan : scans) {
    const scan::ScanFacts& facts = scan.facts;
    json states = json::array();
    for (const scan::StateFacts& state : facts.states)
      states.push_back({{"name", state.name},
                        {"type", to_string(state.type)},
                        {"component", state.component},
                        {"independent_axes", state.independent}});
    json components = json::array();
    for (const scan::ComponentFacts& component : facts.components) {
      json each = {{"states", component.states}, {"class", component.word}};
      if (component.match) {
        each["law"] = component.match->recurrence->law;
        each["masked"] = component.match->masked;
        each["reset"] = component.match->reset;
        each["rank_one"] = component.rank_one;
      } else {
        each["refusal"] = component.refusal;
      }
      components.push_back(std::move(each));
    }
    json outputs = json::array();
    for (const scan::OutputFacts& output : facts.outputs)
      outputs.push_back({{"name", output.name}, {"type", to_string(output.type)}, {"reads_components", output.reads}});
    json notes = json::array();
    for (const scan::Note& note : scan.notes) {
      json each = {{"what", note.what}, {"node", note.node}, {"why", note.why}};
      if (!note.product.empty()) each["product"] = note.product;
      notes.push_back(std::move(each));
    }
    json passed_over = json::array();
    for (const Refusal& refusal : scan.plan.passed_over)
      passed_over.push_back({{"strategy", refusal.strategy}, {"why", refusal.why}});
    json one = {
        {"label", facts.label},
        {"summary", summary(scan)},
        {"states", std::move(states)},
        {"components", std::move(components)},
        {"elements", facts.elements.size()},
        {"outputs", std::move(outputs)},
        {"nodes", facts.nodes},
        {"notes", std::move(notes)},
        {"plan", {{"strategy", scan.plan.strategy}, {"how", scan.plan.how}, {"passed_over", std::move(passed_over)}}}};
    if (facts.trips.known())
      one["trips"] = facts.trips.value;
    else
      one["trips"] = facts.trips.symbol;
    if (facts.cost.known)
      one["step"] = {{"operations", facts.cost.operations},
                     {"bytes_in", facts.cost.bytes_in},
                     {"bytes_out", facts.cost.bytes_out},
                     {"bytes_state", facts.cost.bytes_state},
                     {"bytes_fixed", facts.cost.bytes_fixed}};
    list.push_back(std::move(one));
  }
  return json{{"scans", std::move(list)}}.dump(2);
}

}  // namespace pawl::plan
