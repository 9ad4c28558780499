#include "scan/signs.h"

#include <algorithm>
#include <array>

#include "graph/walk.h"
#include "ops/convert.h"
#include "scan/recurrences/types.h"

namespace pawl::scan {
namespace {

using graph::Graph;
using graph::ValueId;

/// A chain of more operators than this is not followed.
constexpr int kDeepest = 16;

bool has_no_negative(const Tensor& constant) {
  if (constant.dtype() == DType::string || constant.size() > (1 << 20)) return false;
  const Result<Tensor> numbers = ops::convert(constant, DType::f64);
  if (!numbers.ok() || !numbers->dense()) return false;
  const double* first = numbers->data<double>();
  return std::none_of(first, first + numbers->size(), [](double each) { return each < 0; });
}

/// Followed from graph to graph: what a body captures or is cut from is a value of the graph around it.
struct Signs {
  const Component& component;

  bool holds(const Graph& graph, ValueId id, int depth) const {
    if (!id.valid() || depth > kDeepest) return false;
    if (const Tensor* constant = graph[id].fact.tensor()) return has_no_negative(*constant);
    // Integers wrap: a sum of what is not below zero may be.
    if (!is_real(graph[id].fact.type.dtype)) return false;
    if (&graph == &component.body) {
      if (const ValueId outside = outer_of(id); outside.valid()) return holds(*component.outer, outside, depth + 1);
    }
    const graph::Node* node = graph::producer_of(graph, id);
    const auto* call = node == nullptr ? nullptr : std::get_if<graph::OpCall>(&node->operation);
    if (call == nullptr || !call->def->domain.empty()) return false;
    const std::string_view op = call->def->name;
    static constexpr std::array kNever = {"Exp",      "Softmax",  "Sigmoid",     "Abs",
                                          "Relu",     "Softplus", "HardSigmoid", "ReduceSumSquare",
                                          "ReduceL1", "ReduceL2", "Hardmax"};
    if (std::find(kNever.begin(), kNever.end(), op) != kNever.end()) return true;
    static constexpr std::array kKeeps = {"Identity",  "Unsqueeze", "Squeeze",   "Reshape",    "Transpose",
                                          "Expand",    "Slice",     "Gather",    "Flatten",    "Sqrt",
                                          "ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "Cast"};
    if (std::find(kKeeps.begin(), kKeeps.end(), op) != kKeeps.end()) return holds(graph, node->inputs[0], depth + 1);
    static constexpr std::array kKeepAll = {"Add", "Mul", "Div", "MatMul", "Concat", "Sum", "Max", "Min"};
    if (std::find(kKeepAll.begin(), kKeepAll.end(), op) == kKeepAll.end()) return false;
    return std::all_of(node->inputs.begin(), node->inputs.end(),
                       [&](ValueId input) { return holds(graph, input, depth + 1); });
  }

  [[nodiscard]] ValueId outer_of(ValueId id) const {
    if (component.outer == nullptr) return {};
    for (const graph::Capture& capture : component.scan.body.captures)
      if (capture.inner == id) return capture.outer;
    for (std::size_t i = 0; i < component.scan.elements; ++i)
      if (component.body.inputs[component.scan.states + i] == id)
        return component.node->inputs[component.scan.states + i];
    return {};
  }
};

}  // namespace

bool is_never_negative(const Component& component, ValueId id) { return Signs{component}.holds(component.body, id, 0); }

}  // namespace pawl::scan
