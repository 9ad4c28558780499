// What is the same in every step is computed once, before the loop.
#include <algorithm>

#include "base/try.h"
#include "scan/dependence.h"
#include "scan/motion.h"
#include "scan/pass.h"
#include "scan/remake.h"

namespace pawl::scan {
namespace {

using graph::Mapping;

/// Facts of a node's inputs where they are in the graph around the Scan.
std::vector<const ops::Fact*> facts_outside(const Site& site, const graph::Node& node, const Mapping& outside) {
  std::vector<const ops::Fact*> facts;
  for (const ValueId id : node.inputs) facts.push_back(id.valid() ? &site.outer.fact(outside(id)) : nullptr);
  return facts;
}

}  // namespace

Rewritten move_invariants(const Site& site) {
  const Dependence dependence(site.scan);
  Mapping outside(site.body);
  for (const graph::Capture& capture : site.scan.body.captures) outside[capture.inner] = capture.outer;
  const std::vector<bool> needed = graph::values_behind(site.body, site.body.outputs);
  std::vector<ValueId> moved;
  for (const graph::Node& node : site.body.nodes) {
    const auto is_needed = [&](ValueId id) { return id.valid() && needed[id.index]; };
    if (std::none_of(node.outputs.begin(), node.outputs.end(), is_needed)) continue;
    bool ready = true;
    for_each_read(node, [&](ValueId id) {
      if (!dependence.invariant(id))
        ready = false;
      else if (!outside(id).valid() && site.body[id].fact.tensor() != nullptr)
        outside[id] = site.outer.add_constant(*site.body[id].fact.tensor(), site.body[id].name);
      if (ready) ready = outside(id).valid();
    });
    if (!ready || draws(node) || !may_run_early(site, node, facts_outside(site, node, outside))) continue;
    TRY_ASSIGN(graph::Node copy, graph::carry_over(node, outside, site.outer));
    TRY_ASSIGN(const std::vector<ValueId> ids, site.outer.add(std::move(copy), graph::outputs_of(site.body, node)));
    site.note("hoisted", node.label, "the same in every step");
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!node.outputs[i].valid()) continue;
      outside[node.outputs[i]] = ids[i];
      moved.push_back(node.outputs[i]);
    }
  }
  if (moved.empty()) return {std::nullopt};
  Remake made(site);
  for (const ValueId id : moved) made.mapping()[id] = made.scan().capture(outside(id));
  TRY_ASSIGN(std::vector<ValueId> results, made.finish());
  return {std::move(results)};
}

}  // namespace pawl::scan
