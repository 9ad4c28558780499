#include "scan/trips.h"

#include <limits>
#include <optional>

#include "graph/infer.h"
#include "graph/walk.h"
#include "ops/axis_rule.h"

namespace pawl::scan {
namespace {

using graph::Graph;
using graph::Node;
using graph::ValueId;

/// A symbol plus a number; without a symbol a number.
struct Extent {
  std::string symbol;
  std::int64_t plus = 0;

  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Extents that types do not tell, because they have no words for "T + 1": initial states are put in front of all
/// steps, and cut off again.
class Extents {
 public:
  explicit Extents(const Graph& graph) : graph_(graph) {}

  std::optional<Extent> of(ValueId id, std::size_t axis, int depth = 0) const {
    constexpr int kMaxDepth = 32;
    const Type& type = graph_[id].fact.type;
    if (!type.shape || axis >= type.shape->size() || depth > kMaxDepth) return std::nullopt;
    const Dim& dim = (*type.shape)[axis];
    if (dim.known()) return Extent{"", dim.value};
    if (!dim.symbol.empty()) return Extent{dim.symbol, 0};
    const Node* node = producer_of(graph_, id);
    const auto* call = node == nullptr ? nullptr : std::get_if<graph::OpCall>(&node->operation);
    if (call == nullptr || !call->def->domain.empty()) return std::nullopt;
    const std::string_view op = call->def->name;
    if (op == "CumSum" || op == "CumProd") return of(node->inputs[0], axis, depth + 1);
    if (op == "Concat") return of_concat(*node, *call, axis, type.shape->size(), depth);
    if (op == "Slice") return of_slice(*node, axis, depth);
    return of_tied(id, *node, *call, axis, depth);
  }

 private:
  std::optional<Extent> of_concat(const Node& node, const graph::OpCall& call, std::size_t axis, std::size_t rank,
                                  int depth) const {
    const Result<std::size_t> along = graph::resolve_axis(call.attributes.integer("axis", 0), rank, "axis");
    if (!along.ok()) return std::nullopt;
    constexpr std::int64_t kMaxExtent = std::int64_t{1} << 48;
    Extent sum;
    for (const ValueId input : node.inputs) {
      const std::optional<Extent> part = of(input, axis, depth + 1);
      if (!part) return std::nullopt;
      if (*along != axis) return part;
      if ((!part->symbol.empty() && !sum.symbol.empty()) || part->plus > kMaxExtent - sum.plus) return std::nullopt;
      sum.symbol += part->symbol;
      sum.plus += part->plus;
    }
    return sum;
  }

  std::optional<std::int64_t> number(const Node& node, std::size_t input) const {
    if (input >= node.inputs.size() || !node.inputs[input].valid()) return std::nullopt;
    return graph::integer_in(graph_[node.inputs[input]].fact.tensor());
  }

  /// One axis, forward in steps of one or backward as a whole.
  std::optional<Extent> of_slice(const Node& node, std::size_t axis, int depth) const {
    std::optional<Extent> whole = of(node.inputs[0], axis, depth + 1);
    const std::optional<std::int64_t> start = number(node, 1);
    const std::optional<std::int64_t> end = number(node, 2);
    const std::optional<std::int64_t> along = number(node, 3);
    const std::int64_t step = node.inputs.size() > 4 ? number(node, 4).value_or(0) : 1;
    if (!whole || !start || !end || !along || *along < 0) return std::nullopt;
    if (static_cast<std::size_t>(*along) != axis) return whole;
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    if (step == -1 && *start == -1 && *end == -kMax - 1) return whole;
    const bool at_end = *end == kMax;
    if (step != 1 || *start < 0 || *start > whole->plus || (!at_end && (*end >= 0 || *end < *start - whole->plus)))
      return std::nullopt;
    whole->plus -= *start + (at_end ? 0 : -*end);
    return whole;
  }

  /// The extent that all inputs have which are cut along with the output.
  std::optional<Extent> of_tied(ValueId made, const Node& node, const graph::OpCall& call, std::size_t axis,
                                int depth) const {
    std::vector<const ops::Fact*> inputs;
    for (const ValueId id : node.inputs) inputs.push_back(id.valid() ? &graph_[id].fact : nullptr);
    std::vector<Type> outputs;
    for (const ValueId id : node.outputs) outputs.push_back(id.valid() ? graph_[id].fact.type : Type());
    const ops::Ties ties = ops::relate(*call.def, {*call.schema, call.attributes, inputs, outputs});
    const ops::Tie* tie = ties.find(0, axis);
    if (tie == nullptr || node.outputs[0] != made) return std::nullopt;
    const Extent one{"", 1};
    std::optional<Extent> found;
    for (std::size_t i = 0; i < tie->inputs.size(); ++i) {
      if (tie->inputs[i] < 0) continue;
      std::optional<Extent> each = of(node.inputs[i], static_cast<std::size_t>(tie->inputs[i]), depth + 1);
      if (!each) return std::nullopt;
      if (*each == one && found) continue;
      if (found && *found != one && *each != *found) return std::nullopt;
      found = std::move(each);
    }
    // Extents of 1 are repeated: an operator may take from elsewhere how often.
    return found == one ? std::nullopt : found;
  }

  const Graph& graph_;
};

}  // namespace

Dim length_of(const Graph& graph, const Node& node, const graph::ScanOp& scan, std::size_t element) {
  const ValueId scanned = node.inputs[scan.states + element];
  const Type& type = graph[scanned].fact.type;
  if (!type.shape) return {};
  const Result<std::size_t> axis = graph::resolve_axis(scan.input_axes[element], type.shape->size(), "scan input axis");
  if (!axis.ok()) return {};
  const std::optional<Extent> extent = Extents(graph).of(scanned, *axis);
  if (!extent) return (*type.shape)[*axis];
  if (extent->symbol.empty()) return Dim(extent->plus);
  return extent->plus == 0 ? Dim::named(extent->symbol) : Dim();
}

Dim trips_of(const Graph& graph, const Node& node, const graph::ScanOp& scan) {
  Dim found;
  for (std::size_t i = 0; i < scan.elements; ++i) {
    Dim length = length_of(graph, node, scan, i);
    if (length.known()) return length;
    if (found.symbol.empty()) found = std::move(length);
  }
  return found;
}

}  // namespace pawl::scan
