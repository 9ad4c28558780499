// A compiled model: run it as often as you like, from as many threads as you like.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/model.h"
#include "pawl/profile.h"
#include "pawl/tensor.h"

namespace pawl {

/// Operators that the standard defines as functions of others may give way to that definition.
enum class Expansion : std::uint8_t {
  needed,  ///< where there is no evaluation of the operator itself
  loops,   ///< also where the definition is a Scan or a Loop, which then is compiled like any other
  all,     ///< everywhere
};

/// What may differ from the bits of the reference evaluator.
enum class Guarantee : std::uint8_t {
  deterministic,  ///< sums in another order or precision, within stated bounds; the same bits on every run with the
                  ///< same build, machine and threads
  exact,          ///< nothing
};

/// What runs the bodies of Scans.
enum class Kernels : std::uint8_t {
  off,          ///< the evaluator, node by node
  compiled,     ///< kernels as machine code, which is kept on the disk for the next time
  webgpu,       ///< kernels as shaders on the fastest adapter, where they have shaders; else machine code
  interpreted,  ///< kernels, by what they mean, statement by statement: slow; what compiled ones are held against
};

struct CompileOptions {
  Guarantee guarantee = Guarantee::deterministic;
  Expansion expansion = Expansion::needed;
  /// Moves work out of loops where that gives the same results. Without it the graph runs as the file has it.
  bool rewrite = true;
  /// A Scan that has no kernel is run by the evaluator.
  Kernels kernels = Kernels::compiled;
  /// Threads that one run may use for its kernels; 0: as many as the machine has cores.
  int threads = 0;
  /// Where all states of a Scan have a class, its sequence is worked on in this many parts by the algebra of the class,
  /// whatever the guarantee; 0: where that is sooner done. Without kernels it is slow: what faster ways are held
  /// against. Kernels of more than 0 parts are cut as those of large bodies are: into blocks, which the threads share.
  int parts = 0;
};

/// Where a long run stands: step `done` of `total` (0: not known) of the outermost loop.
struct Progress {
  std::string_view loop;
  std::int64_t done = 0;
  std::int64_t total = 0;
};

struct RunOptions {
  /// Set it from another thread or a signal handler to stop the run with Code::interrupted. May be null.
  const std::atomic<bool>* interrupted = nullptr;
  /// Called now and then during long loops, from the thread that runs. May be empty.
  std::function<void(const Progress&)> progress;
  /// Seeds the operators that draw random numbers and have no seed of their own. The same seed gives the same run.
  std::uint64_t seed = 0;
  /// Steps that one loop may take when no data stands behind its trip count (a Loop, or a Scan over empty elements).
  std::int64_t max_steps = 100'000'000;
  /// When set: how often each operator was evaluated, by name, is added here. One map per run.
  std::map<std::string, std::int64_t>* evaluations = nullptr;
  /// When set: results of earlier runs that are no longer needed. The run may take the memory of those tensors among
  /// them that nobody else holds for results of the same type and size; what it took is none afterwards. New memory
  /// costs more than many a run: a page fault for each page of it.
  std::vector<Value>* reuse = nullptr;
  /// When set: where the time went is added here.
  Profile* profile = nullptr;
};

/// An input by name.
using NamedValue = std::pair<std::string_view, Value>;

/// Immutable after compile(): run() may be called from several threads at once on one Program.
class Program {
 public:
  /// Errors: those of Model::load; unsupported.
  static Result<Program> compile(const Model& model, const CompileOptions& options = {});

  /// Which Scans were run as kernels so far, and why others were not: a line each.
  [[nodiscard]] std::vector<std::string> kernel_report() const;

  /// Runs with one value per model input, in order; an undefined tensor (Value(Tensor())) takes the input's default.
  ///   inputs  : borrowed; never written to; any strides
  ///   returns : one value per model output, in order; dense, owned by the caller, sharing no memory with any input
  /// Errors: bad_argument (missing or extra input), bad_type, bad_shape (naming the input), and whatever the model's
  /// operators find wrong with the values.
  Result<std::vector<Value>> run(std::span<const Value> inputs, const RunOptions& options = {}) const;

  /// The same with inputs by name, in any order; those with a default may be left out.
  Result<std::vector<Value>> run(std::span<const NamedValue> inputs, const RunOptions& options = {}) const;

  /// The same with inputs that are given away: those that nobody else holds may be written to, and their memory may be
  /// that of outputs. A Scan's state that is given so is updated in place: a model that streams moves the states it got
  /// from one run into the next.
  ///   inputs  : one per model input, in order; what others hold too is not written to
  Result<std::vector<Value>> run_in_place(std::vector<Value> inputs, const RunOptions& options = {}) const;

  /// What a run with inputs of these types and shapes has to do. Errors: bad_argument, bad_type, bad_shape.
  Result<Work> work(std::span<const Value> inputs) const;

  [[nodiscard]] const std::vector<Port>& inputs() const;
  [[nodiscard]] const std::vector<Port>& outputs() const;
  /// Operators that gave way to their definitions (CompileOptions::expansion).
  [[nodiscard]] std::size_t expansions() const;

 private:
  struct State;
  explicit Program(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace pawl
