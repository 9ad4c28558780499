#include "ops/recurrent.h"

#include "ops/axes.h"
#include "ops/multiply.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

Result<std::vector<bool>> read_directions(const Attributes& attributes) {
  const std::string text = attributes.text("direction", "forward");
  if (text == "forward") return std::vector<bool>{false};
  if (text == "reverse") return std::vector<bool>{true};
  if (text == "bidirectional") return std::vector<bool>{false, true};
  return fail(Code::bad_value, "direction is \"{}\"; forward, reverse and bidirectional are allowed", text);
}

/// The same tensor with two axes exchanged, as a view.
Tensor exchanged(const Tensor& tensor, std::size_t i, std::size_t j) {
  Dims shape = tensor.shape(), strides = tensor.strides();
  std::swap(shape[i], shape[j]);
  std::swap(strides[i], strides[j]);
  return tensor.view(shape, strides);
}

Result<Tensor> parameter(const EvalContext& context, std::size_t i, std::string_view name, const Dims& shape) {
  if (context.tensor(i).shape() != shape)
    return fail(Code::bad_shape, "{} has shape {}, {} is needed", name, to_string(context.tensor(i).shape()),
                to_string(shape));
  return as_doubles(context.tensor(i));
}

Result<std::vector<std::int64_t>> read_lengths(const EvalContext& context, std::int64_t batch, std::int64_t steps) {
  if (!context.has_input(4)) return std::vector<std::int64_t>(static_cast<std::size_t>(batch), steps);
  TRY_ASSIGN(const Dims lengths, context.integers(4));
  if (static_cast<std::int64_t>(lengths.size()) != batch)
    return fail(Code::bad_shape, "sequence_lens has {} numbers for a batch of {}", lengths.size(), batch);
  for (const std::int64_t length : lengths)
    if (length < 0 || length > steps)
      return fail(Code::bad_value, "sequence_lens holds {}; allowed are 0 to {}", length, steps);
  return std::vector<std::int64_t>(lengths.begin(), lengths.end());
}

/// One direction over time: its own x·Wᵀ for all steps in `projected`, scratch in `gates` and `next`.
struct Pass {
  const Recurrence& recurrence;
  std::int64_t direction = 0;
  const double* projected = nullptr;
  double* gates = nullptr;
  double* next = nullptr;

  /// The time that batch entry n reads in this step; only while its sequence lasts.
  [[nodiscard]] std::int64_t time(std::int64_t n, std::int64_t step) const {
    return recurrence.reversed[static_cast<std::size_t>(direction)]
               ? recurrence.lengths[static_cast<std::size_t>(n)] - 1 - step
               : step;
  }

  void gather(std::int64_t step, const double* bias, std::vector<bool>& active) const {
    const std::int64_t rows = recurrence.rows(), batch = recurrence.batch;
    for (std::int64_t n = 0; n < batch; ++n) {
      active[static_cast<std::size_t>(n)] = step < recurrence.lengths[static_cast<std::size_t>(n)];
      const std::int64_t at = active[static_cast<std::size_t>(n)] ? time(n, step) : 0;
      for (std::int64_t i = 0; i < rows; ++i) gates[n * rows + i] = projected[(at * batch + n) * rows + i] + bias[i];
    }
  }

  void keep(std::int64_t step, const std::vector<bool>& active, double* h, double* y) const {
    const std::int64_t hidden = recurrence.hidden;
    for (std::int64_t n = 0; n < recurrence.batch; ++n) {
      if (!active[static_cast<std::size_t>(n)]) continue;
      std::copy_n(next + n * hidden, hidden, h + n * hidden);
      const std::int64_t row = (time(n, step) * recurrence.directions() + direction) * recurrence.batch + n;
      std::copy_n(next + n * hidden, hidden, y + row * hidden);
    }
  }
};

}  // namespace

Result<Recurrence> read_recurrence(const EvalContext& context, std::int64_t gates,
                                   std::span<const std::string_view> activations) {
  Recurrence recurrence;
  const Tensor &x = context.tensor(0), &r = context.tensor(2);
  if (x.rank() != 3 || r.rank() != 3)
    return fail(Code::bad_shape, "X of shape {} and R of shape {} must have rank 3", to_string(x.shape()),
                to_string(r.shape()));
  recurrence.batch_first = context.attributes.integer("layout", 0) != 0;
  recurrence.gates = gates;
  recurrence.hidden = r.shape()[2];
  if (context.attributes.integer("hidden_size", recurrence.hidden) != recurrence.hidden)
    return fail(Code::bad_value, "hidden_size is {}, but R has shape {}", context.attributes.integer("hidden_size", 0),
                to_string(r.shape()));
  TRY_ASSIGN(recurrence.reversed, read_directions(context.attributes));
  TRY_ASSIGN(recurrence.activations, read_activations(context.attributes, activations, recurrence.reversed.size()));
  TRY_ASSIGN(recurrence.x, as_doubles(recurrence.batch_first ? exchanged(x, 0, 1) : x));
  const Dims& shape = recurrence.x.shape();
  recurrence.steps = shape[0];
  recurrence.batch = shape[1];
  recurrence.inputs = shape[2];
  TRY_ASSIGN(recurrence.lengths, read_lengths(context, recurrence.batch, recurrence.steps));
  const std::int64_t directions = recurrence.directions();
  std::int64_t rows = 0, biases = 0;
  if (__builtin_mul_overflow(gates, recurrence.hidden, &rows) || __builtin_mul_overflow(rows, 2, &biases))
    return fail(Code::limit, "a hidden size of {} is too large", recurrence.hidden);
  TRY_ASSIGN(recurrence.w, parameter(context, 1, "W", {directions, rows, recurrence.inputs}));
  TRY_ASSIGN(recurrence.r, parameter(context, 2, "R", {directions, rows, recurrence.hidden}));
  if (context.has_input(3)) {
    TRY_ASSIGN(recurrence.b, parameter(context, 3, "B", {directions, biases}));
  } else {
    TRY_ASSIGN(recurrence.b, zero_doubles({directions, biases}));
  }
  TRY_ASSIGN(recurrence.h, initial_state(context, recurrence, 5));
  return recurrence;
}

Result<Tensor> initial_state(const EvalContext& context, const Recurrence& recurrence, std::size_t i) {
  const Dims shape = {recurrence.directions(), recurrence.batch, recurrence.hidden};
  if (!context.has_input(i)) return zero_doubles(shape);
  const Tensor& given = context.tensor(i);
  if (given.rank() != 3)
    return fail(Code::bad_shape, "an initial state of shape {} must have rank 3", to_string(given.shape()));
  const Tensor ordered = recurrence.batch_first ? exchanged(given, 0, 1) : given;
  if (ordered.shape() != shape)
    return fail(Code::bad_shape, "an initial state has shape {}, {} is needed", to_string(ordered.shape()),
                to_string(shape));
  TRY_ASSIGN(const Tensor wide, as_doubles(ordered));
  return wide.clone();
}

void multiply_transposed(const double* a, std::int64_t rows, std::int64_t depth, const double* b, std::int64_t columns,
                         double* sums) {
  const Matrix<double> left{a, rows, depth, depth, 1}, right{b, depth, columns, 1, depth};
  multiply(left, right, [&](std::int64_t i, std::int64_t j, const double* products, std::int64_t n) {
    std::copy_n(products, n, sums + i * columns + j);
  });
}

Result<Tensor> read_peepholes(const EvalContext& context, const Recurrence& recurrence) {
  if (!context.has_input(7)) return Tensor();
  return parameter(context, 7, "P", {recurrence.directions(), 3 * recurrence.hidden});
}

Result<Tensor> run_cell(Recurrence& recurrence, const Tensor& peepholes, const Cell& cell) {
  const std::int64_t batch = recurrence.batch, hidden = recurrence.hidden, rows = recurrence.rows(),
                     directions = recurrence.directions();
  TRY_ASSIGN(Tensor y, zero_doubles({recurrence.steps, directions, batch, hidden}));
  TRY_ASSIGN(Tensor projected, Tensor::allocate(DType::f64, {recurrence.steps, batch, rows}));
  TRY_ASSIGN(Tensor gathered, Tensor::allocate(DType::f64, {batch, rows}));
  TRY_ASSIGN(Tensor states, Tensor::allocate(DType::f64, {batch, hidden}));
  if (batch == 0 || hidden == 0) return y;
  const std::size_t functions = recurrence.activations.size() / recurrence.reversed.size();
  std::vector<bool> active(static_cast<std::size_t>(batch));
  for (std::int64_t d = 0; d < directions; ++d) {
    const double* bias = recurrence.b.data<double>() + d * 2 * rows;
    const Direction direction{
        .recurrence = recurrence.r.data<double>() + d * rows * hidden,
        .bias = bias + rows,
        .peepholes = peepholes.defined() ? peepholes.data<double>() + d * 3 * hidden : nullptr,
        .activations = std::span(recurrence.activations).subspan(static_cast<std::size_t>(d) * functions, functions)};
    multiply_transposed(recurrence.x.data<double>(), recurrence.steps * batch, recurrence.inputs,
                        recurrence.w.data<double>() + d * rows * recurrence.inputs, rows,
                        projected.mutable_data<double>());
    const Pass pass{recurrence, d, projected.data<double>(), gathered.mutable_data<double>(),
                    states.mutable_data<double>()};
    double* h = recurrence.h.mutable_data<double>() + d * batch * hidden;
    for (std::int64_t step = 0; step < recurrence.steps; ++step) {
      pass.gather(step, bias, active);
      cell(direction, static_cast<std::size_t>(d), pass.gates, h, active, pass.next);
      pass.keep(step, active, h, y.mutable_data<double>());
    }
  }
  return y;
}

Result<void> emit_states(EvalContext& context, const Recurrence& recurrence, const Tensor& y,
                         std::span<const Tensor> states) {
  const DType dtype = context.tensor(0).dtype();
  const auto wanted = [&](std::size_t i) { return i < context.outputs.size() && context.wanted[i]; };
  if (wanted(0)) {
    // [steps, directions, batch, hidden] to [batch, steps, directions, hidden]
    const Tensor view = recurrence.batch_first ? exchanged(exchanged(y, 1, 2), 0, 1) : y;
    TRY_ASSIGN(context.outputs[0], rounded(view, dtype));
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!wanted(i + 1)) continue;
    TRY_ASSIGN(context.outputs[i + 1], rounded(recurrence.batch_first ? exchanged(states[i], 0, 1) : states[i], dtype));
  }
  return {};
}

Result<void> infer_recurrent(InferContext& context) {
  TRY_ASSIGN(const auto reversed, read_directions(context.attributes));
  const bool batch_first = context.attributes.integer("layout", 0) != 0;
  const SymbolicShape *x = context.shape(0), *w = context.shape(1), *r = context.shape(2);
  for (const SymbolicShape* shape : {x, w, r})
    if (shape != nullptr && shape->size() != 3)
      return fail(Code::bad_shape, "X, W and R must have rank 3, not shape {}", to_string(*shape));
  const Dim directions(static_cast<std::int64_t>(reversed.size()));
  if (x != nullptr && w != nullptr && !agree_dim((*x)[2], (*w)[2]))
    return fail(Code::bad_shape, "X of shape {} and W of shape {} differ in the input size", to_string(*x),
                to_string(*w));
  for (const SymbolicShape* shape : {w, r})
    if (shape != nullptr && !agree_dim((*shape)[0], directions))
      return fail(Code::bad_shape, "W and R must begin with {} directions, not {}", directions.value,
                  to_string(*shape));
  Dim hidden = r != nullptr ? (*r)[2] : Dim();
  if (const auto* size = context.attributes.get<std::int64_t>("hidden_size")) {
    if (*size < 0 || !agree_dim(hidden, Dim(*size)))
      return fail(Code::bad_value, "hidden_size is {}, but R has shape {}", *size, r != nullptr ? to_string(*r) : "?");
    hidden = Dim(*size);
  }
  const Dim steps = x != nullptr ? (*x)[batch_first ? 1 : 0] : Dim(),
            batch = x != nullptr ? (*x)[batch_first ? 0 : 1] : Dim();
  context.set_shape(0, batch_first ? SymbolicShape{batch, steps, directions, hidden}
                                   : SymbolicShape{steps, directions, batch, hidden});
  for (std::size_t i = 1; i < context.outputs.size(); ++i)
    context.set_shape(
        i, batch_first ? SymbolicShape{batch, directions, hidden} : SymbolicShape{directions, batch, hidden});
  return {};
}

}  // namespace pawl::ops
