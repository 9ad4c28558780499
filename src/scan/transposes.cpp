// A Transpose before a Scan, or after it, that only moves the axis of time: the Scan cuts and stacks along another axis
// instead. Exporters whose models have the batch first write both.
#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/pass.h"
#include "scan/remake.h"
#include "scan/selection.h"

namespace pawl::scan {
namespace {

using graph::Node;
using Order = std::vector<std::int64_t>;

/// All axes but one are in the order that they had.
bool moves_only(const Order& order, std::size_t place) {
  Order others = order;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
  return std::is_sorted(others.begin(), others.end());
}

class Absorb {
 public:
  explicit Absorb(const Site& site) : site_(site) {}

  Rewritten run() {
    if (!agree_on_length(site_) || site_.original == nullptr) return {std::nullopt};
    find_inputs();
    find_outputs();
    if (inputs_.empty() && outputs_.empty()) return {std::nullopt};
    return rewrite();
  }

 private:
  struct Input {
    std::size_t element;
    ValueId scanned;
    std::size_t axis;
  };
  struct Output {
    std::size_t k;
    std::size_t axis;
    Order order;  ///< of the Transposes that read it
  };

  /// What is scanned is a tensor with the axis of time elsewhere.
  void find_inputs() {
    for (std::size_t i = 0; i < site_.scan.elements; ++i) {
      const ValueId scanned = site_.scanned(i);
      const Node* maker = site_.outer.maker(scanned);
      if (call_of(maker, "Transpose") == nullptr) continue;
      const auto order = order_of_transpose(*maker, site_.outer.fact(maker->inputs[0]).type);
      if (!order) continue;
      const Result<std::size_t> axis = graph::resolve_axis(site_.scan.input_axes[i], order->size(), "scan input axis");
      if (!axis.ok() || !moves_only(*order, *axis)) continue;
      inputs_.push_back({i, maker->inputs[0], static_cast<std::size_t>((*order)[*axis])});
    }
  }

  /// All that reads an output moves the axis of time to the same place.
  void find_outputs() {
    const Node& was = site_.original->node;
    for (std::size_t k = 0; k < site_.scan.outputs; ++k) {
      const ValueId output = was.outputs[site_.scan.states + k];
      if (!output.valid()) continue;
      const auto order = order_of_readers(output);
      if (!order) continue;
      const Result<std::size_t> axis =
          graph::resolve_axis(site_.scan.output_axes[k], order->size(), "scan output axis");
      if (!axis.ok()) continue;
      const auto place = static_cast<std::size_t>(
          std::find(order->begin(), order->end(), static_cast<std::int64_t>(*axis)) - order->begin());
      if (place == *axis || !moves_only(*order, place)) continue;
      outputs_.push_back({k, place, *order});
    }
  }

  [[nodiscard]] std::optional<Order> order_of_readers(ValueId id) const {
    const graph::Graph& graph = site_.original->graph;
    if (std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end()) return std::nullopt;
    std::optional<Order> common;
    for (const Node& node : graph.nodes) {
      bool reads = false;
      for_each_read(node, [&](ValueId read) { reads = reads || read == id; });
      if (!reads) continue;
      const auto order = order_of_transpose(node, graph[id].fact.type);
      if (!order || (common && *common != *order)) return std::nullopt;
      // A declaration that has to be checked keeps its node.
      const graph::ValueInfo& moved = graph[node.outputs[0]];
      if (!graph::implies(moved.fact.type, moved.declared)) return std::nullopt;
      common = order;
    }
    return common;
  }

  Rewritten rewrite() {
    std::vector<bool> keeps(site_.scan.outputs, true);
    for (const Output& output : outputs_) keeps[output.k] = false;
    Remake made(site_, std::vector<bool>(site_.scan.states, true), keeps);
    for (const Input& input : inputs_) {
      const Cut cut{static_cast<std::int64_t>(input.axis), site_.scan.input_reversed[input.element]};
      const ValueId element = site_.element(input.element);
      TRY_ASSIGN(made.mapping()[element], made.scan().add_element(site_.body[element], input.scanned, cut));
      site_.note("absorbed", "Transpose before element " + std::to_string(input.element),
                 fmt::format("cut along axis {}", input.axis));
    }
    for (const Output& output : outputs_)
      made.give_out(site_.output(output.k),
                    {static_cast<std::int64_t>(output.axis), site_.scan.output_reversed[output.k]});
    TRY_ASSIGN(std::vector<ValueId> results, made.finish());
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const Output& output = outputs_[i];
      const std::size_t place = site_.scan.states + output.k;
      // What it was; with the Transpose that reads it, it is nothing.
      TRY_ASSIGN(const std::vector<ValueId> back, site_.outer.call("Transpose", {{"perm", inverse_order(output.order)}},
                                                                   {made.given_out(i)}, site_.outputs[place].name));
      results[place] = back[0];
      site_.note("absorbed", "Transpose after output " + std::to_string(output.k),
                 fmt::format("stacked along axis {}", output.axis));
    }
    return {std::move(results)};
  }

  const Site& site_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
};

}  // namespace

Rewritten absorb_transposes(const Site& site) { return Absorb(site).run(); }

}  // namespace pawl::scan
