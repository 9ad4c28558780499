// A compiled model as Python runs it.
#pragma once

#include <atomic>
#include <optional>
#include <unordered_map>

#include "pawl/program.h"
#include "values.h"

namespace pawl::python {

/// What a run may be told; `terminate` may be set from another thread.
struct RunControl {
  std::atomic<bool> terminate{false};
  std::uint64_t seed = 0;
  std::int64_t max_steps = RunOptions().max_steps;
};

class Session {
 public:
  Session(const Model& model, const CompileOptions& options);

  /// One object per output that is named, or for all of them when `names` is None.
  ///   feeds : a mapping from input names to values; None stands for an input that is not given, or an optional without
  ///           an element
  pybind11::list run(const pybind11::object& names, const pybind11::object& feeds, RunControl* control) const;

  /// The values of all inputs, in order. What they view is held in `kept`. Raises BadArgument for names that the model
  /// does not have, and for inputs that are missing. Inputs that are `given` from elsewhere are left undefined.
  std::vector<Value> read(const pybind11::object& feeds, pybind11::list& kept,
                          const std::vector<bool>& given = {}) const;

  /// Runs without the interpreter's lock. Raises what went wrong, KeyboardInterrupt among it.
  std::vector<Value> execute(std::vector<Value> inputs, RunControl* control) const;

  /// Places of outputs, by name. Raises BadArgument.
  std::vector<std::size_t> outputs_of(const pybind11::object& names) const;

  [[nodiscard]] const Program& program() const { return *program_; }

 private:
  [[noreturn]] void refuse_unknown(const pybind11::dict& feeds) const;
  [[noreturn]] void refuse_missing(const pybind11::dict& feeds, const std::vector<bool>& given) const;

  /// Whether a run on so many elements is likely to be over before anybody can press Ctrl-C.
  [[nodiscard]] bool is_quick(std::int64_t elements) const {
    return elements <= quick_.load(std::memory_order_relaxed);
  }

  std::optional<Program> program_;
  mutable std::atomic<std::int64_t> quick_{-1};  ///< elements of inputs with which a run was short
  std::vector<pybind11::str> input_names_;
  std::unordered_map<std::string, std::size_t> outputs_;
};

/// A model that is fed piece by piece: some outputs of a call are inputs of the next one.
class Stream {
 public:
  /// (output, input): places of the pairs.
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  Stream(const Session& session, Pairs pairs);

  /// Sets the states, a value for each pair's input.
  void set_states(const pybind11::dict& states);
  /// Views of the states that cannot be written to, by input name.
  [[nodiscard]] pybind11::dict states() const;
  /// Runs once, and keeps the new states; returns the other outputs, in order. Raises what a run raises; the states are
  /// lost then, unless the inputs were refused before the run.
  pybind11::list step(const pybind11::object& feeds, RunControl* control);

 private:
  void refuse_when_busy() const;

  const Session& session_;
  Pairs pairs_;
  std::vector<bool> is_state_;      ///< by input
  std::vector<bool> is_new_state_;  ///< by output
  std::vector<Value> states_;       ///< by pair; empty before they are set, and after they were lost
  bool busy_ = false;
};

}  // namespace pawl::python
