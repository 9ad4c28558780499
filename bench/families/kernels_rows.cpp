// Families that work on each channel by itself. Some channels at a time, whose states stay in registers over all steps;
// where the output is written past the caches, row after row, states in the first-level cache. Threads share the
// channels.
#include <algorithm>
#include <array>
#include <utility>

#include "kernels.h"
#include "vec.h"

namespace pawl::bench {
namespace {

// A law says what one step does to a channel: states s, inputs x, constants k; what it returns is stacked. V is a
// vector or a float.
struct Cumsum {
  static constexpr int kStates = 1, kInputs = 1, kConstants = 0;
  template <class V>
  static V step(V* s, const V* x, const V*) {
    return s[0] += x[0];
  }
};
struct Affine {
  static constexpr int kStates = 1, kInputs = 2, kConstants = 0;
  template <class V>
  static V step(V* s, const V* x, const V*) {
    return s[0] = x[0] * s[0] + x[1];
  }
};
struct Ema {
  static constexpr int kStates = 1, kInputs = 1, kConstants = 2;
  template <class V>
  static V step(V* s, const V* x, const V* k) {
    const V driven = x[0] * k[1];
    return s[0] = s[0] * k[0] + driven;
  }
};
struct Biquad {
  static constexpr int kStates = 2, kInputs = 1, kConstants = 5;
  template <class V>
  static V step(V* s, const V* x, const V* k) {
    const V y = x[0] * k[0] + s[0];
    const V from_x = x[0] * k[1] + s[1];
    s[0] = from_x - y * k[3];
    s[1] = x[0] * k[2] - y * k[4];
    return y;
  }
};
struct Runmax {
  static constexpr int kStates = 1, kInputs = 1, kConstants = 0;
  template <class V>
  static V step(V* s, const V* x, const V*) {
    return s[0] = s[0] > x[0] ? s[0] : x[0];
  }
};

/// All arrays of a run: rows of C floats.
template <class Law>
struct Rows {
  std::int64_t steps = 0, channels = 0;
  std::array<const float*, Law::kStates> first{};
  std::array<float*, Law::kStates> last{};
  std::array<const float*, Law::kInputs> x{};
  std::array<Floats, std::max(Law::kConstants, 1)> constants;
  float* y = nullptr;
};

template <class Law, class V>
struct Lane {
  V s[Law::kStates];
  V k[std::max(Law::kConstants, 1)];

  template <class States>
  Lane(const States& states, const Rows<Law>& rows, std::int64_t c) {
    for (int i = 0; i < Law::kStates; ++i) s[i] = load<V>(states[i] + c);
    for (int i = 0; i < Law::kConstants; ++i) k[i] = load<V>(rows.constants[i].get() + c);
  }
  void finish(const Rows<Law>& rows, std::int64_t c) const {
    for (int i = 0; i < Law::kStates; ++i) store(rows.last[i] + c, s[i]);
  }
  V step(const Rows<Law>& rows, std::int64_t at) {
    V x[Law::kInputs];
    for (int i = 0; i < Law::kInputs; ++i) x[i] = load<V>(rows.x[i] + at);
    return Law::step(s, x, k);
  }
};

/// Channels [c, c + vectors of V) over all steps, in registers.
template <class Law, class V, std::size_t... I>
void columns(const Rows<Law>& rows, std::int64_t c, std::index_sequence<I...>) {
  constexpr std::int64_t kWidth = sizeof(V) / 4;
  Lane<Law, V> lanes[] = {Lane<Law, V>(rows.first, rows, c + static_cast<std::int64_t>(I) * kWidth)...};
  for (std::int64_t t = 0, at = c; t < rows.steps; ++t, at += rows.channels)
    (store(rows.y + at + I * kWidth, lanes[I].step(rows, at + static_cast<std::int64_t>(I) * kWidth)), ...);
  (lanes[I].finish(rows, c + static_cast<std::int64_t>(I) * kWidth), ...);
}

/// Row after row of channels [c, end), a multiple of a vector, past the caches.
template <class Law>
void rows_of(const Rows<Law>& rows, std::int64_t c, std::int64_t end) {
  for (int i = 0; i < Law::kStates; ++i) std::copy(rows.first[i] + c, rows.first[i] + end, rows.last[i] + c);
  for (std::int64_t t = 0; t < rows.steps; ++t) {
    for (std::int64_t j = c; j < end; j += kLanes) {
      Lane<Law, Vec> lane(rows.last, rows, j);
      stream(rows.y + t * rows.channels + j, lane.step(rows, t * rows.channels + j));
      lane.finish(rows, j);
    }
  }
  finish_streams();
}

/// Registers that states and constants of so many vectors take: at most 16, or two vectors.
template <class Law>
constexpr std::size_t kVectors = Law::kStates + Law::kConstants <= 2 ? 8 : 4;

template <class Law>
void range(const Rows<Law>& rows, Part channels, bool streaming) {
  std::int64_t c = channels.begin;
  constexpr std::int64_t kBlock = static_cast<std::int64_t>(kVectors<Law>) * kLanes;
  if (streaming) {
    rows_of(rows, c, channels.end);
    return;
  }
  for (; channels.end - c >= kBlock; c += kBlock) columns<Law, Vec>(rows, c, std::make_index_sequence<kVectors<Law>>());
  for (; channels.end - c >= 4 * kLanes; c += 4 * kLanes) columns<Law, Vec>(rows, c, std::make_index_sequence<4>());
  for (; channels.end - c >= kLanes; c += kLanes) columns<Law, Vec>(rows, c, std::make_index_sequence<1>());
  for (; channels.end - c >= 8; c += 8) columns<Law, Vec8>(rows, c, std::make_index_sequence<1>());
  for (; channels.end - c >= 4; c += 4) columns<Law, Vec4>(rows, c, std::make_index_sequence<1>());
  for (; c < channels.end; ++c) columns<Law, float>(rows, c, std::make_index_sequence<1>());
}

template <class Law>
Kernel make(Rows<Law> rows, Team& team) {
  const std::int64_t moved = rows.steps * rows.channels * (Law::kInputs + 1) * 4;
  const bool streaming = rows.steps * rows.channels * 4 >= kStreamBytes && rows.channels % kLanes == 0;
  return [rows, streaming, &team, threads = team.worth(0.05 * static_cast<double>(moved))] {
    team.run(threads, [&](int i) { range(rows, part(rows.channels, i, threads, kLanes), streaming); });
  };
}

template <class Law>
Rows<Law> rows_like(const Arrays& arrays, std::array<const char*, Law::kStates> states,
                    std::array<const char*, Law::kInputs> inputs) {
  Rows<Law> rows;
  rows.steps = arrays.size("T");
  rows.channels = arrays.size("C");
  for (int i = 0; i < Law::kStates; ++i) {
    rows.first[i] = arrays.in(states[i]);
    rows.last[i] = arrays.out((std::string(states[i]) + "_final").c_str());
  }
  for (int i = 0; i < Law::kInputs; ++i) rows.x[i] = arrays.in(inputs[i]);
  rows.y = arrays.out("y");
  return rows;
}

}  // namespace

Kernel make_cumsum(const Arrays& arrays, Team& team) { return make(rows_like<Cumsum>(arrays, {"h"}, {"x"}), team); }
Kernel make_affine(const Arrays& arrays, Team& team) {
  return make(rows_like<Affine>(arrays, {"h"}, {"a", "b"}), team);
}
Kernel make_runmax(const Arrays& arrays, Team& team) { return make(rows_like<Runmax>(arrays, {"h"}, {"x"}), team); }

Kernel make_ema(const Arrays& arrays, Team& team) {
  Rows<Ema> rows = rows_like<Ema>(arrays, {"h"}, {"x"});
  const float alpha = *arrays.in("alpha");
  for (auto& constant : rows.constants) constant = floats(rows.channels);
  std::fill_n(rows.constants[0].get(), rows.channels, alpha);
  std::fill_n(rows.constants[1].get(), rows.channels, 1 - alpha);
  return make(std::move(rows), team);
}

Kernel make_biquad(const Arrays& arrays, Team& team) {
  Rows<Biquad> rows = rows_like<Biquad>(arrays, {"s1", "s2"}, {"x"});
  const char* names[] = {"b0", "b1", "b2", "a1", "a2"};
  for (int i = 0; i < 5; ++i) {
    rows.constants[i] = floats(rows.channels);
    std::copy_n(arrays.in(names[i]), rows.channels, rows.constants[i].get());
  }
  return make(std::move(rows), team);
}

}  // namespace pawl::bench
