// About how long a step takes, one after the other and in chunks.
#include <algorithm>
#include <array>

#include "graph/walk.h"
#include "scan/chunks.h"

namespace pawl::scan {
namespace {

using graph::Graph;
using graph::ScanOp;

constexpr double kNoChain = -1;

/// Nanoseconds: of a tensor with 4 bytes for each lane that is put beside others, or back; and of an operation of a
/// lane, side by side with others. From docs/benchmarks.md, "Sequences in chunks".
constexpr double kMove = 0.35;
constexpr double kLaneOperation = 0.015;
/// Of an operation of one vector.
constexpr double kOperation = 0.25;

struct OperatorTime {
  std::string_view name;
  double wait = 0;        ///< nanoseconds until there is a result
  double operations = 1;  ///< as many simple ones
};

constexpr OperatorTime kSimple{"", 1, 1};
constexpr std::array kOperatorTimes = {
    OperatorTime{"Identity", 0, 0},   OperatorTime{"Reshape", 0, 0},   OperatorTime{"Squeeze", 0, 0},
    OperatorTime{"Unsqueeze", 0, 0},  OperatorTime{"Expand", 0, 0},    OperatorTime{"Flatten", 0, 0},
    OperatorTime{"Slice", 0, 0},      OperatorTime{"Transpose", 0, 0}, OperatorTime{"Gather", 0, 0},
    OperatorTime{"Split", 0, 0},      OperatorTime{"Add", 0.7, 1},     OperatorTime{"Sub", 0.7, 1},
    OperatorTime{"Mul", 1.3, 1},      OperatorTime{"Max", 1.7, 2},     OperatorTime{"Min", 1.7, 2},
    OperatorTime{"Greater", 0.8, 1},  OperatorTime{"Less", 0.8, 1},    OperatorTime{"Where", 0.7, 1},
    OperatorTime{"Div", 4, 4},        OperatorTime{"Sqrt", 4, 4},      OperatorTime{"Exp", 24, 20},
    OperatorTime{"Log", 24, 30},      OperatorTime{"Tanh", 24, 30},    OperatorTime{"Sigmoid", 24, 30},
    OperatorTime{"Softplus", 24, 40}, OperatorTime{"Erf", 24, 30},     OperatorTime{"Pow", 40, 70},
    OperatorTime{"Sin", 24, 30},      OperatorTime{"Cos", 24, 30},     OperatorTime{"Gelu", 24, 40},
    OperatorTime{"MatMul", 8, 4},     OperatorTime{"ReduceSum", 4, 2}, OperatorTime{"Softmax", 40, 40}};

const OperatorTime& time_of(const graph::Node& node) {
  const auto* call = std::get_if<graph::OpCall>(&node.operation);
  if (call == nullptr) return kSimple;
  const auto* found = std::find_if(kOperatorTimes.begin(), kOperatorTimes.end(),
                                   [&](const OperatorTime& each) { return each.name == call->def->name; });
  return found == kOperatorTimes.end() ? kSimple : *found;
}

/// Nanoseconds from the last of what a node reads to what it makes.
double wait_of(const Graph& body, const graph::Node& node, const std::vector<double>& until) {
  if (graph::call_of(&node, "Add") == nullptr && graph::call_of(&node, "Sub") == nullptr) return time_of(node).wait;
  for (const graph::ValueId id : node.inputs) {
    const graph::Node* factor = producer_of(body, id);
    // One operation with the product, which was waited for already if it is on the way.
    if (graph::call_of(factor, "Mul") != nullptr) return until[id.index] == kNoChain ? time_of(*factor).wait : 0;
  }
  return time_of(node).wait;
}

/// Nanoseconds until the next states are there, from the states.
double chain_of(const ScanOp& scan) {
  const Graph& body = *scan.body.graph;
  std::vector<double> until(body.values.size(), kNoChain);
  for (std::size_t i = 0; i < scan.states; ++i) until[body.inputs[i].index] = 0;
  for (const graph::Node& node : body.nodes) {
    double last = kNoChain;
    graph::for_each_read(node, [&](graph::ValueId id) { last = std::max(last, until[id.index]); });
    if (last == kNoChain) continue;
    const double wait = wait_of(body, node, until);
    for (const graph::ValueId id : node.outputs)
      if (id.valid()) until[id.index] = last + wait;
  }
  double longest = 0;
  for (std::size_t i = 0; i < scan.states; ++i) longest = std::max(longest, until[body.outputs[i].index]);
  return longest;
}

}  // namespace

StepTimes times_of_step(const ScanOp& scan, std::size_t levels) {
  const Graph& body = *scan.body.graph;
  const auto moves = [&](graph::ValueId id) {
    const DType dtype = body[id].fact.type.dtype;
    return dtype == DType::undefined ? 1 : std::max(1.0, static_cast<double>(size_of(dtype)) / 4);
  };
  const auto passes = static_cast<double>(levels + 1);
  double operations = 0;
  for (const graph::Node& node : body.nodes) operations += time_of(node).operations;
  StepTimes times{std::max(chain_of(scan), kOperation * operations), kLaneOperation * passes * operations};
  for (std::size_t i = 0; i < scan.elements; ++i) times.chunks += kMove * passes * moves(body.inputs[scan.states + i]);
  for (std::size_t k = 0; k < scan.outputs; ++k) times.chunks += kMove * moves(body.outputs[scan.states + k]);
  return times;
}

}  // namespace pawl::scan
