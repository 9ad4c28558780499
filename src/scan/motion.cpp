#include "scan/motion.h"

#include <algorithm>
#include <array>

#include "graph/infer.h"
#include "ops/axis_rule.h"
#include "scan/dependence.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

using ops::AxisKind;
using ops::Fact;

/// Operators whose rule says how they treat axes, and that still fail for some values or some extents.
struct Condition {
  std::string_view op;
  bool (*holds)(std::span<const Fact* const> inputs);
  std::string_view needs;  ///< for readers of the table
};

bool is_constant(std::span<const Fact* const> inputs, std::size_t i) {
  return i >= inputs.size() || inputs[i] == nullptr || inputs[i]->tensor() != nullptr;
}

template <std::size_t... I>
bool constant(std::span<const Fact* const> inputs) {
  return (is_constant(inputs, I) && ...);
}

bool is_float(std::span<const Fact* const> inputs) { return is_real(inputs[0]->type.dtype); }

bool never(std::span<const Fact* const>) { return false; }

constexpr std::array kConditions = {
    Condition{"Div", is_float, "integers have a divisor that may be 0"},
    Condition{"Mod", is_float, "the same"},
    Condition{"Cast", [](std::span<const Fact* const> inputs) { return inputs[0]->type.dtype != DType::string; },
              "text may be no number"},
    Condition{"CastLike", [](std::span<const Fact* const> inputs) { return inputs[0]->type.dtype != DType::string; },
              "the same"},
    Condition{"Gather", constant<1>, "indices in range"},
    Condition{"GatherElements", constant<1>, "indices in range"},
    Condition{"GatherND", constant<1>, "indices in range"},
    Condition{"ScatterElements", never, "indices in range"},
    Condition{"ScatterND", never, "indices in range"},
    Condition{"OneHot", never, "a depth that is not negative"},
    Condition{"Range", never, "a step that is not 0"},
    Condition{"Bernoulli", never, "probabilities"},
    Condition{"Reshape", constant<1>, "a size that fits"},
    Condition{"Expand", constant<1>, "extents that fit"},
    Condition{"Tile", constant<1>, "repeats that are not negative"},
    Condition{"Pad", constant<1>, "pads that leave something"},
    Condition{"Slice", constant<1, 2, 3, 4>, "steps that are not 0"},
    Condition{"Split", constant<1>, "parts that fit"},
    Condition{"Squeeze", constant<1>, "axes of extent 1"},
    Condition{"Unsqueeze", constant<1>, "axes in range"},
    Condition{"TopK", constant<1>, "a k that is not too large"},
    Condition{"CumSum", constant<1>, "an axis in range"},
};

bool is_static(const Type& type) { return graph::is_measured(type) && type.static_shape().has_value(); }

/// Extents meet in these operators, and inference lets different symbols pass: only pointwise ones say so in their
/// result.
bool extents_fit(const graph::OpCall& call, std::span<const Fact* const> inputs) {
  const AxisKind kind = call.def->axes.kind;
  if (kind == AxisKind::pointwise || kind == AxisKind::reduced) return true;
  std::size_t measured = 0;
  bool all_static = true;
  for (const Fact* input : inputs) {
    if (input == nullptr) continue;
    ++measured;
    all_static = all_static && is_static(input->type);
  }
  return measured <= 1 || all_static;
}

}  // namespace

bool cannot_fail(const graph::OpCall& call, std::span<const Fact* const> inputs, std::size_t outputs) {
  if (call.def->random || call.def->axes.kind == AxisKind::opaque) return false;
  for (const Condition& condition : kConditions)
    if (condition.op == call.def->name && call.def->domain.empty() && !condition.holds(inputs)) return false;
  std::vector<Fact> facts;
  graph::Node node;
  node.operation = call;
  for (const Fact* input : inputs) {
    if (input != nullptr && !graph::is_measured(input->type)) return false;
    node.inputs.push_back(input == nullptr ? graph::ValueId()
                                           : graph::ValueId{static_cast<std::uint32_t>(facts.size())});
    if (input != nullptr) facts.push_back(*input);
  }
  if (!extents_fit(call, inputs)) return false;
  const Result<std::vector<Fact>> inferred = graph::infer_node(node, outputs, facts);
  return inferred.ok() && std::all_of(inferred->begin(), inferred->end(),
                                      [](const Fact& fact) { return graph::is_measured(fact.type); });
}

bool may_run_early(const Site& site, const graph::Node& node, std::span<const Fact* const> inputs) {
  if (draws(node)) return false;
  if (site.trips().value > 0) return true;
  const auto* call = std::get_if<graph::OpCall>(&node.operation);
  return call != nullptr && cannot_fail(*call, inputs, node.outputs.size());
}

bool is_settled(const graph::Graph& body) {
  return std::all_of(body.values.begin(), body.values.end(),
                     [](const graph::ValueInfo& value) { return graph::implies(value.fact.type, value.declared); });
}

}  // namespace pawl::scan
