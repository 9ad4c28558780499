// RNN, GRU, LSTM. Everything is computed in double, states included, and rounded on the way out.
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/recurrent.h"

namespace pawl::ops {
namespace {

/// H' = f(gates + H·Rᵀ + Rb)
Result<void> eval_rnn(EvalContext& context) {
  constexpr std::string_view kDefaults[] = {"Tanh"};
  TRY_ASSIGN(Recurrence recurrence, read_recurrence(context, 1, kDefaults));
  const std::int64_t batch = recurrence.batch, hidden = recurrence.hidden;
  const Cell cell = [&](const Direction& direction, std::size_t, const double* gates, const double* h,
                        const std::vector<bool>&, double* next) {
    multiply_transposed(h, batch, hidden, direction.recurrence, hidden, next);
    for (std::int64_t i = 0; i < batch * hidden; ++i)
      next[i] = direction.activations[0](gates[i] + next[i] + direction.bias[i % hidden]);
  };
  TRY_ASSIGN(const Tensor y, run_cell(recurrence, Tensor(), cell));
  return emit_states(context, recurrence, y, std::span(&recurrence.h, 1));
}

/// Gates in the order z, r, h:
///   z = f(…), r = f(…), n = g(gates_h + (r·H)·Rhᵀ + Rbh), H' = (1 - z)·n + z·H
/// or, with linear_before_reset, n = g(gates_h + r·(H·Rhᵀ + Rbh)).
Result<void> eval_gru(EvalContext& context) {
  constexpr std::string_view kDefaults[] = {"Sigmoid", "Tanh"};
  TRY_ASSIGN(Recurrence recurrence, read_recurrence(context, 3, kDefaults));
  const std::int64_t batch = recurrence.batch, hidden = recurrence.hidden, rows = recurrence.rows();
  const bool linear_first = context.attributes.integer("linear_before_reset", 0) != 0;
  TRY_ASSIGN(Tensor products, Tensor::allocate(DType::f64, {batch, rows}));
  TRY_ASSIGN(Tensor resets, Tensor::allocate(DType::f64, {batch, hidden}));
  TRY_ASSIGN(Tensor candidates, Tensor::allocate(DType::f64, {batch, hidden}));
  double *product = products.mutable_data<double>(), *reset = resets.mutable_data<double>(),
         *candidate = candidates.mutable_data<double>();
  const Cell cell = [&](const Direction& direction, std::size_t, const double* gates, const double* h,
                        const std::vector<bool>&, double* next) {
    const Activation &f = direction.activations[0], &g = direction.activations[1];
    multiply_transposed(h, batch, hidden, direction.recurrence, rows, product);
    for (std::int64_t n = 0; n < batch; ++n)
      for (std::int64_t i = 0; i < hidden; ++i) {
        const std::int64_t at = n * rows + hidden + i;
        reset[n * hidden + i] = f(gates[at] + product[at] + direction.bias[hidden + i]);
        if (!linear_first) next[n * hidden + i] = reset[n * hidden + i] * h[n * hidden + i];
      }
    if (!linear_first)
      multiply_transposed(next, batch, hidden, direction.recurrence + 2 * hidden * hidden, hidden, candidate);
    for (std::int64_t n = 0; n < batch; ++n)
      for (std::int64_t i = 0; i < hidden; ++i) {
        const std::int64_t row = n * rows + i, at = n * hidden + i;
        const double z = f(gates[row] + product[row] + direction.bias[i]), bias = direction.bias[2 * hidden + i];
        const double recurrent = linear_first ? reset[at] * (product[row + 2 * hidden] + bias) : candidate[at] + bias;
        next[at] = (1 - z) * g(gates[row + 2 * hidden] + recurrent) + z * h[at];
      }
  };
  TRY_ASSIGN(const Tensor y, run_cell(recurrence, Tensor(), cell));
  return emit_states(context, recurrence, y, std::span(&recurrence.h, 1));
}

/// Gates in the order i, o, f, c; peepholes in the order i, o, f:
///   i = f(… + Pi·C), f = f(… + Pf·C) or 1 - i, c = g(…), C' = f·C + i·c, o = f(… + Po·C'), H' = o·h(C')
Result<void> eval_lstm(EvalContext& context) {
  constexpr std::string_view kDefaults[] = {"Sigmoid", "Tanh", "Tanh"};
  TRY_ASSIGN(Recurrence recurrence, read_recurrence(context, 4, kDefaults));
  const std::int64_t batch = recurrence.batch, hidden = recurrence.hidden, rows = recurrence.rows();
  const bool coupled = context.attributes.integer("input_forget", 0) != 0;
  TRY_ASSIGN(Tensor memory, initial_state(context, recurrence, 6));
  TRY_ASSIGN(const Tensor peepholes, read_peepholes(context, recurrence));
  TRY_ASSIGN(Tensor products, Tensor::allocate(DType::f64, {batch, rows}));
  double* product = products.mutable_data<double>();
  const Cell cell = [&](const Direction& direction, std::size_t d, const double* gates, const double* h,
                        const std::vector<bool>& active, double* next) {
    const Activation &f = direction.activations[0], &g = direction.activations[1], &out = direction.activations[2];
    multiply_transposed(h, batch, hidden, direction.recurrence, rows, product);
    for (std::int64_t n = 0; n < batch; ++n) {
      if (!active[static_cast<std::size_t>(n)]) continue;
      double* c = memory.mutable_data<double>() + (static_cast<std::int64_t>(d) * batch + n) * hidden;
      for (std::int64_t i = 0; i < hidden; ++i) {
        const auto gate = [&](std::int64_t k) {
          const std::int64_t row = k * hidden + i;
          return gates[n * rows + row] + product[n * rows + row] + direction.bias[row];
        };
        const auto peep = [&](std::int64_t k) {
          return direction.peepholes == nullptr ? 0.0 : direction.peepholes[k * hidden + i] * c[i];
        };
        const double input = f(gate(0) + peep(0));
        const double forget = coupled ? 1 - input : f(gate(2) + peep(2));
        c[i] = forget * c[i] + input * g(gate(3));
        next[n * hidden + i] = f(gate(1) + peep(1)) * out(c[i]);
      }
    }
  };
  TRY_ASSIGN(const Tensor y, run_cell(recurrence, peepholes, cell));
  const Tensor states[] = {recurrence.h, memory};
  return emit_states(context, recurrence, y, states);
}

constexpr OpDef kRecurrent[] = {
    {.name = "RNN", .since = {1, 7, 14, 22}, .infer = infer_recurrent, .eval = eval_rnn, .axes = kRecurrentAxes},
    {.name = "GRU", .since = {1, 3, 7, 14, 22}, .infer = infer_recurrent, .eval = eval_gru, .axes = kRecurrentAxes},
    {.name = "LSTM", .since = {1, 7, 14, 22}, .infer = infer_recurrent, .eval = eval_lstm, .axes = kRecurrentAxes},
};

}  // namespace

std::span<const OpDef> recurrent_ops() { return kRecurrent; }

}  // namespace pawl::ops
