#include "kernel/node_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/try.h"
#include "expr/types.h"
#include "graph/walk.h"
#include "kernel/step_builder.h"
#include "ops/lower.h"

namespace pawl::kernel {
namespace {

using graph::Graph;
using graph::Node;
using graph::OpCall;
using graph::ValueId;

/// A kernel of more would take too long to compile for what it saves.
constexpr std::size_t kMostNodes = 48;

/// Whether products of matrices of that type are made here. Those of floats are a library's, which has none of the
/// others that is fast on every machine.
bool is_own_product(DType dtype) { return dtype == DType::f64 || expr::is_stored(dtype); }

Role role_of(const Graph& graph, const Node& node) {
  const auto* call = std::get_if<OpCall>(&node.operation);
  if (call == nullptr || !call->def->domain.empty() || call->def->random) return Role::none;
  for (const ValueId id : node.outputs)
    if (id.valid() && !expr::is_computed(expr::computed_type(graph[id].fact.type.dtype))) return Role::none;
  const std::string_view name = call->def->name;
  if (name == "DequantizeLinear") return Role::none;
  if (name == "Conv" && !is_sum_of_taps(*call, graph[node.inputs[1]].fact.type)) return Role::none;
  if ((name == "MatMul" || name == "Gemm") && !is_own_product(graph[node.outputs[0]].fact.type.dtype))
    return Role::none;
  const Role role = StepBuilder::role_outside(*call);
  if (role != Role::works || ops::find_lowering(*call->def) == nullptr) return role;
  // Indices and extents are few, and other operators ask for them before the run.
  const Type& type = graph[node.outputs[0]].fact.type;
  return expr::is_float(type.dtype) || expr::is_stored(type.dtype) || type.dtype == DType::boolean ? role : Role::none;
}

class Grouping {
 public:
  Grouping(const Graph& graph, const std::vector<bool>& is_constant) : graph_(graph), is_constant_(is_constant) {}

  NodeGroup alone(const Node& node) {
    const auto at = static_cast<std::size_t>(&node - graph_.nodes.data());
    return outline({{at}, {}, true});
  }

  GroupedNodes run() {
    find();
    for (Members& each : groups_) prune(each);
    return lay_out();
  }

 private:
  struct Members {
    std::vector<std::size_t> nodes;   ///< ascending
    std::vector<std::size_t> pruned;  ///< come right after them
    bool open = true;
  };

  /// A node joins the groups that it reads, which become one. Whatever else reads a group closes it: what is in it runs
  /// before that reader, and nothing is put off until after it.
  void find() {
    group_of_.assign(graph_.nodes.size(), SIZE_MAX);
    std::map<std::uint32_t, std::size_t> maker;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (is_constant_[n]) continue;
      const Node& node = graph_.nodes[n];
      std::set<std::size_t> read;
      graph::for_each_read(node, [&](ValueId id) {
        const auto found = maker.find(id.index);
        if (found != maker.end() && group_of_[found->second] != SIZE_MAX && groups_[group_of_[found->second]].open)
          read.insert(group_of_[found->second]);
      });
      for (const ValueId id : node.outputs)
        if (id.valid()) maker.emplace(id.index, n);
      std::size_t size = 1;
      for (const std::size_t each : read) size += groups_[each].nodes.size();
      const Role role = role_of(graph_, node);
      if (role == Role::none || size > kMostNodes) {
        for (const std::size_t each : read) groups_[each].open = false;
        if (role == Role::none) continue;
        read.clear();
      }
      join(n, read);
    }
  }

  void join(std::size_t n, const std::set<std::size_t>& read) {
    if (read.empty()) {
      group_of_[n] = groups_.size();
      groups_.push_back({{n}, {}, true});
      return;
    }
    const std::size_t into = *read.begin();
    for (const std::size_t each : read) {
      if (each == into) continue;
      for (const std::size_t member : groups_[each].nodes) {
        group_of_[member] = into;
        groups_[into].nodes.push_back(member);
      }
      groups_[each].nodes.clear();
    }
    groups_[into].nodes.push_back(n);
    std::sort(groups_[into].nodes.begin(), groups_[into].nodes.end());
    group_of_[n] = into;
  }

  /// Nodes that only move leave a group in which nobody reads them; so do those that move what comes from outside to
  /// others alone.
  void prune(Members& group) {
    for (bool changed = true; changed;) {
      changed = false;
      std::set<std::uint32_t> read;
      for (const std::size_t n : group.nodes)
        for (const ValueId id : graph_.nodes[n].inputs)
          if (id.valid()) read.insert(id.index);
      for (std::size_t i = group.nodes.size(); i-- > 0;) {
        const Node& node = graph_.nodes[group.nodes[i]];
        const bool is_read = std::any_of(node.outputs.begin(), node.outputs.end(),
                                         [&](ValueId id) { return id.valid() && read.contains(id.index); });
        if (is_read || role_of(graph_, node) != Role::moves) continue;
        group.pruned.push_back(group.nodes[i]);
        group.nodes.erase(group.nodes.begin() + static_cast<std::ptrdiff_t>(i));
        changed = true;
        break;
      }
    }
    std::sort(group.pruned.begin(), group.pruned.end());
  }

  GroupedNodes lay_out() {
    // Where a group runs: at the place of its last node, those that were pruned among them.
    std::map<std::size_t, std::size_t> last;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::size_t at = 0;
      for (const auto* list : {&groups_[g].nodes, &groups_[g].pruned})
        for (const std::size_t n : *list) at = std::max(at, n);
      if (!groups_[g].nodes.empty()) last.emplace(at, g);
    }
    GroupedNodes made;
    std::vector<bool> held(graph_.nodes.size(), false);
    for (const auto& [at, g] : last)
      for (const auto* list : {&groups_[g].nodes, &groups_[g].pruned})
        for (const std::size_t n : *list) held[n] = true;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!held[n]) made.order.push_back(&graph_.nodes[n]);
      const auto found = last.find(n);
      if (found == last.end()) continue;
      const Members& members = groups_[found->second];
      for (const auto* list : {&members.nodes, &members.pruned})
        for (const std::size_t each : *list) made.order.push_back(&graph_.nodes[each]);
      made.groups.push_back(outline(members));
    }
    return made;
  }

  NodeGroup outline(const Members& members) {
    NodeGroup group;
    auto body = std::make_unique<Graph>();
    body->name = "group";
    std::map<std::uint32_t, ValueId> inner;
    const auto add = [&](ValueId id) {
      const ValueId made{static_cast<std::uint32_t>(body->values.size())};
      body->values.push_back({graph_[id].name, {}, {}});
      inner.emplace(id.index, made);
      return made;
    };
    std::set<std::uint32_t> own;
    for (const std::size_t n : members.nodes)
      for (const ValueId id : graph_.nodes[n].outputs)
        if (id.valid()) own.insert(id.index);
    for (const std::size_t n : members.nodes) {
      const Node& node = graph_.nodes[n];
      group.nodes.push_back(&node);
      Node copy;
      copy.name = node.name;
      copy.label = node.label;
      copy.operation = std::get<OpCall>(node.operation);
      for (const ValueId id : node.inputs) {
        if (!id.valid()) {
          copy.inputs.emplace_back();
          continue;
        }
        if (!inner.contains(id.index)) {
          const ValueId made = add(id);
          (*body)[made].fact = graph_[id].fact;
          if (graph_[id].fact.tensor() == nullptr) {
            body->captured.push_back(made);
            group.reads.push_back(id);
            group.scan.body.captures.push_back({id, made});
          }
        }
        copy.inputs.push_back(inner.at(id.index));
      }
      for (const ValueId id : node.outputs) copy.outputs.push_back(id.valid() ? add(id) : ValueId());
      body->nodes.push_back(std::move(copy));
    }
    for (const std::size_t n : members.nodes)
      for (const ValueId id : graph_.nodes[n].outputs)
        if (id.valid() && is_read_outside(members, id)) {
          body->outputs.push_back(inner.at(id.index));
          group.gives.push_back(id);
        }
    group.scan.outputs = group.gives.size();
    group.scan.output_axes.assign(group.gives.size(), 0);
    group.scan.output_reversed.assign(group.gives.size(), false);
    group.scan.body.graph = std::move(body);
    return group;
  }

  [[nodiscard]] bool is_read_outside(const Members& members, ValueId id) const {
    if (std::find(graph_.outputs.begin(), graph_.outputs.end(), id) != graph_.outputs.end()) return true;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (std::binary_search(members.nodes.begin(), members.nodes.end(), n)) continue;
      bool reads = false;
      graph::for_each_read(graph_.nodes[n], [&](ValueId read) { reads = reads || read == id; });
      if (reads) return true;
    }
    return false;
  }

  const Graph& graph_;
  const std::vector<bool>& is_constant_;
  std::vector<std::size_t> group_of_;
  std::vector<Members> groups_;
};

}  // namespace

GroupedNodes group_nodes(const Graph& graph, const std::vector<bool>& is_constant) {
  return Grouping(graph, is_constant).run();
}

NodeGroup group_of(const Graph& graph, const Node& node) {
  CHECK(std::holds_alternative<OpCall>(node.operation));
  return Grouping(graph, {}).alone(node);
}

}  // namespace pawl::kernel
