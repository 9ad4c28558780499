#include "graph/annotate.h"

#include <set>
#include <unordered_map>

#include "base/try.h"
#include "graph/infer.h"

namespace pawl::graph {
namespace {

using AllFacts = std::unordered_map<const Graph*, std::vector<ops::Fact>>;

void write_facts(Graph& graph, const AllFacts& all) {
  if (const auto found = all.find(&graph); found != all.end())
    for (std::size_t i = 0; i < graph.values.size(); ++i) graph.values[i].fact = found->second[i];
  for (const Node& node : graph.nodes)
    for_each_body(node, [&](const Body& body, std::string_view) { write_facts(*body.graph, all); });
}

/// In a Scan's body a wrong declaration is an error; elsewhere the file only says more than it knows.
void check_declarations(const Graph& graph, bool strict, const std::string& place,
                        const std::function<void(Error)>& problem, std::vector<std::string>& warnings) {
  for (const ValueInfo& value : graph.values) {
    const Result<void> checked = check_declared(value.declared, value.fact.type, value.name);
    if (checked.ok()) continue;
    if (strict)
      problem(Error(checked.error()).in(place));
    else
      warnings.push_back((place.empty() ? "" : place + ": ") + checked.error().message);
  }
  for (const Node& node : graph.nodes) {
    const bool in_scan = std::holds_alternative<ScanOp>(node.operation);
    for_each_body(node, [&](const Body& body, std::string_view role) {
      const std::string inner = (place.empty() ? "" : place + " / ") + node.label + " / " + std::string(role);
      check_declarations(*body.graph, in_scan, inner, problem, warnings);
    });
  }
}

/// A symbol in the type of a sequence may be another number in each of its tensors: it says nothing.
Type without_shared_symbols(Type type) {
  if (!type.is_sequence() || !type.element) return type;
  Type element = without_shared_symbols(*type.element);
  if (element.shape)
    for (Dim& dim : *element.shape)
      if (!dim.known()) dim = Dim();
  type.element = std::make_shared<const Type>(std::move(element));
  return type;
}

/// An extent without a name is one number all the same: that of this input, along this axis.
void name_extents(const Graph& graph, std::vector<ops::Fact>& inputs) {
  std::set<std::string> taken;
  for (const ops::Fact& input : inputs)
    if (input.type.is_tensor() && input.type.shape)
      for (const Dim& dim : *input.type.shape) taken.insert(dim.symbol);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].type.is_tensor() || !inputs[i].type.shape) continue;
    SymbolicShape& shape = *inputs[i].type.shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis].known() || !shape[axis].symbol.empty()) continue;
      std::string symbol = fmt::format("{}.{}", graph[graph.inputs[i]].name, axis);
      if (taken.insert(symbol).second) shape[axis] = Dim::named(std::move(symbol));
    }
  }
}

}  // namespace

Result<void> infer_all(Graph& graph, const std::function<void(Error)>& problem) {
  AllFacts all;
  InferSinks sinks;
  sinks.facts = [&](const Graph& inner, const std::vector<ops::Fact>& facts) { all[&inner] = facts; };
  sinks.problem = problem;
  std::vector<ops::Fact> inputs;
  for (const ValueId id : graph.inputs) inputs.push_back({without_shared_symbols(graph[id].fact.type), std::nullopt});
  name_extents(graph, inputs);
  TRY(infer_graph(graph, std::move(inputs), {}, sinks));
  write_facts(graph, all);
  return {};
}

Result<void> annotate(Imported& imported, Problems* problems) {
  Graph& graph = *imported.graph;
  std::optional<Error> first;
  const std::function<void(Error)> problem = [&](Error error) {
    if (!first) first = error;
    if (problems != nullptr) problems->push_back(std::move(error));
  };
  const Result<void> inferred = infer_all(graph, problems != nullptr ? problem : nullptr);
  if (!inferred.ok()) problem(inferred.error());
  if (first) return *first;
  check_declarations(graph, false, "", problem, imported.warnings);
  if (first) return *first;
  return {};
}

}  // namespace pawl::graph
