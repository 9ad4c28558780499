// The reference evaluator: runs a graph node by node, exactly as the standard says. Every faster path is compared with
// it.
#pragma once

#include <atomic>
#include <functional>
#include <map>

#include "base/function_ref.h"
#include "graph/graph.h"
#include "scan/facts.h"

namespace pawl::reference {

/// Where a long run stands: `done` of `total` steps of the outermost loop that is running (total 0: not known).
struct Progress {
  std::string_view loop;
  std::int64_t done = 0;
  std::int64_t total = 0;
};

/// A faster way for an operator: true when the outputs are there, false when its own evaluation is to do it.
using Accelerate = std::function<Result<bool>(const ops::OpDef&, ops::EvalContext&)>;

/// Calls that are made for one range of steps after the other.
struct Stretch {
  std::int64_t first = 0;         ///< step of the whole run that is the call's first
  std::int64_t total = 0;         ///< steps of the whole run
  std::vector<Tensor> outputs{};  ///< of the whole run, by scan output; the first call makes them
};

/// One run of a Scan of version 9 or later, of at least one step.
struct ScanCall {
  const graph::ScanOp& scan;
  std::span<Value> states;                 ///< initial ones; a runner that runs the Scan may take them
  std::span<const Tensor> elements;        ///< time first: views [T, …]
  std::span<const Value* const> captured;  ///< by the body's captured values
  const std::vector<bool>& wanted;         ///< by the body's output, whether anything needs it
  std::int64_t trips = 0;
  std::vector<Value>* reuse = nullptr;  ///< tensors whose memory results may take; may be null
  Stretch* stretch = nullptr;           ///< null: the call is all of the run
  /// Told how many steps are done; may be null. Errors: interrupted.
  FunctionRef<Result<void>(std::int64_t)> progress;
};

/// Of the whole run that the call is part of.
inline std::int64_t steps_of_run(const ScanCall& call) {
  return call.stretch == nullptr ? call.trips : call.stretch->total;
}

/// What is known of the body's inputs: of states, and of elements [T, …] without their first axis.
std::vector<ops::Fact> body_inputs(std::span<const Value> states, std::span<const Tensor> elements);

/// A faster way for Scans.
class ScanRunner {
 public:
  virtual ~ScanRunner() = default;
  /// Gives finals, then stacked outputs, those that nobody needs undefined; false when the evaluator is to do it.
  virtual Result<bool> run(const ScanCall& call, std::vector<Value>& results) = 0;
};

/// Told of what runs when, from the thread that runs: what is inside of something else begins later and ends earlier.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A node, or the kernel of a Scan.
  virtual void begin(const graph::Node& node, bool is_kernel) = 0;
  /// Ends what began last. `counts`: it did something.
  virtual void end(bool counts) = 0;
};

struct EvaluateOptions {
  /// Asked before each Scan. May be null.
  ScanRunner* scans = nullptr;
  /// Asked before each operator outside of loops that prepare() was told of. May be empty.
  Accelerate accelerate;
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(const Progress&)> progress;
  std::uint64_t seed = 0;
  /// Steps one loop may take when its trip count is not backed by data: a Loop, or a Scan over empty elements.
  std::int64_t max_steps = 100'000'000;
  std::map<std::string, std::int64_t>* evaluations = nullptr;  ///< counts evaluations by operator name
  std::vector<Value>* reuse = nullptr;                         ///< tensors whose memory results may take
  Observer* observer = nullptr;
};

/// A graph made ready for evaluation: when each value is used last, constants aligned. Built once, shared by threads.
class Prepared;
///   grouped     : neighbouring nodes of the graph itself are offered to EvaluateOptions::scans as Scans of one step
///   accelerated : the operators for which EvaluateOptions::accelerate is asked; null: none
Result<std::shared_ptr<const Prepared>> prepare(const graph::Graph& graph, bool grouped = false,
                                                bool (*accelerated)(const ops::OpDef&) = nullptr);

/// The same, with every Scan whose states all have a class run in that many parts. The facts must outlive it.
Result<std::shared_ptr<const Prepared>> prepare_in_parts(const graph::Graph& graph,
                                                         const std::vector<scan::ScanFacts>& facts, std::size_t parts,
                                                         bool (*accelerated)(const ops::OpDef&) = nullptr);

/// Runs the graph. `inputs` are one value per graph input; those that others hold too are not written to. Returns one
/// value per graph output; these may be views of inputs or constants.
Result<std::vector<Value>> evaluate(const Prepared& prepared, std::vector<Value> inputs,
                                    const EvaluateOptions& options);

}  // namespace pawl::reference
