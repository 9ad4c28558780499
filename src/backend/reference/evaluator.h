// One run of a prepared graph. evaluate.cpp holds graphs and operators; scan.cpp, loop.cpp and branch.cpp the rest.
#pragma once

#include "backend/reference/prepare.h"
#include "graph/infer.h"
#include "ops/draws.h"

namespace pawl::reference {

struct ChunkedComponent;

class Evaluator {
 public:
  using Values = std::vector<Value>;
  explicit Evaluator(const EvaluateOptions& options) : options_(options), random_(options.seed) {}

  Result<Values> graph(const Prepared& prepared, Values inputs);

 private:
  /// A frame with constants and captured values in place.
  Frame enter(const Prepared& prepared, const graph::Body* body, const Frame* outer);
  /// Runs all nodes; the inputs are in place. Afterwards take_outputs() is due.
  Result<void> run(Frame& frame);
  /// Runs nodes `begin` to `end`; as part of a block: those of one Scan's elements.
  Result<void> run_nodes(Frame& frame, std::size_t begin, std::size_t end, bool in_block);
  /// Whether a Scan has run block by block of its steps, with what makes its elements.
  Result<bool> run_blocks(const BlockPlan& plan, Frame& frame);
  /// One of the blocks, whose elements are in the frame; false where the Scan has no kernel.
  Result<bool> run_block(const NodePlan& plan, const graph::ScanOp& scan, Values& states, std::int64_t steps,
                         Stretch& stretch, Frame& frame, Values& results);
  /// The graph's outputs; those that nobody needs are none.
  Values take_outputs(Frame& frame);

  Result<void> node(const NodePlan& plan, Frame& frame);
  /// Whether the nodes of a group have run as one.
  Result<bool> group(const GroupPlan& plan, Frame& frame);
  Result<void> call(const NodePlan& plan, const graph::OpCall& call, Frame& frame);
  /// Of the arguments in the frame, results in the frame: of a node that only moves, and of any.
  Result<void> move(const NodePlan& plan, const graph::OpCall& call, Frame& frame);
  Result<void> evaluate(const NodePlan& plan, const graph::OpCall& call, Frame& frame);
  void store_results(const NodePlan& plan, Frame& frame);
  Result<void> scan(const NodePlan& plan, const graph::ScanOp& scan, Frame& frame);
  Result<void> batched_scan(const NodePlan& plan, const graph::ScanOp& scan, Frame& frame);
  Result<void> loop(const NodePlan& plan, const graph::LoopOp& loop, Frame& frame);
  Result<void> branch(const NodePlan& plan, const graph::IfOp& branch, Frame& frame);

  /// Scan over tensors without a batch axis: finals, then stacked outputs; those that nobody needs stay none.
  ///   trips : how many steps to do, out of `length` (they differ under v8's sequence_lens only)
  ///   Errors name the step.
  Result<Values> scan_steps(const NodePlan& plan, const graph::ScanOp& scan, Values states,
                            const std::vector<Tensor>& elements, std::int64_t trips, Frame& frame);
  /// The same by a faster way; false where there is none.
  ///   stretch : of a longer run, of which these are all steps that there are now; null where there is none
  Result<bool> accelerated_steps(const NodePlan& plan, const graph::ScanOp& scan, Values& states,
                                 std::span<const Tensor> elements, std::int64_t trips, Stretch* stretch, Frame& frame,
                                 Values& results);
  /// The same in parts, by the algebra of the states' classes (chunked.cpp).
  Result<Values> chunked_steps(const NodePlan& plan, const graph::ScanOp& scan, const Values& initial,
                               const std::vector<Tensor>& elements, std::int64_t trips, Frame& outer);
  Result<void> chunked_states(const ChunkedComponent& component, std::size_t parts, const std::vector<Values>& inputs,
                              std::vector<Values>& states, const Frame& outer);
  /// Runs a graph on its own, or a body inside a frame.
  Result<Values> apply(const Prepared& prepared, const graph::Body* body, Values inputs, const Frame* outer);
  /// Refuses more steps than max_steps where no data stands behind them: empty elements, or one element repeated.
  Result<void> check_trips(std::int64_t trips, const std::vector<Tensor>& elements) const;
  /// v8: the steps of each batch row.
  Result<std::vector<std::int64_t>> sequence_lengths(const NodePlan& plan, Frame& frame, std::int64_t batch,
                                                     std::int64_t longest);
  /// v8: scan output k of all batch rows as [B, T, …], zero past each row's length.
  Result<Value> pad_rows(const graph::ScanOp& scan, std::size_t k, const std::vector<Values>& rows,
                         const std::vector<std::int64_t>& lengths, std::int64_t longest,
                         const std::vector<ops::Fact>& body_facts, const Frame& frame);
  /// The types of the body's outputs when it never runs.
  Result<std::vector<Type>> body_output_types(const graph::Body& body, std::vector<ops::Fact> inputs,
                                              const Frame& outer) const;

  /// What the file says of one step of a stacked value; unknown where it says nothing.
  static Type declared_element(const Frame& frame, graph::ValueId id, std::int64_t axis);

  /// Counts a step; errors: interrupted.
  Result<void> step(const graph::Node& node, std::int64_t done, std::int64_t total);
  Value& at(Frame& frame, graph::ValueId id) { return frame.values[id.index]; }
  void store_outputs(const NodePlan& plan, Frame& frame, std::span<Value> results);
  static bool needed_state(const Prepared& prepared, std::size_t i) { return prepared.needed_outputs[i]; }
  /// An input of a node: moved out where this is its last use.
  Value take_input(const NodePlan& plan, Frame& frame, std::size_t i);

  const EvaluateOptions& options_;
  ops::RandomStreams random_;
  int depth_ = 0;  ///< loops around the node that is running
  std::uint64_t ticks_ = 0;
};

/// Counts the loops around what runs, for as long as it lives.
class DepthGuard {
 public:
  explicit DepthGuard(int& depth) : depth_(depth) { ++depth_; }
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  int& depth_;
};

/// Tells the observer, if there is one, of what begins and ends with it.
class Observed {
 public:
  Observed(Observer* observer, const graph::Node& node, bool is_kernel = false) : observer_(observer) {
    if (observer_ != nullptr) observer_->begin(node, is_kernel);
  }
  ~Observed() {
    if (observer_ != nullptr) observer_->end(counts_);
  }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

  void did_nothing() { counts_ = false; }

 private:
  Observer* observer_;
  bool counts_ = true;
};

/// The tensor in a value that Scan takes. Errors: bad_type, naming the input.
Result<const Tensor*> as_tensor(const Value& value, std::size_t input);

/// One bool, of rank 0 or more. Errors: bad_type.
Result<bool> read_condition(const Value& value);

/// Extents that inference could not find are 0 in a tensor of which there is none.
Result<Dims> shape_of_nothing(const Type& type, std::string_view what);

}  // namespace pawl::reference
