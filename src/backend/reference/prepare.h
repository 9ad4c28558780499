// A graph made ready to be evaluated: what is needed at all, when each value is used last, constants aligned.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/reference/blocks.h"
#include "backend/reference/evaluate.h"
#include "backend/reference/seen_views.h"
#include "backend/reference/turned_groups.h"
#include "base/spares.h"
#include "kernel/node_groups.h"
#include "tensor/memory.h"

namespace pawl::reference {

struct ChunkedScan;

/// How one node is to be run.
struct NodePlan {
  NodePlan();
  NodePlan(NodePlan&&) noexcept;
  NodePlan& operator=(NodePlan&&) noexcept;
  ~NodePlan();

  const graph::Node* node = nullptr;
  /// For each input: nobody reads it afterwards, and it stands among the inputs only once.
  std::unique_ptr<bool[]> last_use;
  /// For each output: somebody reads it.
  std::unique_ptr<bool[]> wanted;
  /// Values that are dead once the node has run.
  std::vector<graph::ValueId> dead;
  /// Outputs whose declared type has to be held against the real one.
  std::vector<std::size_t> declared;
  /// The types of the inputs were not all known when the model was loaded.
  bool check_types = false;
  /// There is a faster way for the operator.
  bool accelerated = false;
  /// It only says where elements of its first input are.
  bool moves = false;
  /// Of a Scan: what its body captures, in the body's order.
  std::vector<graph::ValueId> captures;
  /// In the order of graph::for_each_body.
  std::vector<std::unique_ptr<Prepared>> bodies;
  /// A Scan that runs in parts; null: step after step.
  std::unique_ptr<ChunkedScan> chunked;
};

/// A graph without a plan for its caller: all outputs are needed.
std::unique_ptr<Prepared> prepare_body(const graph::Graph& graph);

/// Neighbouring nodes that may run as one.
struct GroupPlan {
  std::size_t first = 0;  ///< of Prepared::nodes
  std::size_t count = 0;
  kernel::NodeGroup group;
  std::vector<bool> wanted;         ///< by what the group gives
  std::optional<std::size_t> rank;  ///< of all that the group gives
  std::unique_ptr<TurnedGroups> turned = std::make_unique<TurnedGroups>();
  bool gives_output = false;  ///< of the graph
};

/// A Scan, right behind what makes its elements.
struct BlockPlan {
  std::size_t first = 0;  ///< of Prepared::nodes
  std::size_t scan = 0;   ///< of the same
  ElementMakers makers;
};

/// The values of one graph while it runs. A loop keeps one for its body through all steps.
struct Frame {
  const Prepared* prepared = nullptr;
  std::vector<Value> values;
  // Of the node that is running.
  std::vector<Value*> arguments;
  std::vector<Value> results;
  std::vector<Value> taken;
  std::vector<Tensor> elements;
  std::vector<const Value*> captured;
  std::vector<SeenViews> seen;  ///< by node
};

/// What a run needs besides the graph, ready for the next one.
struct Workspace {
  MemoryPool memory;
  Frame frame;
};

class Prepared {
 public:
  const graph::Graph* graph = nullptr;
  std::vector<NodePlan> nodes;       ///< only those that are needed
  std::vector<GroupPlan> groups;     ///< in the order of their nodes
  std::vector<BlockPlan> blocks;     ///< in the order of their nodes
  std::vector<bool> needed_outputs;  ///< of the graph's outputs
  std::vector<bool> read_inputs;     ///< of the graph's inputs: whether any needed node or output reads them
  std::vector<bool> pinned;          ///< by value: constants and captures, which serve every step
  bool strict = false;               ///< the body of a Scan: declared types are promises

  /// The value of every initializer and constant node, aligned. The first caller copies those that the file has at odd
  /// addresses.
  const std::vector<std::pair<graph::ValueId, Value>>& constants() const;

  mutable Spares<Workspace> workspaces;  ///< constants are in their places, and nothing else

 private:
  mutable std::once_flag once_;
  mutable std::vector<std::pair<graph::ValueId, Value>> constants_;
};

}  // namespace pawl::reference
