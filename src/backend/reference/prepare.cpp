#include "backend/reference/prepare.h"

#include <algorithm>
#include <unordered_map>

#include "backend/reference/chunked.h"
#include "base/try.h"
#include "tensor/file_pages.h"

namespace pawl::reference {
namespace {

using graph::Body;
using graph::Graph;
using graph::Node;
using graph::ValueId;

using Live = std::vector<bool>;

/// What prepare() was told of the graph itself, not of its bodies.
struct Faster {
  bool grouped = false;
  bool (*accelerated)(const ops::OpDef&) = nullptr;
};

std::unique_ptr<Prepared> prepare_graph(const Graph& graph, Live needed_outputs, bool strict,
                                        const Faster& faster = {});

void mark(Live& live, ValueId id) {
  if (id.valid()) live[id.index] = true;
}

/// Where the states of a loop's body stand among its inputs and outputs.
struct LoopForm {
  std::size_t states = 0;
  std::size_t first_input = 0;
  std::size_t first_output = 0;
};

/// Adds the states that are needed because the next step of something needed reads them: a walk from the needed outputs
/// to what they are made of, and from a state's input on to its output.
void close_over_states(const Body& body, const LoopForm& form, Live& needed) {
  const Graph& graph = *body.graph;
  std::vector<const Node*> producer(graph.values.size(), nullptr);
  for (const Node& node : graph.nodes)
    for (const ValueId id : node.outputs)
      if (id.valid()) producer[id.index] = &node;
  std::vector<std::size_t> state_of(graph.values.size(), form.states);
  for (std::size_t i = 0; i < form.states; ++i) state_of[graph.inputs[form.first_input + i].index] = i;

  Live seen(graph.values.size(), false);
  std::vector<ValueId> open;
  const auto visit = [&](ValueId id) {
    if (!id.valid() || seen[id.index]) return;
    seen[id.index] = true;
    open.push_back(id);
  };
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i]) visit(graph.outputs[i]);
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    if (const std::size_t state = state_of[id.index]; state < form.states) {
      needed[form.first_output + state] = true;
      visit(graph.outputs[form.first_output + state]);
    }
    if (producer[id.index] == nullptr) continue;
    for (const ValueId input : producer[id.index]->inputs) visit(input);
    graph::for_each_body(*producer[id.index], [&](const Body& inner, std::string_view) {
      for (const graph::Capture& capture : inner.captures) visit(capture.outer);
    });
  }
}

std::vector<std::unique_ptr<Prepared>> prepare_bodies(const Node& node, const bool* wanted) {
  std::vector<std::unique_ptr<Prepared>> bodies;
  Live needed(wanted, wanted + node.outputs.size());
  if (const auto* scan = std::get_if<graph::ScanOp>(&node.operation)) {
    close_over_states(scan->body, {scan->states, 0, 0}, needed);
    bodies.push_back(prepare_graph(*scan->body.graph, std::move(needed), true));
  } else if (const auto* loop = std::get_if<graph::LoopOp>(&node.operation)) {
    needed.resize(loop->carried + loop->outputs, false);
    needed.insert(needed.begin(), true);  // the condition
    close_over_states(loop->body, {loop->carried, 2, 1}, needed);
    bodies.push_back(prepare_graph(*loop->body.graph, std::move(needed), false));
  } else if (const auto* branch = std::get_if<graph::IfOp>(&node.operation)) {
    bodies.push_back(prepare_graph(*branch->then_branch.graph, needed, false));
    bodies.push_back(prepare_graph(*branch->else_branch.graph, needed, false));
  }
  return bodies;
}

bool is_unknown(const Type& type) {
  switch (type.kind) {
    case Type::Kind::tensor: return type.dtype == DType::undefined;
    case Type::Kind::sequence: return !type.element || is_unknown(*type.element);
    default: return true;
  }
}

/// What the body of a Scan captures, in the body's order.
std::vector<ValueId> captures_of(const graph::ScanOp& scan) {
  std::vector<ValueId> outer;
  for (const ValueId inner : scan.body.graph->captured)
    for (const graph::Capture& capture : scan.body.captures)
      if (capture.inner == inner) outer.push_back(capture.outer);
  return outer;
}

/// Marks what the node reads, given which of its outputs are read, and makes its plan.
NodePlan plan_node(const Graph& graph, const Node& node, Live& live, bool strict) {
  NodePlan plan;
  plan.node = &node;
  plan.wanted = std::make_unique<bool[]>(node.outputs.size());
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId id = node.outputs[i];
    plan.wanted[i] = id.valid() && live[id.index];
    if (strict && plan.wanted[i] && graph[id].declared.known()) plan.declared.push_back(i);
  }
  plan.bodies = prepare_bodies(node, plan.wanted.get());
  if (const auto* scan = std::get_if<graph::ScanOp>(&node.operation)) plan.captures = captures_of(*scan);
  for (const ValueId id : node.inputs) {
    mark(live, id);
    if (id.valid() && is_unknown(graph[id].fact.type)) plan.check_types = true;
  }
  graph::for_each_body(node, [&](const Body& body, std::string_view) {
    for (const graph::Capture& capture : body.captures) mark(live, capture.outer);
  });
  return plan;
}

/// A node without inputs whose value is known: it is read from the constants, and never run.
bool is_constant(const Graph& graph, const Node& node) {
  const auto* call = std::get_if<graph::OpCall>(&node.operation);
  return call != nullptr && node.inputs.empty() && !call->def->random &&
         std::all_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId id) { return !id.valid() || graph[id].fact.constant.has_value(); });
}

/// By value: known before the run. Initializers, and what constant nodes give.
Live constant_values(const Graph& graph) {
  Live constant(graph.values.size(), false);
  for (std::size_t i = 0; i < graph.values.size(); ++i) constant[i] = graph.values[i].fact.constant.has_value();
  for (const Node& node : graph.nodes) {
    if (is_constant(graph, node)) continue;
    for (const ValueId id : node.outputs)
      if (id.valid()) constant[id.index] = false;
  }
  return constant;
}

/// Values that must outlive every node of one evaluation: constants and captures, which serve the next step too.
Live pinned_values(const Graph& graph) {
  Live pinned = constant_values(graph);
  for (const ValueId id : graph.captured) pinned[id.index] = true;
  return pinned;
}

/// Walks backwards: the first reader met is the last one that runs.
void find_last_uses(const Graph& graph, Prepared& prepared) {
  Live later = prepared.pinned;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    if (prepared.needed_outputs[i]) mark(later, graph.outputs[i]);
  for (std::size_t n = prepared.nodes.size(); n-- > 0;) {
    NodePlan& plan = prepared.nodes[n];
    const Node& node = *plan.node;
    Live captured(!graph.values.empty() && !plan.bodies.empty() ? graph.values.size() : 0, false);
    graph::for_each_body(node, [&](const Body& body, std::string_view) {
      for (const graph::Capture& capture : body.captures) captured[capture.outer.index] = true;
    });
    plan.last_use = std::make_unique<bool[]>(node.inputs.size());
    std::unordered_map<std::uint32_t, std::size_t> times;
    for (const ValueId id : node.inputs) ++times[id.index];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (!id.valid()) continue;
      plan.last_use[i] = times[id.index] == 1 && !later[id.index] && (captured.empty() || !captured[id.index]);
    }
    const auto retire = [&](ValueId id) {
      if (!id.valid() || later[id.index]) return;
      later[id.index] = true;
      plan.dead.push_back(id);
    };
    for (const ValueId id : node.inputs) retire(id);
    graph::for_each_body(node, [&](const Body& body, std::string_view) {
      for (const graph::Capture& capture : body.captures) retire(capture.outer);
    });
  }
}

/// The nodes, and the groups of them, in the order in which they run.
kernel::GroupedNodes order_of(const Graph& graph, bool grouped) {
  std::vector<bool> constant;
  constant.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) constant.push_back(is_constant(graph, node));
  if (grouped) return kernel::group_nodes(graph, constant);
  kernel::GroupedNodes plain;
  for (const Node& node : graph.nodes) plain.order.push_back(&node);
  return plain;
}

/// How many axes all of these tensors have, where that is known and the same.
std::optional<std::size_t> common_rank(const Graph& graph, const std::vector<ValueId>& values) {
  std::optional<std::size_t> rank;
  for (const ValueId id : values) {
    const auto& shape = graph[id].fact.type.shape;
    if (!shape || (rank && *rank != shape->size())) return std::nullopt;
    rank = shape->size();
  }
  return rank;
}

/// Where the groups' nodes are among those that are needed. A group that has lost one of them is none.
void add_groups(Prepared& prepared, std::vector<kernel::NodeGroup> groups) {
  std::unordered_map<const Node*, std::size_t> place;
  for (std::size_t n = 0; n < prepared.nodes.size(); ++n) place.emplace(prepared.nodes[n].node, n);
  for (kernel::NodeGroup& group : groups) {
    GroupPlan plan;
    bool whole = true;
    for (const Node* node : group.nodes) whole = whole && place.contains(node);
    if (!whole) continue;
    plan.first = place.at(group.nodes.front());
    plan.count = group.nodes.size();
    plan.wanted.assign(group.gives.size(), true);
    plan.rank = common_rank(*prepared.graph, group.gives);
    const std::vector<ValueId>& outputs = prepared.graph->outputs;
    plan.gives_output = std::any_of(group.gives.begin(), group.gives.end(), [&](ValueId id) {
      return std::find(outputs.begin(), outputs.end(), id) != outputs.end();
    });
    plan.group = std::move(group);
    prepared.groups.push_back(std::move(plan));
  }
  std::sort(prepared.groups.begin(), prepared.groups.end(),
            [](const GroupPlan& a, const GroupPlan& b) { return a.first < b.first; });
}

/// Scans behind what makes their elements, as far as all of it is needed.
void add_blocks(Prepared& prepared, std::vector<ElementMakers> all) {
  for (ElementMakers& makers : all) {
    BlockPlan plan;
    while (plan.scan < prepared.nodes.size() && prepared.nodes[plan.scan].node != makers.scan) ++plan.scan;
    if (plan.scan == prepared.nodes.size() || plan.scan < makers.nodes.size()) continue;
    plan.first = plan.scan - makers.nodes.size();
    const bool together = std::all_of(prepared.nodes.begin() + static_cast<std::ptrdiff_t>(plan.first),
                                      prepared.nodes.begin() + static_cast<std::ptrdiff_t>(plan.scan),
                                      [&](const NodePlan& each) { return makers.nodes.contains(each.node); });
    if (!together) continue;
    plan.makers = std::move(makers);
    prepared.blocks.push_back(std::move(plan));
  }
  std::sort(prepared.blocks.begin(), prepared.blocks.end(),
            [](const BlockPlan& a, const BlockPlan& b) { return a.first < b.first; });
}

std::unique_ptr<Prepared> prepare_graph(const Graph& graph, Live needed_outputs, bool strict, const Faster& faster) {
  auto prepared = std::make_unique<Prepared>();
  prepared->graph = &graph;
  prepared->strict = strict;
  Live live(graph.values.size(), false);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    if (needed_outputs[i]) mark(live, graph.outputs[i]);
  prepared->needed_outputs = std::move(needed_outputs);
  kernel::GroupedNodes nodes = order_of(graph, faster.grouped);
  std::vector<ElementMakers> makers;
  if (faster.grouped) makers = gather_element_makers(graph, nodes);
  for (std::size_t n = nodes.order.size(); n-- > 0;) {
    const Node& node = *nodes.order[n];
    const bool needed =
        std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) { return id.valid() && live[id.index]; });
    if (needed && !is_constant(graph, node)) prepared->nodes.push_back(plan_node(graph, node, live, strict));
  }
  std::reverse(prepared->nodes.begin(), prepared->nodes.end());
  for (NodePlan& plan : prepared->nodes)
    if (const auto* call = std::get_if<graph::OpCall>(&plan.node->operation))
      plan.accelerated = faster.accelerated != nullptr && faster.accelerated(*call->def);
  for (const ValueId id : graph.inputs) prepared->read_inputs.push_back(live[id.index]);
  prepared->pinned = pinned_values(graph);
  for (NodePlan& plan : prepared->nodes) plan.moves = only_moves(*plan.node, prepared->pinned);
  find_last_uses(graph, *prepared);
  add_groups(*prepared, std::move(nodes.groups));
  add_blocks(*prepared, std::move(makers));
  return prepared;
}

/// Hands every Scan that has facts, and a class for all of its states, to be run in parts.
Result<void> add_chunks(Prepared& prepared, const std::vector<scan::ScanFacts>& facts, std::size_t parts) {
  for (NodePlan& plan : prepared.nodes) {
    for (const scan::ScanFacts& each : facts) {
      if (each.node != plan.node) continue;
      TRY_ASSIGN(plan.chunked, prepare_chunked(each, parts));
    }
    for (const std::unique_ptr<Prepared>& body : plan.bodies) TRY(add_chunks(*body, facts, parts));
  }
  return {};
}

}  // namespace

NodePlan::NodePlan() = default;
NodePlan::NodePlan(NodePlan&&) noexcept = default;
NodePlan& NodePlan::operator=(NodePlan&&) noexcept = default;
NodePlan::~NodePlan() = default;

std::unique_ptr<Prepared> prepare_body(const Graph& graph) {
  return prepare_graph(graph, Live(graph.outputs.size(), true), false);
}

Result<std::shared_ptr<const Prepared>> prepare_in_parts(const Graph& graph, const std::vector<scan::ScanFacts>& facts,
                                                         std::size_t parts, bool (*accelerated)(const ops::OpDef&)) {
  std::unique_ptr<Prepared> prepared =
      prepare_graph(graph, Live(graph.outputs.size(), true), false, {.accelerated = accelerated});
  TRY(add_chunks(*prepared, facts, parts));
  return std::shared_ptr<const Prepared>(std::move(prepared));
}

const std::vector<std::pair<ValueId, Value>>& Prepared::constants() const {
  std::call_once(once_, [this] {
    const Live known = constant_values(*graph);
    for (std::uint32_t i = 0; i < graph->values.size(); ++i) {
      if (!known[i]) continue;
      Value value = *graph->values[i].fact.constant;
      // A failure for want of memory shows again, with its place, where the value is read.
      if (value.is_tensor() && !value.tensor().aligned())
        if (Result<Tensor> aligned = value.tensor().clone(); aligned.ok()) {
          give_back_file_pages(value.tensor());
          value = std::move(aligned).value();
        }
      constants_.emplace_back(ValueId{i}, std::move(value));
    }
  });
  return constants_;
}

Result<std::shared_ptr<const Prepared>> prepare(const Graph& graph, bool grouped,
                                                bool (*accelerated)(const ops::OpDef&)) {
  return std::shared_ptr<const Prepared>(
      prepare_graph(graph, Live(graph.outputs.size(), true), false, {grouped, accelerated}));
}

}  // namespace pawl::reference
