// The typed SSA graph: every value is defined once, names are gone from the meaning, bodies say what they capture.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ops/op.h"
#include "ops/schema.h"

namespace pawl::graph {

struct ValueId {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t index = kNone;

  [[nodiscard]] bool valid() const { return index != kNone; }
  friend bool operator==(ValueId, ValueId) = default;
};

struct Graph;

/// One value of a graph. Its name is for messages and for printing only.
struct ValueInfo {
  std::string name;
  ops::Fact fact;  ///< type as inferred; the value itself for initializers and what follows from them
  Type declared;   ///< what the file says of it; Kind::unknown when nothing
};

/// An operator of the table.
struct OpCall {
  const ops::OpDef* def = nullptr;
  const ops::Schema* schema = nullptr;
  ops::Attributes attributes;
};

/// A value of the enclosing graph that a body reads, and the body's own name for it.
struct Capture {
  ValueId outer;
  ValueId inner;
};

/// A graph inside a node, with all that it reads from outside made explicit.
struct Body {
  std::unique_ptr<Graph> graph;
  std::vector<Capture> captures;
};

/// Scan of every version in one form. Node inputs: N states, then M elements. Body inputs: the same N + M. Body
/// outputs: N next states, then K elements. Node outputs: N finals, then K scan outputs.
///   since 8: `batched`; every tensor has the batch at axis 0 and time at axis 1; the node's first input is
///   sequence_lens (maybe omitted), the states follow.
struct ScanOp {
  const ops::Schema* schema = nullptr;
  Body body;
  std::size_t states = 0;    ///< N
  std::size_t elements = 0;  ///< M, at least 1
  std::size_t outputs = 0;   ///< K
  bool batched = false;
  std::vector<std::int64_t> input_axes;   ///< M; negative counts from the end of the scan input
  std::vector<bool> input_reversed;       ///< M
  std::vector<std::int64_t> output_axes;  ///< K; negative counts from the end of the scan output
  std::vector<bool> output_reversed;      ///< K: prepended
};

/// Loop. Node inputs: trip count (maybe omitted), condition (maybe omitted), N carried values. Body inputs: iteration
/// number, condition, N carried. Body outputs: condition, N carried, K scan outputs. Node outputs: N, then K.
struct LoopOp {
  const ops::Schema* schema = nullptr;
  Body body;
  std::size_t carried = 0;  ///< N
  std::size_t outputs = 0;  ///< K
};

/// If. One node input, the condition. The branches have no inputs and as many outputs as the node.
struct IfOp {
  const ops::Schema* schema = nullptr;
  Body then_branch;
  Body else_branch;
};

/// The operators that are kinds of node of their own, not rows of the operator table. `domain` is "" for the
/// standard's.
inline bool is_control_flow(std::string_view domain, std::string_view op_type) {
  return domain.empty() && (op_type == "Scan" || op_type == "Loop" || op_type == "If");
}

using Operation = std::variant<OpCall, ScanOp, LoopOp, IfOp>;

struct Node {
  std::string name;
  std::string label;  ///< for messages: `Scan "S1"`, or by its first output when it has no name
  Operation operation;
  std::vector<ValueId> inputs;   ///< invalid where omitted
  std::vector<ValueId> outputs;  ///< invalid where omitted
};

/// Nodes are in topological order. A body's graph has the bound inputs first among `inputs`; captured values are in
/// `captured`, in the order of Body::captures.
struct Graph {
  std::string name;
  std::vector<ValueInfo> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<ValueId> captured;

  [[nodiscard]] const ValueInfo& operator[](ValueId id) const { return values[id.index]; }
  [[nodiscard]] ValueInfo& operator[](ValueId id) { return values[id.index]; }
};

/// Calls f(body, role) for each body of a node; role is "body", "then_branch" or "else_branch".
template <class F>
void for_each_body(const Node& node, F&& f) {
  if (const auto* scan = std::get_if<ScanOp>(&node.operation)) f(scan->body, "body");
  if (const auto* loop = std::get_if<LoopOp>(&node.operation)) f(loop->body, "body");
  if (const auto* branch = std::get_if<IfOp>(&node.operation)) {
    f(branch->then_branch, "then_branch");
    f(branch->else_branch, "else_branch");
  }
}

/// Checks what every graph must satisfy: ids in range, each value defined once and before its uses, bodies of the right
/// arity, captures paired. A failure is a bug of the pass that made the graph: code internal.
Result<void> verify(const Graph& graph);

}  // namespace pawl::graph
