// What is known of values while their graphs are still growing: the function table's bodies depend on it.
#include "base/try.h"
#include "graph/importer.h"

namespace pawl::graph {

Importer::Opened::Opened(Importer& importer, Scope& scope, std::vector<ValueId> fed) : importer_(importer) {
  auto opened = std::make_unique<OpenGraph>();
  opened->scope = &scope;
  opened->fed = std::move(fed);
  importer_.open_.push_back(std::move(opened));
}

ops::Fact Importer::known(ValueId id) {
  CHECK(!open_.empty());
  const std::vector<ops::Fact>& facts = known_in(open_.size() - 1);
  CHECK(id.index < facts.size());
  return facts[id.index];
}

const std::vector<ops::Fact>& Importer::known_in(std::size_t level) {
  OpenGraph& open = *open_[level];
  const Graph& graph = open.scope->graph();
  for (std::size_t i = open.facts.size(); i < graph.values.size(); ++i) {
    ops::Fact fact = graph.values[i].fact;
    if (!fact.type.known()) fact.type = graph.values[i].declared;
    open.facts.push_back(std::move(fact));
  }
  if (level > 0) {
    const std::vector<ops::Fact>& outer = known_in(level - 1);
    for (std::size_t i = 0; i < open.fed.size() && i < graph.inputs.size(); ++i) {
      Type& type = open.facts[graph.inputs[i].index].type;
      if (type.known() || !open.fed[i].valid()) continue;
      type = outer[open.fed[i].index].type;
      type.shape.reset();
    }
    const std::vector<Capture>& captures = open.scope->captures();
    for (; open.captures < captures.size(); ++open.captures)
      open.facts[captures[open.captures].inner.index] = outer[captures[open.captures].outer.index];
  }
  for (; open.nodes < graph.nodes.size(); ++open.nodes) {
    const Node& node = graph.nodes[open.nodes];
    // A node that cannot run is reported once the whole graph is there.
    Result<std::vector<ops::Fact>> outputs = open.walk.node(node, node.outputs.size(), open.facts);
    if (!outputs.ok()) continue;
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i].valid()) open.facts[node.outputs[i].index] = std::move((*outputs)[i]);
  }
  return open.facts;
}

}  // namespace pawl::graph
