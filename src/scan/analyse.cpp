// Graph → facts.
#include <algorithm>

#include "base/try.h"
#include "scan/cost.h"
#include "scan/facts.h"
#include "scan/trips.h"

namespace pawl::scan {
namespace {

using graph::Graph;
using graph::ScanOp;
using graph::ValueId;

/// A value of the lift that is larger than what it is made of, by multiplying two parts that each lack an axis.
bool is_outer_product(const Graph& lift, ValueId id) {
  const graph::Node* node = producer_of(lift, id);
  while (node != nullptr) {
    const auto* call = std::get_if<graph::OpCall>(&node->operation);
    if (call == nullptr) return false;
    const std::string_view op = call->def->name;
    if (op == "Where") {
      // A step that a condition leaves out adds nothing.
      const graph::Node* yes = producer_of(lift, node->inputs[1]);
      node = yes != nullptr ? yes : producer_of(lift, node->inputs[2]);
      continue;
    }
    if (op != "MatMul" && op != "Mul" && op != "Einsum") {
      // Scaled by a gate, or transposed: the same product.
      if (op != "Identity" && op != "Transpose") return false;
      node = producer_of(lift, node->inputs[0]);
      continue;
    }
    const auto count = [&](ValueId value) {
      double elements = 1;
      if (const auto& shape = lift[value].fact.type.shape)
        for (const Dim& dim : *shape)
          if (dim.known()) elements *= static_cast<double>(dim.value);
      return elements;
    };
    const double made = count(node->outputs[0]);
    if (node->inputs.size() == 2 && made > count(node->inputs[0]) && made > count(node->inputs[1])) return true;
    // A scalar gate times an outer product.
    if (op != "Mul") return false;
    node = producer_of(lift, count(node->inputs[0]) >= count(node->inputs[1]) ? node->inputs[0] : node->inputs[1]);
  }
  return false;
}

/// The condition of the Where that makes a component's next state, and the comparison that makes another's.
const graph::Node* choice_of(const Graph& body, ValueId next) {
  const graph::Node* node = producer_of(body, next);
  return graph::call_of(node, "Where") != nullptr ? producer_of(body, node->inputs[0]) : nullptr;
}

/// An index that is kept or replaced by the comparison that keeps the largest: arg-max.
std::string_view index_word(const Graph& body, const ScanFacts& facts, const ComponentFacts& component) {
  if (!component.match || !component.match->masked || !component.match->reset || component.states.size() != 1)
    return {};
  const graph::Node* condition = choice_of(body, body.outputs[component.states[0]]);
  if (condition == nullptr) return {};
  for (const std::size_t earlier : component.reads) {
    const ComponentFacts& other = facts.components[earlier];
    if (other.word != "max" && other.word != "min") continue;
    const auto reads_state = [&](ValueId id) {
      return id == body.inputs[other.states[0]] || id == body.outputs[other.states[0]];
    };
    if (std::any_of(condition->inputs.begin(), condition->inputs.end(), reads_state))
      return other.word == "max" ? "arg-max" : "arg-min";
  }
  return {};
}

bool is_class(const ComponentFacts& component, const Recurrence& recurrence) {
  if (!component.match) return false;
  const Recurrence* found = component.match->recurrence;
  return found == &recurrence || found->between == &recurrence;
}

std::string word_of(const ComponentFacts& component) {
  if (!component.match) return "sequential";
  if (component.match->counter) return "counter";
  return std::string(component.match->recurrence->name);
}

class Analysis {
 public:
  Result<std::vector<ScanFacts>> run(const Graph& graph) {
    TRY(walk(graph));
    return std::move(all_);
  }

 private:
  Result<void> walk(const Graph& graph) {
    for (const graph::Node& node : graph.nodes) {
      const auto* scan = std::get_if<ScanOp>(&node.operation);
      if (scan != nullptr && !scan->batched) TRY_IN(node.label, add(graph, node, *scan));
      Result<void> inside;
      graph::for_each_body(node, [&](const graph::Body& body, std::string_view) {
        if (inside.ok()) inside = walk(*body.graph);
      });
      TRY(inside);
    }
    return {};
  }

  Result<void> add(const Graph& graph, const graph::Node& node, const ScanOp& scan) {
    const Graph& body = *scan.body.graph;
    const Dependence dependence(scan);
    ScanFacts facts;
    facts.label = node.label;
    facts.node = &node;
    facts.trips = trips_of(graph, node, scan);
    facts.nodes = body.nodes.size();
    facts.cost = cost_of(scan, dependence);
    for (std::size_t i = 0; i < scan.states; ++i)
      facts.states.push_back({body[body.inputs[i]].name, body[body.inputs[i]].fact.type, 0, {}});
    for (std::size_t i = 0; i < scan.elements; ++i)
      facts.elements.push_back(body[body.inputs[scan.states + i]].fact.type);
    for (std::vector<std::size_t>& states : components_of(scan, dependence))
      TRY(add_component(graph, node, scan, dependence, std::move(states), facts));
    for (std::size_t k = 0; k < scan.outputs; ++k) {
      const ValueId id = body.outputs[scan.states + k];
      const ValueId outside = node.outputs[scan.states + k];
      OutputFacts output{outside.valid() ? graph[outside].name : body[id].name, body[id].fact.type, {}};
      for (std::size_t c = 0; c < facts.components.size(); ++c)
        if (Component{scan, body, dependence, facts.components[c].states}.reaches(id)) output.reads.push_back(c);
      facts.outputs.push_back(std::move(output));
    }
    all_.push_back(std::move(facts));
    return {};
  }

  static Result<void> add_component(const Graph& outer, const graph::Node& node, const ScanOp& scan,
                                    const Dependence& dependence, std::vector<std::size_t> states, ScanFacts& facts) {
    const Graph& body = *scan.body.graph;
    const Component component{scan, body, dependence, std::move(states), &outer, &node};
    ComponentFacts made;
    made.states = component.states;
    for (std::size_t c = 0; c < facts.components.size(); ++c) {
      const Component earlier{scan, body, dependence, facts.components[c].states};
      const auto reads = [&](std::size_t state) { return earlier.reaches(body.outputs[state]); };
      if (std::any_of(made.states.begin(), made.states.end(), reads)) made.reads.push_back(c);
    }
    TRY_ASSIGN(Recognition recognition, recognise(component));
    made.match = std::move(recognition.match);
    made.refusal = std::move(recognition.refusal);
    made.word = word_of(made);
    if (const std::string_view index = index_word(body, facts, made); !index.empty()) made.word = index;
    if (is_class(made, kAffine) || (is_class(made, kSum) && made.states.size() == 1))
      made.rank_one = is_outer_product(*made.match->lift.graph, made.match->lift.graph->outputs.back());
    for (const std::size_t state : made.states) {
      facts.states[state].component = facts.components.size();
      facts.states[state].independent = independent_axes(component, state);
    }
    facts.components.push_back(std::move(made));
    return {};
  }

  std::vector<ScanFacts> all_;
};

}  // namespace

Result<std::vector<ScanFacts>> analyse(const Graph& graph) { return Analysis().run(graph); }

}  // namespace pawl::scan
