#include "backend/reference/blocks.h"

#include <algorithm>
#include <map>
#include <optional>

#include "graph/infer.h"
#include "graph/walk.h"
#include "ops/axis_rule.h"
#include "tensor/walk.h"

namespace pawl::reference {
namespace {

using graph::Graph;
using graph::Node;
using graph::OpCall;
using graph::ScanOp;
using graph::ValueId;

/// Goes from the elements of a Scan back to what they are made of.
class Search {
 public:
  Search(const Graph& graph, const Node& scan) : graph_(graph), scan_(scan) {
    for (const Node& node : graph.nodes)
      graph::for_each_read(node, [&](ValueId id) { readers_[id.index].push_back(&node); });
    found_.scan = &scan;
  }

  /// Nothing where there are none.
  std::optional<ElementMakers> run(const std::vector<const Node*>& order) {
    if (!begin()) return std::nullopt;
    const auto place = std::find(order.begin(), order.end(), &scan_);
    for (auto at = std::make_reverse_iterator(place); at != order.rend(); ++at) add(**at);
    if (found_.nodes.empty()) return std::nullopt;
    std::set<std::uint32_t> made;
    for (const Node* node : found_.nodes)
      for (const ValueId id : node->outputs) made.insert(id.index);
    for (const auto& [index, axis] : axes_) {
      if (made.contains(index)) continue;
      // What is constant is inside of kernels already.
      if (graph_.values[index].fact.constant) return std::nullopt;
      found_.sources.push_back({{index}, axis});
    }
    for (const std::uint32_t index : whole_)
      if (!graph_.values[index].fact.constant) found_.sources.push_back({{index}, -1});
    return std::move(found_);
  }

 private:
  bool begin() {
    const auto& scan = std::get<ScanOp>(scan_.operation);
    const auto any = [](const std::vector<bool>& list) {
      return std::find(list.begin(), list.end(), true) != list.end();
    };
    if (scan.batched || any(scan.input_reversed) || any(scan.output_reversed)) return false;
    graph::for_each_body(scan_, [&](const graph::Body& body, std::string_view) {
      for (const graph::Capture& capture : body.captures) of_scan_.insert(capture.outer.index);
    });
    for (std::size_t i = 0; i < scan.states; ++i) of_scan_.insert(scan_.inputs[i].index);
    for (std::size_t i = 0; i < scan.elements; ++i) {
      const ValueId id = scan_.inputs[scan.states + i];
      const auto& shape = graph_[id].fact.type.shape;
      if (!shape) return false;
      const Result<std::size_t> axis = graph::resolve_axis(scan.input_axes[i], shape->size(), "axis");
      if (!axis.ok() || !demand(id, static_cast<int>(*axis))) return false;
    }
    return true;
  }

  bool demand(ValueId id, int axis) {
    return !of_scan_.contains(id.index) && axes_.try_emplace(id.index, axis).first->second == axis;
  }

  /// Whether nobody but makers and the Scan reads a value, all of them step by step.
  [[nodiscard]] bool is_ours(ValueId id) const {
    if (whole_.contains(id.index) || of_scan_.contains(id.index)) return false;
    if (std::find(graph_.outputs.begin(), graph_.outputs.end(), id) != graph_.outputs.end()) return false;
    const auto readers = readers_.find(id.index);
    return readers == readers_.end() ||
           std::all_of(readers->second.begin(), readers->second.end(),
                       [&](const Node* reader) { return reader == &scan_ || found_.nodes.contains(reader); });
  }

  [[nodiscard]] bool is_unread(ValueId id) const {
    return !id.valid() || (!readers_.contains(id.index) &&
                           std::find(graph_.outputs.begin(), graph_.outputs.end(), id) == graph_.outputs.end());
  }

  /// Bytes of a value without its axis of time; nothing where an extent is not known.
  [[nodiscard]] std::optional<std::int64_t> bytes_of_step(ValueId id, std::size_t axis) const {
    const Type& type = graph_[id].fact.type;
    Dims shape{static_cast<std::int64_t>(size_of(type.dtype))};
    for (std::size_t i = 0; i < type.shape->size(); ++i) {
      if (i == axis) continue;
      if (!(*type.shape)[i].known()) return std::nullopt;
      shape.push_back((*type.shape)[i].value);
    }
    return checked_size(shape);
  }

  void add(const Node& node) {
    const auto* call = std::get_if<OpCall>(&node.operation);
    if (call == nullptr || call->def->random || node.inputs.empty()) return;
    std::vector<const ops::Fact*> inputs;
    inputs.reserve(node.inputs.size());
    for (const ValueId id : node.inputs) inputs.push_back(id.valid() ? &graph_[id].fact : nullptr);
    std::vector<Type> outputs;
    outputs.reserve(node.outputs.size());
    for (const ValueId id : node.outputs) outputs.push_back(id.valid() ? graph_[id].fact.type : Type());
    const ops::Ties ties = ops::relate(*call->def, {*call->schema, call->attributes, inputs, outputs});
    if (ties.by_elements) return;
    Needs needs;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (is_unread(node.outputs[i])) continue;
      const auto axis = axes_.find(node.outputs[i].index);
      if (axis == axes_.end() || !is_ours(node.outputs[i])) return;
      const ops::Tie* tie = ties.find(i, static_cast<std::size_t>(axis->second));
      const std::optional<std::int64_t> own = bytes_of_step(node.outputs[i], static_cast<std::size_t>(axis->second));
      if (tie == nullptr || !own || !add_needs(node, i, axis->second, *tie, needs)) return;
      bytes += *own;
    }
    if (needs.axes.empty()) return;
    for (const auto& [index, axis] : needs.axes)
      if (whole_.contains(index) || needs.whole.contains(index)) return;
    for (const std::uint32_t index : needs.whole)
      if (axes_.contains(index)) return;
    for (const auto& [index, axis] : needs.axes)
      if (const auto known = axes_.find(index); known != axes_.end() && known->second != axis) return;
    axes_.insert(needs.axes.begin(), needs.axes.end());
    whole_.insert(needs.whole.begin(), needs.whole.end());
    found_.nodes.insert(&node);
    // Views are no memory of their own.
    if (call->def->axes.kind != ops::AxisKind::moved) found_.bytes_of_step += bytes;
  }

  struct Needs {
    std::map<std::uint32_t, int> axes;
    std::set<std::uint32_t> whole;
  };

  bool add_needs(const Node& node, std::size_t output, int axis, const ops::Tie& tie, Needs& needs) const {
    const Dim& steps = (*graph_[node.outputs[output]].fact.type.shape)[static_cast<std::size_t>(axis)];
    bool any = false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (!id.valid()) continue;
      const int along = tie.inputs[i];
      const Dim* extent = along < 0 ? nullptr : &(*graph_[id].fact.type.shape)[static_cast<std::size_t>(along)];
      if (extent == nullptr || (extent->known() && extent->value == 1)) {
        needs.whole.insert(id.index);
        continue;
      }
      if (!extent->same(steps) || needs.axes.try_emplace(id.index, along).first->second != along) return false;
      any = true;
    }
    return any;
  }

  const Graph& graph_;
  const Node& scan_;
  std::map<std::uint32_t, std::vector<const Node*>> readers_;
  std::map<std::uint32_t, int> axes_;  ///< of values that are wanted step by step: that of time
  std::set<std::uint32_t> whole_;      ///< values that makers read as a whole
  std::set<std::uint32_t> of_scan_;    ///< states, and what the body captures
  ElementMakers found_;
};

/// Whether each group is among the nodes with all of its own, or with none.
bool holds_whole_groups(const ElementMakers& makers, const std::vector<kernel::NodeGroup>& groups) {
  return std::all_of(groups.begin(), groups.end(), [&](const kernel::NodeGroup& group) {
    const auto inside = std::count_if(group.nodes.begin(), group.nodes.end(),
                                      [&](const Node* node) { return makers.nodes.contains(node); });
    return inside == 0 || inside == static_cast<std::ptrdiff_t>(group.nodes.size());
  });
}

}  // namespace

std::vector<ElementMakers> gather_element_makers(const Graph& graph, kernel::GroupedNodes& nodes) {
  std::vector<ElementMakers> all;
  for (const Node& node : graph.nodes) {
    if (!std::holds_alternative<ScanOp>(node.operation)) continue;
    std::optional<ElementMakers> found = Search(graph, node).run(nodes.order);
    if (!found || !holds_whole_groups(*found, nodes.groups)) continue;
    const auto place = std::find(nodes.order.begin(), nodes.order.end(), &node);
    std::stable_partition(nodes.order.begin(), place, [&](const Node* each) { return !found->nodes.contains(each); });
    all.push_back(std::move(*found));
  }
  return all;
}

}  // namespace pawl::reference
