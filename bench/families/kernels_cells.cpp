// MinGRU, GRU, LSTM. Weights are packed by blocks of 32 hidden units, all gates of a block together, so that a thread
// that owns blocks has all it needs. What depends on the inputs alone is multiplied for many steps at once; threads
// meet once a step, where the state is multiplied.
#include <algorithm>

#include "products.h"

namespace pawl::bench {
namespace {

struct Cell {
  std::int64_t steps = 0, batch = 0, inputs = 0, hidden = 0, gates = 0;
  const float* x = nullptr;
  float* y = nullptr;
  Floats input_weights, state_weights;  // panels [block][gate][depth][32]
  Floats input_bias, state_bias;        // [block][gate][32]

  [[nodiscard]] std::int64_t blocks() const { return (hidden + kPanel - 1) / kPanel; }
  [[nodiscard]] std::int64_t padded() const { return blocks() * kPanel; }
};

/// Panels of a matrix [depth][stride] whose gate g begins at column g * hidden.
void pack(const float* from, std::int64_t depth, std::int64_t stride, std::int64_t gate, const Cell& cell, float* to) {
  for (std::int64_t block = 0; block < cell.blocks(); ++block) {
    float* panel = to + (block * cell.gates + gate) * depth * kPanel;
    const std::int64_t width = std::min(kPanel, cell.hidden - block * kPanel);
    for (std::int64_t k = 0; k < depth; ++k) std::copy_n(from + k * stride + block * kPanel, width, panel + k * kPanel);
  }
}

Cell cell_like(const Arrays& arrays, std::int64_t gates, const char* inputs) {
  Cell cell;
  cell.steps = arrays.size("T");
  cell.batch = arrays.size("B");
  cell.inputs = arrays.size(inputs);
  cell.hidden = arrays.size("H");
  cell.gates = gates;
  cell.x = arrays.in("x");
  cell.y = arrays.out("y");
  cell.input_weights = floats(cell.inputs * gates * cell.padded());
  cell.state_weights = floats(cell.hidden * gates * cell.padded());
  cell.input_bias = floats(gates * cell.padded());
  cell.state_bias = floats(gates * cell.padded());
  return cell;
}

/// A GRU's or LSTM's: all gates of the inputs in one matrix, of the state in another.
Cell gated_cell(const Arrays& arrays, std::int64_t gates) {
  Cell cell = cell_like(arrays, gates, "I");
  const std::int64_t stride = gates * cell.hidden;
  for (std::int64_t g = 0; g < gates; ++g) {
    pack(arrays.in("W") + g * cell.hidden, cell.inputs, stride, g, cell, cell.input_weights.get());
    pack(arrays.in("R") + g * cell.hidden, cell.hidden, stride, g, cell, cell.state_weights.get());
    pack(arrays.in("Wb") + g * cell.hidden, 1, stride, g, cell, cell.input_bias.get());
    pack(arrays.in("Rb") + g * cell.hidden, 1, stride, g, cell, cell.state_bias.get());
  }
  return cell;
}

/// Rows of `hidden` floats to rows of padded(), or back.
void copy_rows(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride, const Cell& cell) {
  for (std::int64_t b = 0; b < cell.batch; ++b) std::copy_n(from + b * from_stride, cell.hidden, to + b * to_stride);
}

/// One vector of hidden units: `own` and `from_h` point at its lanes in the first gate, other gates lie kPanel behind.
/// Gives the next h.
struct Gru {
  Vec operator()(const float* from_x, const float* from_h, Vec h, float* /*more*/) const {
    const Vec z = sigmoid_of(load(from_x) + load(from_h));
    const Vec r = sigmoid_of(load(from_x + kPanel) + load(from_h + kPanel));
    const Vec n = tanh_of(load(from_x + 2 * kPanel) + r * load(from_h + 2 * kPanel));
    return n + z * (h - n);
  }
};
struct Lstm {
  Vec operator()(const float* from_x, const float* from_h, Vec /*h*/, float* more) const {
    const Vec i = sigmoid_of(load(from_x) + load(from_h));
    const Vec o = sigmoid_of(load(from_x + kPanel) + load(from_h + kPanel));
    const Vec f = sigmoid_of(load(from_x + 2 * kPanel) + load(from_h + 2 * kPanel));
    const Vec n = tanh_of(load(from_x + 3 * kPanel) + load(from_h + 3 * kPanel));
    const Vec c = f * load(more) + i * n;
    store(more, c);
    return o * tanh_of(c);
  }
};
struct MinGru {
  Vec operator()(const float* from_x, const float* /*from_h*/, Vec h, float* /*more*/) const {
    const Vec z = sigmoid_of(load(from_x));
    return h + z * (load(from_x + kPanel) - h);
  }
};

/// Rows of inputs that are multiplied at once: enough that a panel of weights pays for being read.
constexpr std::int64_t kRowsAtOnce = 96;

/// Scratch of a run, shared by its threads; each writes to its own blocks.
struct Scratch {
  Floats from_x, from_h;  // [rows][padded * gates], in the order of panels
  Floats h[2];            // [batch][padded], before and after a step
  Floats more;            // the second state of an LSTM
};

template <class Law, bool kFeedback>
void run_part(const Cell& cell, const Scratch& scratch, Part blocks, Team& team, int threads) {
  const std::int64_t width = cell.gates * cell.padded(), first = blocks.begin * cell.gates;
  const std::int64_t panels = (blocks.end - blocks.begin) * cell.gates;
  const std::int64_t at_once = std::max<std::int64_t>(1, kRowsAtOnce / cell.batch);
  const auto add_to = [&](const Floats& to, const Floats& bias) {
    return [&to, width, first, b = bias.get()](std::int64_t r, std::int64_t v, Vec sum) {
      const std::int64_t column = first * kPanel + v * kLanes;
      store(to.get() + r * width + column, sum + load(b + column));
    };
  };
  for (std::int64_t t = 0; t < cell.steps; ++t) {
    const float* h = scratch.h[t % 2].get();
    float* next = scratch.h[(t + 1) % 2].get();
    if (t % at_once == 0) {
      const std::int64_t rows = std::min(at_once, cell.steps - t) * cell.batch;
      product(cell.x + t * cell.batch * cell.inputs, cell.inputs, rows,
              cell.input_weights.get() + first * cell.inputs * kPanel, cell.inputs, panels,
              add_to(scratch.from_x, cell.input_bias));
    }
    if constexpr (kFeedback) {
      product(h, cell.padded(), cell.batch, cell.state_weights.get() + first * cell.hidden * kPanel, cell.hidden,
              panels, add_to(scratch.from_h, cell.state_bias));
    }
    for (std::int64_t b = 0; b < cell.batch; ++b) {
      const float* from_x = scratch.from_x.get() + ((t % at_once) * cell.batch + b) * width;
      const float* from_h = scratch.from_h.get() + b * width;
      for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        for (std::int64_t v = 0; v < kPanel; v += kLanes) {
          const std::int64_t at = b * cell.padded() + block * kPanel + v, column = block * cell.gates * kPanel + v;
          store(next + at, Law()(from_x + column, from_h + column, load(h + at), scratch.more.get() + at));
        }
      }
      const std::int64_t begin = blocks.begin * kPanel, end = std::min(blocks.end * kPanel, cell.hidden);
      std::copy(next + b * cell.padded() + begin, next + b * cell.padded() + end,
                cell.y + (t * cell.batch + b) * cell.hidden + begin);
    }
    if constexpr (kFeedback) team.wait(threads);
  }
}

template <class Law, bool kFeedback>
Kernel make(const Cell& cell, const Arrays& arrays, Team& team) {
  const std::int64_t width = cell.gates * cell.padded();
  const std::int64_t at_once = std::max<std::int64_t>(1, kRowsAtOnce / cell.batch);
  const Scratch scratch{floats(at_once * cell.batch * width),
                        floats(cell.batch * width),
                        {floats(cell.batch * cell.padded()), floats(cell.batch * cell.padded())},
                        floats(cell.batch * cell.padded())};
  // What a step or, where threads never meet, the whole run multiplies, at 50 a nanosecond. Meeting takes a fraction of
  // a microsecond.
  const std::int64_t rows = kFeedback ? cell.batch : cell.steps * cell.batch;
  const double work = static_cast<double>(rows * width * (kFeedback ? cell.hidden : cell.inputs)) / 50;
  return [cell, scratch, &arrays, &team, threads = team.worth(kFeedback ? 15 * work : work)] {
    const bool two = arrays.inputs.count("c") != 0;
    copy_rows(arrays.in("h"), cell.hidden, scratch.h[0].get(), cell.padded(), cell);
    if (two) copy_rows(arrays.in("c"), cell.hidden, scratch.more.get(), cell.padded(), cell);
    team.run(threads,
             [&](int i) { run_part<Law, kFeedback>(cell, scratch, part(cell.blocks(), i, threads), team, threads); });
    copy_rows(scratch.h[cell.steps % 2].get(), cell.padded(), arrays.out("h_final"), cell.hidden, cell);
    if (two) copy_rows(scratch.more.get(), cell.padded(), arrays.out("c_final"), cell.hidden, cell);
  };
}

}  // namespace

Kernel make_mingru(const Arrays& arrays, Team& team) {
  Cell cell = cell_like(arrays, 2, "D");
  pack(arrays.in("Wz"), cell.inputs, cell.hidden, 0, cell, cell.input_weights.get());
  pack(arrays.in("Wh"), cell.inputs, cell.hidden, 1, cell, cell.input_weights.get());
  return make<MinGru, false>(cell, arrays, team);
}
Kernel make_gru(const Arrays& arrays, Team& team) { return make<Gru, true>(gated_cell(arrays, 3), arrays, team); }
Kernel make_lstm(const Arrays& arrays, Team& team) { return make<Lstm, true>(gated_cell(arrays, 4), arrays, team); }

}  // namespace pawl::bench
