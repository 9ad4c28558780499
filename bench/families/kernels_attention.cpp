// Mamba's selective scan and linear attention: a matrix of state for each head or group of channels. A few steps at a
// time, so that rows are read whole and the state of one matrix stays in registers or the first-level cache meanwhile.
#include <algorithm>

#include "kernels.h"
#include "vec.h"

namespace pawl::bench {
namespace {

constexpr std::int64_t kSteps = 16;

// ---- Mamba: lanes are channels, the N states of a channel are N vectors.

struct Mamba {
  std::int64_t steps = 0, batch = 0, channels = 0, states = 0;
  const float *step = nullptr, *b = nullptr, *c = nullptr, *x = nullptr;
  float* y = nullptr;
  Floats rates;  // [channels / 16][states][16], times log2(e)
  Floats h;      // [batch][channels / 16][states][16]

  [[nodiscard]] std::int64_t groups() const { return (channels + kLanes - 1) / kLanes; }
};

/// One step of one group: h in place, gives y.
template <std::int64_t N>
inline Vec mamba_step(Vec* h, const float* rates, std::int64_t states, Vec step, Vec x, const float* b,
                      const float* c) {
  const Vec driven = step * x;
  const std::int64_t count = N == 0 ? states : N;
  Vec y[2] = {};
#pragma GCC unroll 16
  for (std::int64_t n = 0; n < count; ++n) {
    const Vec decay = exp2_of(highest(step * load(rates + n * kLanes), splat(-126.0F)));
    h[n] = decay * h[n] + driven * b[n];
    y[n % 2] += h[n] * c[n];
  }
  return y[0] + y[1];
}

template <std::int64_t N>
void mamba_block(const Mamba& m, std::int64_t batch, std::int64_t group, std::int64_t begin, std::int64_t end) {
  const std::int64_t width = std::min(kLanes, m.channels - group * kLanes), size = m.states * kLanes;
  float* kept = m.h.get() + (batch * m.groups() + group) * size;
  const float* rates = m.rates.get() + group * size;
  Vec own[N == 0 ? 1 : N];
  Vec* h = own;
  if constexpr (N == 0) {
    h = reinterpret_cast<Vec*>(kept);
  } else {
    for (std::int64_t n = 0; n < N; ++n) own[n] = load(kept + n * kLanes);
  }
  for (std::int64_t t = begin; t < end; ++t) {
    const std::int64_t row = t * m.batch + batch, at = row * m.channels + group * kLanes;
    const Vec y = mamba_step<N>(h, rates, m.states, load_some(m.step + at, width), load_some(m.x + at, width),
                                m.b + row * m.states, m.c + row * m.states);
    store_some(m.y + at, width, y);
  }
  if constexpr (N != 0)
    for (std::int64_t n = 0; n < N; ++n) store(kept + n * kLanes, own[n]);
}

/// [channels][states] to [group][states][16], or back.
void regroup(const Mamba& m, const float* from, float* to, bool back) {
  for (std::int64_t d = 0; d < m.channels; ++d) {
    for (std::int64_t n = 0; n < m.states; ++n) {
      const std::int64_t plain = d * m.states + n, grouped = (d / kLanes * m.states + n) * kLanes + d % kLanes;
      to[back ? plain : grouped] = from[back ? grouped : plain];
    }
  }
}

void mamba_part(const Mamba& m, Part units) {
  for (std::int64_t t = 0; t < m.steps; t += kSteps) {
    for (std::int64_t unit = units.begin; unit < units.end; ++unit) {
      const std::int64_t batch = unit / m.groups(), group = unit % m.groups(), end = std::min(m.steps, t + kSteps);
      if (m.states == 16) {
        mamba_block<16>(m, batch, group, t, end);
      } else {
        mamba_block<0>(m, batch, group, t, end);
      }
    }
  }
}

// ---- Linear attention: rows of the state are Dv floats; four steps go over it at once.

struct Linear {
  std::int64_t steps = 0, heads = 0, keys = 0, values = 0;  // heads of all batch rows
  const float *q = nullptr, *k = nullptr, *v = nullptr;
  float* y = nullptr;
  Floats s;  // [heads][keys][padded]

  [[nodiscard]] std::int64_t padded() const { return (values + kLanes - 1) / kLanes * kLanes; }
};

/// S steps from t of V vectors of one head's values, from column `c`.
template <int S, int V>
void linear_tile(const Linear& l, std::int64_t head, std::int64_t t, std::int64_t c) {
  Vec v[S][V], y[S][V] = {};
  const float *q[S], *k[S];
  const std::int64_t width = l.values - c;
  for (int i = 0; i < S; ++i) {
    const std::int64_t row = (t + i) * l.heads + head;
    q[i] = l.q + row * l.keys;
    k[i] = l.k + row * l.keys;
    for (int j = 0; j < V; ++j) v[i][j] = load_some(l.v + row * l.values + c + j * kLanes, width - j * kLanes);
  }
  float* s = l.s.get() + head * l.keys * l.padded() + c;
  for (std::int64_t d = 0; d < l.keys; ++d, s += l.padded()) {
    for (int j = 0; j < V; ++j) {
      Vec sum = load(s + j * kLanes);
      for (int i = 0; i < S; ++i) {
        sum += k[i][d] * v[i][j];
        y[i][j] += q[i][d] * sum;
      }
      store(s + j * kLanes, sum);
    }
  }
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < V; ++j)
      store_some(l.y + ((t + i) * l.heads + head) * l.values + c + j * kLanes, width - j * kLanes, y[i][j]);
}

template <int S>
void linear_steps(const Linear& l, std::int64_t head, std::int64_t t) {
  std::int64_t c = 0;
  for (; c + 2 * kLanes <= l.padded(); c += 2 * kLanes) linear_tile<S, 2>(l, head, t, c);
  for (; c < l.padded(); c += kLanes) linear_tile<S, 1>(l, head, t, c);
}

void linear_part(const Linear& l, Part heads) {
  for (std::int64_t t = 0; t < l.steps; t += kSteps) {
    const std::int64_t end = std::min(l.steps, t + kSteps);
    for (std::int64_t head = heads.begin; head < heads.end; ++head) {
      std::int64_t i = t;
      for (; i + 4 <= end; i += 4) linear_steps<4>(l, head, i);
      for (; i < end; ++i) linear_steps<1>(l, head, i);
    }
  }
}

}  // namespace

Kernel make_mamba1(const Arrays& arrays, Team& team) {
  Mamba m{arrays.size("T"),
          arrays.size("B"),
          arrays.size("D"),
          arrays.size("N"),
          arrays.in("step"),
          arrays.in("b"),
          arrays.in("c"),
          arrays.in("x"),
          arrays.out("y"),
          {},
          {}};
  const std::int64_t grouped = m.groups() * m.states * kLanes, plain = m.channels * m.states;
  m.rates = floats(grouped);
  m.h = floats(m.batch * grouped);
  regroup(m, arrays.in("A"), m.rates.get(), false);
  for (std::int64_t i = 0; i < grouped; ++i) m.rates[i] *= 1.44269504F;
  const std::int64_t units = m.batch * m.groups();
  return [=, &arrays, &team, threads = team.worth(0.4 * static_cast<double>(m.steps * m.batch * plain))] {
    for (std::int64_t b = 0; b < m.batch; ++b) regroup(m, arrays.in("h") + b * plain, m.h.get() + b * grouped, false);
    team.run(threads, [&](int i) { mamba_part(m, part(units, i, threads)); });
    for (std::int64_t b = 0; b < m.batch; ++b)
      regroup(m, m.h.get() + b * grouped, arrays.out("h_final") + b * plain, true);
  };
}

Kernel make_linattn(const Arrays& arrays, Team& team) {
  Linear l{arrays.size("T"),
           arrays.size("B") * arrays.size("H"),
           arrays.size("Dk"),
           arrays.size("Dv"),
           arrays.in("q"),
           arrays.in("k"),
           arrays.in("v"),
           arrays.out("y"),
           {}};
  const std::int64_t rows = l.heads * l.keys;
  l.s = floats(rows * l.padded());
  return [=, &arrays, &team, threads = team.worth(static_cast<double>(l.steps * rows * l.values) / 25)] {
    for (std::int64_t r = 0; r < rows; ++r)
      std::copy_n(arrays.in("s") + r * l.values, l.values, l.s.get() + r * l.padded());
    team.run(threads, [&](int i) { linear_part(l, part(l.heads, i, threads)); });
    for (std::int64_t r = 0; r < rows; ++r)
      std::copy_n(l.s.get() + r * l.padded(), l.values, arrays.out("s_final") + r * l.values);
  };
}

}  // namespace pawl::bench
