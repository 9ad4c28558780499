#include "scan/selection.h"

#include <algorithm>

#include "graph/infer.h"
#include "ops/extents.h"

namespace pawl::scan {
namespace {

using graph::Graph;
using graph::Node;
using graph::OpCall;
using graph::ValueId;

/// What is known of the values of a graph: what the graph itself says, or what another run of inference does.
struct Known {
  const Graph* graph = nullptr;
  const std::vector<ops::Fact>* facts = nullptr;

  const ops::Fact& operator[](ValueId id) const { return facts != nullptr ? (*facts)[id.index] : (*graph)[id].fact; }
};

/// More places than this are not looked at one by one.
constexpr std::int64_t kMostPlaces = 1024;

std::optional<std::size_t> axis_of(std::int64_t axis, const Type& type, std::size_t more = 0) {
  if (!type.is_tensor() || !type.shape) return std::nullopt;
  const Result<std::size_t> resolved = graph::resolve_axis(axis, type.shape->size() + more, "axis");
  return resolved.ok() ? std::optional<std::size_t>(*resolved) : std::nullopt;
}

/// A list that is an input in new versions of an operator and an attribute in old ones.
std::optional<Dims> list_of(const Known& known, const Node& node, std::size_t input, std::string_view attribute) {
  if (const auto* listed = std::get<OpCall>(node.operation).attributes.get<std::vector<std::int64_t>>(attribute))
    return Dims(std::span<const std::int64_t>(*listed));
  if (input >= node.inputs.size() || !node.inputs[input].valid()) return std::nullopt;
  const Tensor* constant = known[node.inputs[input]].tensor();
  if (constant == nullptr) return std::nullopt;
  Result<Dims> values = ops::integers_of(*constant);
  return values.ok() ? std::optional<Dims>(std::move(values).value()) : std::nullopt;
}

bool has_input(const Node& node, std::size_t i) { return i < node.inputs.size() && node.inputs[i].valid(); }

void add_place(std::vector<Run>& runs, std::int64_t place) {
  if (!runs.empty() && runs.back().end == place)
    ++runs.back().end;
  else
    runs.push_back({place, place + 1});
}

/// The places start, start + step, … of an axis, before `end`, as Slice counts them.
std::optional<std::vector<Run>> sliced(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (step == 0 || step < -kMostPlaces || step > kMostPlaces) return std::nullopt;
  const auto clamped = [&](std::int64_t place) {
    if (place < 0) place = place < -extent ? -1 : place + extent;
    return step > 0 ? std::clamp<std::int64_t>(place, 0, extent) : std::clamp<std::int64_t>(place, -1, extent - 1);
  };
  start = clamped(start);
  end = clamped(end);
  std::vector<Run> runs;
  if (step == 1) {
    if (start < end) runs.push_back({start, end});
    return runs;
  }
  if (extent > kMostPlaces) return std::nullopt;
  for (std::int64_t at = start; step > 0 ? at < end : at > end; at += step) add_place(runs, at);
  return runs;
}

std::optional<std::vector<Selection>> slices(const Known& known, const Node& node) {
  const Type& type = known[node.inputs[0]].type;
  const auto starts = list_of(known, node, 1, "starts");
  const auto ends = list_of(known, node, 2, "ends");
  if (!starts || !ends || starts->size() != ends->size()) return std::nullopt;
  const bool has_axes = has_input(node, 3) || std::get<OpCall>(node.operation).attributes.has("axes");
  const auto axes = has_axes ? list_of(known, node, 3, "axes") : std::nullopt;
  const auto steps = has_input(node, 4) ? list_of(known, node, 4, "") : std::nullopt;
  if ((has_axes && !axes) || (has_input(node, 4) && !steps)) return std::nullopt;
  if ((axes && axes->size() != starts->size()) || (steps && steps->size() != starts->size())) return std::nullopt;
  std::vector<Selection> made;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto axis = axis_of(axes ? (*axes)[i] : static_cast<std::int64_t>(i), type);
    const auto extent = axis ? extent_of(type, *axis) : std::nullopt;
    auto runs = extent ? sliced(*extent, (*starts)[i], (*ends)[i], steps ? (*steps)[i] : 1) : std::nullopt;
    if (!runs) return std::nullopt;
    made.push_back({node.inputs[0], *axis, std::move(*runs), false});
  }
  return made;
}

std::optional<Selection> gather(const Known& known, const Node& node) {
  const auto axis = axis_of(std::get<OpCall>(node.operation).attributes.integer("axis", 0), known[node.inputs[0]].type);
  const std::int64_t extent = axis ? extent_of(known[node.inputs[0]].type, *axis).value_or(0) : 0;
  const Tensor* indices = known[node.inputs[1]].tensor();
  if (extent == 0 || indices == nullptr || indices->rank() > 1 || indices->size() > kMostPlaces) return std::nullopt;
  const Result<Dims> places = ops::integers_of(*indices);
  if (!places.ok()) return std::nullopt;
  Selection made{node.inputs[0], *axis, {}, indices->rank() == 0};
  for (const std::int64_t place : *places) {
    const std::int64_t at = place < 0 ? place + extent : place;
    if (at < 0 || at >= extent) return std::nullopt;
    add_place(made.runs, at);
  }
  return made;
}

std::optional<Selection> split(const Known& known, const Node& node, std::size_t output) {
  const auto axis = axis_of(std::get<OpCall>(node.operation).attributes.integer("axis", 0), known[node.inputs[0]].type);
  if (!axis) return std::nullopt;
  std::int64_t first = 0;
  for (std::size_t i = 0; i <= output; ++i) {
    const auto width = node.outputs[i].valid() ? extent_of(known[node.outputs[i]].type, *axis) : std::nullopt;
    if (!width) return std::nullopt;
    if (i == output) return Selection{node.inputs[0], *axis, {{first, first + *width}}, false};
    first += *width;
  }
  return std::nullopt;
}

std::optional<std::vector<Selection>> selections_in(const Known& known, const Node& node, std::size_t output) {
  std::optional<std::vector<Selection>> made;
  std::optional<Selection> one;
  if (call_of(&node, "Slice") != nullptr) made = slices(known, node);
  if (call_of(&node, "Gather") != nullptr) one = gather(known, node);
  if (call_of(&node, "Split") != nullptr) one = split(known, node, output);
  if (one) made = std::vector{std::move(*one)};
  const auto takes_nothing = [](const Selection& each) {
    return each.runs.empty() ||
           std::any_of(each.runs.begin(), each.runs.end(), [](const Run& run) { return run.width() <= 0; });
  };
  if (!made || std::any_of(made->begin(), made->end(), takes_nothing)) return std::nullopt;
  return made;
}

}  // namespace

std::optional<std::int64_t> extent_of(const Type& type, std::size_t axis) {
  if (!type.is_tensor() || !type.shape || axis >= type.shape->size() || !(*type.shape)[axis].known())
    return std::nullopt;
  return (*type.shape)[axis].value;
}

std::vector<std::int64_t> Selection::places() const {
  std::vector<std::int64_t> all;
  for (const Run& run : runs)
    for (std::int64_t place = run.first; place < run.end; ++place) all.push_back(place);
  return all;
}

std::optional<std::vector<Selection>> selections_of(const Graph& graph, const Node& node, std::size_t output) {
  return selections_in({&graph, nullptr}, node, output);
}

std::optional<std::vector<Selection>> selections_of(const std::vector<ops::Fact>& facts, const Node& node,
                                                    std::size_t output) {
  return selections_in({nullptr, &facts}, node, output);
}

std::optional<Selection> selection_of(const Graph& graph, const Node& node, std::size_t output) {
  auto made = selections_of(graph, node, output);
  return made && made->size() == 1 ? std::optional(std::move(made->front())) : std::nullopt;
}

std::optional<std::size_t> only_axis(const Graph& graph, const Node& node) {
  const bool adds = call_of(&node, "Unsqueeze") != nullptr;
  if (!adds && call_of(&node, "Squeeze") == nullptr) return std::nullopt;
  const auto axes = list_of({&graph, nullptr}, node, 1, "axes");
  if (!axes || axes->size() != 1) return std::nullopt;
  return axis_of((*axes)[0], graph[node.inputs[0]].fact.type, adds ? 1 : 0);
}

std::optional<std::vector<std::int64_t>> order_of_transpose(const Node& node, const Type& input) {
  const OpCall* call = call_of(&node, "Transpose");
  if (call == nullptr || !input.shape) return std::nullopt;
  const std::size_t rank = input.shape->size();
  const auto* given = call->attributes.get<std::vector<std::int64_t>>("perm");
  std::vector<std::int64_t> order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<std::int64_t>(rank - 1 - i);
  if (given != nullptr) order = *given;
  std::vector<bool> seen(rank, false);
  if (order.size() != rank) return std::nullopt;
  for (std::int64_t& axis : order) {
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
    if (axis < 0 || static_cast<std::size_t>(axis) >= rank || seen[static_cast<std::size_t>(axis)]) return std::nullopt;
    seen[static_cast<std::size_t>(axis)] = true;
  }
  return order;
}

std::vector<std::int64_t> inverse_order(const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  return back;
}

std::optional<std::size_t> concat_axis(const Graph& graph, const Node& node) {
  const OpCall* call = call_of(&node, "Concat");
  if (call == nullptr) return std::nullopt;
  return axis_of(call->attributes.integer("axis", 1), graph[node.outputs[0]].fact.type);
}

}  // namespace pawl::scan
