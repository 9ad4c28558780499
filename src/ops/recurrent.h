// What RNN, GRU and LSTM share: their inputs in one layout, the directions, the way through time.
#pragma once

#include <functional>

#include "ops/cell_activation.h"

namespace pawl::ops {

/// Everything a cell needs for one direction; all numbers are doubles.
struct Direction {
  const double* recurrence = nullptr;  ///< R [gates·hidden, hidden]
  const double* bias = nullptr;        ///< Rb [gates·hidden], zeros when there is none
  const double* peepholes = nullptr;   ///< P [3·hidden]; null when there are none
  std::span<const Activation> activations;
};

/// The inputs X, W, R, B, sequence_lens, initial_h of a node, dense, as doubles, time first.
struct Recurrence {
  std::int64_t steps = 0, batch = 0, inputs = 0, hidden = 0, gates = 0;
  bool batch_first = false;           ///< layout = 1
  std::vector<bool> reversed;         ///< per direction
  std::vector<std::int64_t> lengths;  ///< per batch entry
  std::vector<Activation> activations;
  Tensor x;     ///< [steps, batch, inputs]
  Tensor w, r;  ///< [directions, gates·hidden, inputs] and […, hidden]
  Tensor b;     ///< [directions, 2·gates·hidden]: Wb, then Rb
  Tensor h;     ///< [directions, batch, hidden]: initial, finally the last state

  [[nodiscard]] std::int64_t rows() const { return gates * hidden; }
  [[nodiscard]] std::int64_t directions() const { return static_cast<std::int64_t>(reversed.size()); }
};

/// Errors: bad_shape and bad_value, naming the input or attribute.
Result<Recurrence> read_recurrence(const EvalContext& context, std::int64_t gates,
                                   std::span<const std::string_view> activations);

/// Input i of shape [directions, batch, hidden] (its first two axes exchanged under layout 1) as doubles; zeros when
/// omitted.
Result<Tensor> initial_state(const EvalContext& context, const Recurrence& recurrence, std::size_t i);

/// Input P (7) of shape [directions, 3·hidden] as doubles; undefined when omitted.
Result<Tensor> read_peepholes(const EvalContext& context, const Recurrence& recurrence);

/// Computes the next states of all batch entries: `gates` [batch, gates·hidden] is X·Wᵀ + Wb, `h` and `next` [batch,
/// hidden]. Entries whose sequence has ended are not `active`; what is computed for them is not used.
using Cell = std::function<void(const Direction&, std::size_t direction, const double* gates, const double* h,
                                const std::vector<bool>& active, double* next)>;

/// Runs the cell over time in every direction. Returns Y [steps, directions, batch, hidden] (zero behind the end of a
/// sequence), and leaves the last states in recurrence.h.
Result<Tensor> run_cell(Recurrence& recurrence, const Tensor& peepholes, const Cell& cell);

/// sums = a·bᵀ for a [rows, depth] and b [columns, depth].
void multiply_transposed(const double* a, std::int64_t rows, std::int64_t depth, const double* b, std::int64_t columns,
                         double* sums);

/// Puts Y (from run_cell) and states [directions, batch, hidden] into outputs 0, 1, …, rounded and in the node's
/// layout.
Result<void> emit_states(EvalContext& context, const Recurrence& recurrence, const Tensor& y,
                         std::span<const Tensor> states);

/// Shapes of Y, Y_h and, where the operator has it, Y_c.
Result<void> infer_recurrent(InferContext& context);

}  // namespace pawl::ops
