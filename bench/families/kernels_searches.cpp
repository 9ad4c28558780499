// The best path, and distances: everything against everything.
#include <algorithm>
#include <limits>

#include "products.h"

namespace pawl::bench {
namespace {

// ---- Viterbi: lanes are the states that are reached; the ones that they are reached from go by one after the other.

struct Viterbi {
  std::int64_t steps = 0, batch = 0, states = 0;
  const float* o = nullptr;
  std::int64_t* positions = nullptr;
  Floats moves;      // [states][padded]
  Floats before[2];  // [batch][padded]

  [[nodiscard]] std::int64_t padded() const { return (states + kLanes - 1) / kLanes * kLanes; }
};

using Half = std::int32_t __attribute__((vector_size(32)));
using Wide = std::int64_t __attribute__((vector_size(64)));

void store_positions(std::int64_t* to, Bits positions, std::int64_t width) {
  std::int32_t lanes[kLanes];
  std::memcpy(lanes, &positions, sizeof positions);
  if (width < kLanes) {
    std::copy_n(lanes, width, to);
    return;
  }
  for (int i = 0; i < 2; ++i) {
    Half half;
    std::memcpy(&half, lanes + 8 * i, sizeof half);
    const Wide wide = __builtin_convertvector(half, Wide);
    std::memcpy(to + 8 * i, &wide, sizeof wide);
  }
}

/// The best of what was seen so far, and where it came from.
struct Best {
  Vec value = splat(-std::numeric_limits<float>::infinity());
  Bits from{};

  void see(Vec through, Bits state) {
    from = through > value ? state : from;
    value = highest(through, value);
  }
};

/// Step t of R batch rows from b, V vectors of reached states from c. The states that they are reached from are split
/// among W that are looked at side by side.
template <int R, int V, int W>
void viterbi_tile(const Viterbi& w, std::int64_t t, std::int64_t b, std::int64_t c, const float* d, float* next) {
  Best best[R][V][W];
  const std::int64_t stride = w.padded(), each = (w.states + W - 1) / W;
  for (std::int64_t i = 0; i < each; ++i) {
    for (int k = 0; k < W; ++k) {
      // Past the end the last state is seen again, which changes nothing.
      const std::int64_t state = std::min(k * each + i, w.states - 1);
      for (int v = 0; v < V; ++v) {
        const Vec move = load(w.moves.get() + state * stride + c + v * kLanes);
        for (int r = 0; r < R; ++r)
          best[r][v][k].see(d[(b + r) * stride + state] + move, Bits{} + static_cast<std::int32_t>(state));
      }
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) {
      Best& first = best[r][v][0];
      for (int k = 1; k < W; ++k) first.see(best[r][v][k].value, best[r][v][k].from);
      const std::int64_t at = c + v * kLanes, row = (t * w.batch + b + r) * w.states, width = w.states - at;
      store_positions(w.positions + row + at, first.from, width);
      store(next + (b + r) * stride + at, first.value + load_some(w.o + row + at, width));
    }
  }
}

template <int R, int V, int W>
std::int64_t viterbi_columns(const Viterbi& w, std::int64_t t, std::int64_t b, std::int64_t c) {
  const float* d = w.before[t % 2].get();
  float* next = w.before[(t + 1) % 2].get();
  for (; c + V * kLanes <= w.padded(); c += V * kLanes) viterbi_tile<R, V, W>(w, t, b, c, d, next);
  return c;
}

void viterbi_part(const Viterbi& w, Part batch) {
  for (std::int64_t t = 0; t < w.steps; ++t) {
    std::int64_t b = batch.begin;
    for (; b + 4 <= batch.end; b += 4) viterbi_columns<4, 1, 2>(w, t, b, viterbi_columns<4, 2, 1>(w, t, b, 0));
    for (; b + 2 <= batch.end; b += 2) viterbi_columns<2, 1, 4>(w, t, b, viterbi_columns<2, 4, 1>(w, t, b, 0));
    for (; b < batch.end; ++b) viterbi_columns<1, 1, 4>(w, t, b, viterbi_columns<1, 4, 1>(w, t, b, 0));
  }
}

// ---- Distances: |x|² + |p|² - 2 x·p, the products by tiles.

struct Pairwise {
  std::int64_t rows = 0, points = 0, depth = 0;
  const float* x = nullptr;
  float* y = nullptr;
  Floats panels;   // [points / 32][depth][32]
  Floats squares;  // of points

  [[nodiscard]] std::int64_t count() const { return (points + kPanel - 1) / kPanel; }
};

void pack_points(const Pairwise& p, const float* points) {
  for (std::int64_t m = 0; m < p.points; ++m) {
    float* panel = p.panels.get() + m / kPanel * p.depth * kPanel + m % kPanel;
    float square = 0;
    for (std::int64_t k = 0; k < p.depth; ++k) {
      const float value = points[m * p.depth + k];
      panel[k * kPanel] = value;
      square += value * value;
    }
    p.squares[m] = square;
  }
}

void pairwise_part(const Pairwise& p, Part rows, bool streaming) {
  constexpr std::int64_t kAtOnce = 96;
  float own[kAtOnce];
  for (std::int64_t first = rows.begin; first < rows.end; first += kAtOnce) {
    const std::int64_t some = std::min(kAtOnce, rows.end - first);
    for (std::int64_t r = 0; r < some; ++r) {
      own[r] = 0;
      for (std::int64_t k = 0; k < p.depth; ++k) {
        const float value = p.x[(first + r) * p.depth + k];
        own[r] += value * value;
      }
    }
    const auto finish = [&](std::int64_t r, std::int64_t v, Vec sum) {
      const Vec distance = highest(load(p.squares.get() + v * kLanes) + own[r] - (sum + sum), Vec{});
      float* to = p.y + (first + r) * p.points + v * kLanes;
      const std::int64_t width = p.points - v * kLanes;
      if (streaming) {
        stream(to, distance);
      } else if (width > 0) {
        store_some(to, width, distance);
      }
    };
    product(p.x + first * p.depth, p.depth, some, p.panels.get(), p.depth, p.count(), finish);
  }
  if (streaming) finish_streams();
}

}  // namespace

Kernel make_viterbi(const Arrays& arrays, Team& team) {
  Viterbi w{arrays.size("T"), arrays.size("B"), arrays.size("K"), arrays.in("o"), arrays.positions, {}, {}};
  w.moves = floats(w.states * w.padded());
  for (Floats& each : w.before) each = floats(w.batch * w.padded());
  for (std::int64_t i = 0; i < w.states; ++i)
    std::copy_n(arrays.in("moves") + i * w.states, w.states, w.moves.get() + i * w.padded());
  // Threads would meet too often if they shared a batch row.
  const int worth = team.worth(static_cast<double>(w.steps * w.batch * w.states * w.states) / 16);
  return [=, &arrays, &team, threads = static_cast<int>(std::min<std::int64_t>(w.batch, worth))] {
    for (std::int64_t b = 0; b < w.batch; ++b)
      std::copy_n(arrays.in("d") + b * w.states, w.states, w.before[0].get() + b * w.padded());
    team.run(threads, [&](int i) { viterbi_part(w, part(w.batch, i, threads)); });
    for (std::int64_t b = 0; b < w.batch; ++b)
      std::copy_n(w.before[w.steps % 2].get() + b * w.padded(), w.states, arrays.out("d_final") + b * w.states);
  };
}

Kernel make_pairwise(const Arrays& arrays, Team& team) {
  Pairwise p{arrays.size("N"), arrays.size("M"), arrays.size("D"), arrays.in("x"), arrays.out("y"), {}, {}};
  p.panels = floats(p.count() * p.depth * kPanel);
  p.squares = floats(p.count() * kPanel);
  const bool streaming = p.rows * p.points * 4 >= kStreamBytes && p.points % kPanel == 0;
  return [=, &arrays, &team, threads = team.worth(static_cast<double>(p.rows * p.points * p.depth) / 50)] {
    const float* points = arrays.in("points");
    pack_points(p, points);
    std::copy_n(points, p.points * p.depth, arrays.out("points_final"));
    team.run(threads, [&](int i) { pairwise_part(p, part(p.rows, i, threads, kMostRows), streaming); });
  };
}

}  // namespace pawl::bench
