#include <vector>

#include "base/try.h"
#include "graph/graph.h"

namespace pawl::graph {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), defined_(graph.values.size(), false) {}

  Result<void> run() {
    for (const ValueId id : graph_.inputs) TRY(define(id, "input"));
    for (const ValueId id : graph_.captured) TRY(define(id, "captured value"));
    for (std::size_t i = 0; i < graph_.values.size(); ++i)
      if (graph_.values[i].fact.constant && !defined_[i] && !is_node_output(i)) defined_[i] = true;
    for (const Node& node : graph_.nodes) TRY_IN(node.label, check_node(node));
    for (const ValueId id : graph_.outputs) TRY(use(id, "graph output"));
    return {};
  }

 private:
  [[nodiscard]] bool is_node_output(std::size_t index) {
    if (node_outputs_.empty()) {
      node_outputs_.assign(graph_.values.size(), false);
      for (const Node& node : graph_.nodes)
        for (const ValueId id : node.outputs)
          if (id.valid() && id.index < node_outputs_.size()) node_outputs_[id.index] = true;
    }
    return node_outputs_[index];
  }

  Result<void> define(ValueId id, std::string_view what) {
    if (!id.valid() || id.index >= graph_.values.size()) return fail(Code::internal, "{} has no value", what);
    if (defined_[id.index]) return fail(Code::internal, "value \"{}\" is defined twice", graph_[id].name);
    defined_[id.index] = true;
    return {};
  }

  Result<void> use(ValueId id, std::string_view what) const {
    if (!id.valid() || id.index >= graph_.values.size()) return fail(Code::internal, "{} has no value", what);
    if (!defined_[id.index])
      return fail(Code::internal, "{} \"{}\" is used before it is defined", what, graph_[id].name);
    return {};
  }

  Result<void> check_body(const Body& body, std::size_t inputs, std::size_t outputs) const {
    if (!body.graph) return fail(Code::internal, "a body is missing");
    if (body.graph->inputs.size() != inputs)
      return fail(Code::internal, "the body has {} inputs, expected {}", body.graph->inputs.size(), inputs);
    if (body.graph->outputs.size() != outputs)
      return fail(Code::internal, "the body has {} outputs, expected {}", body.graph->outputs.size(), outputs);
    if (body.captures.size() != body.graph->captured.size()) return fail(Code::internal, "captures are not paired");
    for (std::size_t i = 0; i < body.captures.size(); ++i) {
      TRY(use(body.captures[i].outer, "captured value"));
      if (body.captures[i].inner != body.graph->captured[i]) return fail(Code::internal, "captures are out of order");
    }
    TRY_IN("body", verify(*body.graph));
    return {};
  }

  Result<void> check_node(const Node& node) {
    for (const ValueId id : node.inputs)
      if (id.valid()) TRY(use(id, "input"));
    if (const auto* scan = std::get_if<ScanOp>(&node.operation)) {
      TRY(check_body(scan->body, scan->states + scan->elements, scan->states + scan->outputs));
    } else if (const auto* loop = std::get_if<LoopOp>(&node.operation)) {
      TRY(check_body(loop->body, 2 + loop->carried, 1 + loop->carried + loop->outputs));
    } else if (const auto* branch = std::get_if<IfOp>(&node.operation)) {
      TRY(check_body(branch->then_branch, 0, node.outputs.size()));
      TRY(check_body(branch->else_branch, 0, node.outputs.size()));
    }
    for (const ValueId id : node.outputs)
      if (id.valid()) TRY(define(id, "output"));
    return {};
  }

  const Graph& graph_;
  std::vector<bool> defined_;
  std::vector<bool> node_outputs_;
};

}  // namespace

Result<void> verify(const Graph& graph) { return Verifier(graph).run(); }

}  // namespace pawl::graph
