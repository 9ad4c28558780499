// Which 64-bit integers 32 bits do for: those that are places, and those that are only moved and compared.
#include <algorithm>
#include <array>

#include "base/try.h"
#include "package/lower_graph.h"

namespace pawl::package {
namespace {

bool is_wide(DType dtype) { return dtype == DType::i64 || dtype == DType::u64; }

/// Give nothing that is not among what they read, or a place along an axis.
constexpr std::array<std::string_view, 24> kNarrow = {
    "ArgMax",   "ArgMin",   "Compress", "Concat", "Expand",  "Flatten",   "Gather",    "GatherElements",
    "GatherND", "Identity", "Max",      "Min",    "NonZero", "ReduceMax", "ReduceMin", "Reshape",
    "Size",     "Shape",    "Slice",    "Split",  "Squeeze", "Transpose", "Unsqueeze", "Where"};

Result<void> check_node(const graph::Graph& graph, const graph::Node& node) {
  const auto* call = std::get_if<graph::OpCall>(&node.operation);
  if (call == nullptr) return {};
  for (const graph::ValueId id : node.outputs) {
    if (!id.valid()) continue;
    const ops::Fact& fact = graph[id].fact;
    if (fact.constant || !fact.type.is_tensor() || !is_wide(fact.type.dtype)) continue;
    const std::string_view op = call->def->name;
    const auto narrow_input = [&](std::size_t i) {
      const DType dtype = graph[node.inputs[i]].fact.type.dtype;
      return dtype != DType::f32 && dtype != DType::f64 && dtype != DType::f16 && dtype != DType::bf16;
    };
    if (std::find(kNarrow.begin(), kNarrow.end(), op) != kNarrow.end()) continue;
    if ((op == "Cast" || op == "CastLike") && narrow_input(0)) continue;
    return fail(Code::unsupported, "{}: {} gives {}, for which WGSL has 32 bits only", node.label, op,
                name(fact.type.dtype));
  }
  return {};
}

}  // namespace

Result<void> check_integers(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes) {
    TRY(check_node(graph, node));
    Result<void> inner;
    graph::for_each_body(node, [&](const graph::Body& body, std::string_view) {
      if (inner.ok()) inner = check_integers(*body.graph);
    });
    TRY_IN(node.label, std::move(inner));
  }
  return {};
}

}  // namespace pawl::package
