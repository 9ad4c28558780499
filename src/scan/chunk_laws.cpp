#include "scan/chunk_laws.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "scan/chunk_scans.h"

namespace pawl::scan {
namespace {

using graph::Builder;

Tuple add_inputs(Builder& to, const std::vector<Type>& types, const std::string& name) {
  Tuple made;
  for (const Type& type : types) made.push_back(to.add_input({name, {type, std::nullopt}, {}}));
  return made;
}

graph::ScanOp function_of(graph::Graph body) {
  const std::size_t inputs = body.inputs.size();
  return time_first(std::move(body), 0, inputs);
}

Result<graph::ScanOp> combine_of(const Match& match, const std::vector<Type>& element) {
  Builder to("combine");
  const Tuple earlier = add_inputs(to, element, "p");
  const Tuple later = add_inputs(to, element, "q");
  TRY_ASSIGN(Tuple made, match.recurrence->combine(to, earlier, later));
  return function_of(to.finish(std::move(made)));
}

Result<graph::ScanOp> act_of(const Match& match, const std::vector<Type>& element, const std::vector<Type>& states) {
  Builder to("act");
  const Tuple step = add_inputs(to, element, "p");
  const Tuple before = add_inputs(to, states, "s");
  TRY_ASSIGN(Tuple made, act_on_states(match, to, step, before));
  return function_of(to.finish(std::move(made)));
}

/// One law; no element types where they are not fixed.
Result<std::optional<ComponentLaw>> law_of(const ScanFacts& facts, ComponentFacts& component) {
  const Match& match = *component.match;
  ComponentLaw law;
  law.states = component.states;
  TRY_ASSIGN(const std::optional<std::vector<Type>> element, element_types(match));
  if (!element) return std::optional<ComponentLaw>();
  law.element = *element;
  std::vector<Type> states;
  std::vector<DType> dtypes;
  for (const std::size_t state : component.states) {
    states.push_back(facts.states[state].type);
    dtypes.push_back(states.back().dtype);
    law.doubts.push_back(doubt_of(*match.recurrence, dtypes.back()));
  }
  if (match.recurrence != &kDelay) {
    TRY_ASSIGN(std::optional<std::vector<Tensor>> unchanged, unchanged_rows(match, *element, dtypes, 1));
    if (!unchanged) return std::optional<ComponentLaw>();
    law.unchanged = std::move(*unchanged);
  }
  law.factors = factors_of(*match.recurrence, element->size(), dtypes);
  law.commutative = match.recurrence->commutative;
  TRY_ASSIGN(law.combine, combine_of(match, *element));
  TRY_ASSIGN(law.act, act_of(match, *element, states));
  law.lift = function_of(std::move(*component.match->lift.graph));
  return std::optional(std::move(law));
}

}  // namespace

Result<ChunkLawsResult> chunk_laws(const graph::ScanOp& scan, const std::vector<ops::Fact>& inputs,
                                   const std::vector<ops::Fact>& captured, bool exact) {
  const auto refused = [](std::string why) { return ChunkLawsResult{std::nullopt, std::move(why)}; };
  ChunkLaws made;
  TRY_ASSIGN(made.graph, specialised(scan, inputs, captured));
  TRY_ASSIGN(std::vector<ScanFacts> all, analyse(made.graph));
  const auto own = std::find_if(all.begin(), all.end(),
                                [&](const ScanFacts& each) { return each.node == &made.graph.nodes.back(); });
  CHECK(own != all.end());
  if (std::string why = why_uncut(*own, exact); !why.empty()) return refused(std::move(why));
  if (count_levels(*own) > 1) return refused("a state waits for another one");
  for (ComponentFacts& component : own->components) {
    TRY_ASSIGN(std::optional<ComponentLaw> law, law_of(*own, component));
    if (!law) return refused(fmt::format("the elements of {} have no fixed form", component.word));
    made.components.push_back(std::move(*law));
  }
  return ChunkLawsResult{std::move(made), {}};
}

}  // namespace pawl::scan
