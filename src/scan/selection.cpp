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

/// More places than this are not looked at one by one.
constexpr std::int64_t kMostPlaces = 1024;

std::optional<std::size_t> axis_of(std::int64_t axis, const Type& type, std::size_t more = 0) {
  if (!type.is_tensor() || !type.shape) return std::nullopt;
  const Result<std::size_t> resolved = graph::resolve_axis(axis, type.shape->size() + more, "axis");
  return resolved.ok() ? std::optional<std::size_t>(*resolved) : std::nullopt;
}

/// A list that is an input in new versions of an operator and an attribute in old ones.
std::optional<Dims> list_of(const Graph& graph, const Node& node, std::size_t input, std::string_view attribute) {
  if (const auto* listed = std::get<OpCall>(node.operation).attributes.get<std::vector<std::int64_t>>(attribute))
    return Dims(std::span<const std::int64_t>(*listed));
  if (input >= node.inputs.size() || !node.inputs[input].valid()) return std::nullopt;
  const Tensor* constant = graph[node.inputs[input]].fact.tensor();
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

std::optional<Selection> slice(const Graph& graph, const Node& node) {
  const Type& type = graph[node.inputs[0]].fact.type;
  const auto starts = list_of(graph, node, 1, "starts");
  const auto ends = list_of(graph, node, 2, "ends");
  if (!starts || !ends || starts->size() != 1 || ends->size() != 1) return std::nullopt;
  std::int64_t along = 0;
  const bool has_axes = has_input(node, 3) || std::get<OpCall>(node.operation).attributes.has("axes");
  if (has_axes) {
    const auto axes = list_of(graph, node, 3, "axes");
    if (!axes || axes->size() != 1) return std::nullopt;
    along = (*axes)[0];
  }
  std::int64_t step = 1;
  if (has_input(node, 4)) {
    const auto steps = list_of(graph, node, 4, "");
    if (!steps || steps->size() != 1) return std::nullopt;
    step = (*steps)[0];
  }
  const auto axis = axis_of(along, type);
  const auto extent = axis ? extent_of(type, *axis) : std::nullopt;
  if (!extent || step == 0 || step < -kMostPlaces || step > kMostPlaces) return std::nullopt;
  const auto clamped = [&](std::int64_t place) {
    if (place < 0) place = place < -*extent ? -1 : place + *extent;
    return step > 0 ? std::clamp<std::int64_t>(place, 0, *extent) : std::clamp<std::int64_t>(place, -1, *extent - 1);
  };
  const std::int64_t start = clamped((*starts)[0]);
  const std::int64_t end = clamped((*ends)[0]);
  Selection made{node.inputs[0], *axis, {}, false};
  if (step == 1) {
    if (start < end) made.runs.push_back({start, end});
  } else {
    if (*extent > kMostPlaces) return std::nullopt;
    for (std::int64_t at = start; step > 0 ? at < end : at > end; at += step) add_place(made.runs, at);
  }
  return made;
}

std::optional<Selection> gather(const Graph& graph, const Node& node) {
  const auto axis =
      axis_of(std::get<OpCall>(node.operation).attributes.integer("axis", 0), graph[node.inputs[0]].fact.type);
  const std::int64_t extent = axis ? extent_of(graph[node.inputs[0]].fact.type, *axis).value_or(0) : 0;
  const Tensor* indices = graph[node.inputs[1]].fact.tensor();
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

std::optional<Selection> split(const Graph& graph, const Node& node, std::size_t output) {
  const auto axis =
      axis_of(std::get<OpCall>(node.operation).attributes.integer("axis", 0), graph[node.inputs[0]].fact.type);
  if (!axis) return std::nullopt;
  std::int64_t first = 0;
  for (std::size_t i = 0; i <= output; ++i) {
    const auto width = node.outputs[i].valid() ? extent_of(graph[node.outputs[i]].fact.type, *axis) : std::nullopt;
    if (!width) return std::nullopt;
    if (i == output) return Selection{node.inputs[0], *axis, {{first, first + *width}}, false};
    first += *width;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> extent_of(const Type& type, std::size_t axis) {
  if (!type.is_tensor() || !type.shape || axis >= type.shape->size() || !(*type.shape)[axis].known())
    return std::nullopt;
  return (*type.shape)[axis].value;
}

std::optional<Selection> selection_of(const Graph& graph, const Node& node, std::size_t output) {
  std::optional<Selection> made;
  if (call_of(&node, "Slice") != nullptr) made = slice(graph, node);
  if (call_of(&node, "Gather") != nullptr) made = gather(graph, node);
  if (call_of(&node, "Split") != nullptr) made = split(graph, node, output);
  const auto is_empty = [](const Run& run) { return run.width() <= 0; };
  if (!made || made->runs.empty() || std::any_of(made->runs.begin(), made->runs.end(), is_empty)) return std::nullopt;
  return made;
}

std::optional<std::size_t> only_axis(const Graph& graph, const Node& node) {
  const bool adds = call_of(&node, "Unsqueeze") != nullptr;
  if (!adds && call_of(&node, "Squeeze") == nullptr) return std::nullopt;
  const auto axes = list_of(graph, node, 1, "axes");
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

std::optional<std::size_t> concat_axis(const Graph& graph, const Node& node) {
  const OpCall* call = call_of(&node, "Concat");
  if (call == nullptr) return std::nullopt;
  return axis_of(call->attributes.integer("axis", 1), graph[node.outputs[0]].fact.type);
}

}  // namespace pawl::scan
