#include "attention_products.h"

#include <algorithm>
#include <utility>

#include "families/vec.h"

namespace pawl::bench {
namespace {

constexpr std::int64_t kRows = 4, kVectors = 4, kPanel = kVectors * kLanes;

/// sums[r][v] += Σ over n of a(r, n) * b[n][v].
///   a : rows `row` floats apart, entries of a row `entry`
template <std::int64_t R, std::int64_t V>
inline void multiply(Vec (&sums)[R][V], const float* a, std::int64_t row, std::int64_t entry, const float* b,
                     std::int64_t apart, std::int64_t depth) {
  for (std::int64_t n = 0; n < depth; ++n) {
    Vec right[V];
    for (std::int64_t v = 0; v < V; ++v) right[v] = load(b + n * apart + v * kLanes);
#pragma GCC unroll 4
    for (std::int64_t r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (std::int64_t v = 0; v < V; ++v) sums[r][v] += a[r * row + n * entry] * right[v];
  }
}

/// A chunk of C steps. The state lies in panels of 64 columns.
template <std::int64_t C>
class Chunks {
 public:
  Chunks(const Head& head, float* scratch) : head_(head) {
    const auto take = [&](std::int64_t floats) { return std::exchange(scratch, scratch + floats); };
    const std::int64_t keys = head.keys, values = head.values;
    state_ = take(keys * values);
    q_ = take(C * keys);
    k_ = take(C * keys);
    v_ = take(C * values);
    turned_ = take(C * keys);
    last_ = take(C * keys);
    learnt_ = take(C * values);
    std::fill_n(state_, keys * values, 0.0F);
  }
  static std::int64_t floats(const Head& head) {
    return head.keys * head.values + C * (4 * head.keys + 2 * head.values);
  }

  void run() {
    for (t_ = 0; t_ < head_.steps; t_ += C) {
      pack();
      find_decays();
      weigh(q_, seen_, false);
      if (head_.rate != nullptr) {
        weigh(k_, known_, true);
        learn();
      }
      read();
      update();
    }
  }

 private:
  [[nodiscard]] float rate(std::int64_t i) const { return head_.rate[(t_ + i) * head_.numbers_apart]; }

  void pack() {
    const std::int64_t keys = head_.keys;
    for (std::int64_t i = 0; i < C; ++i) {
      const std::int64_t at = (t_ + i) * head_.apart;
      for (std::int64_t d = 0; d < keys; d += kLanes) {
        store(q_ + i * keys + d, load(head_.q + at + d));
        const Vec key = load(head_.k + at + d);
        store(k_ + i * keys + d, key);
        for (std::int64_t e = 0; e < kLanes; ++e) turned_[(d + e) * C + i] = key[e];
      }
      for (std::int64_t d = 0; d < head_.values; d += kLanes) store(v_ + i * head_.values + d, load(head_.v + at + d));
    }
  }

  /// decays_[i][j]: what is left at step i of what came in at step j. Products of decays only, no quotients.
  void find_decays() {
    for (std::int64_t i = 0; i < C; ++i) {
      const float decay = head_.decay == nullptr ? 1 : head_.decay[(t_ + i) * head_.numbers_apart];
      from_start_[i] = i == 0 ? decay : from_start_[i - 1] * decay;
      for (std::int64_t j = 0; j < C; ++j) decays_[i][j] = j > i ? 0 : j == i ? 1 : decays_[i - 1][j] * decay;
    }
  }

  /// to[i][j] = decays[i][j] * (rows[i] · k[j]), times the rate of i.
  void weigh(const float* rows, float (&to)[C][C], bool rated) {
    for (std::int64_t i = 0; i < C; i += kRows) {
      Vec sums[kRows][C / kLanes] = {};
      multiply(sums, rows + i * head_.keys, head_.keys, 1, turned_, C, head_.keys);
      for (std::int64_t r = 0; r < kRows; ++r)
        for (std::int64_t v = 0; v < C / kLanes; ++v)
          store(&to[i + r][v * kLanes], sums[r][v] * load(&decays_[i + r][v * kLanes]) * (rated ? rate(i + r) : 1));
    }
  }

  template <class F>
  void over_panels(std::int64_t rows, F&& f) {
    for (std::int64_t column = 0; column < head_.values; column += kPanel)
      for (std::int64_t row = 0; row < rows; row += kRows) f(column, row);
  }

  /// learnt = b (v - a k S) - known, below the diagonal, times learnt: a triangular system, solved rows by rows.
  void learn() {
    const std::int64_t keys = head_.keys, values = head_.values;
    over_panels(C, [&](std::int64_t column, std::int64_t i) {
      Vec sums[kRows][kVectors] = {};
      multiply(sums, k_ + i * keys, keys, 1, state_ + column * keys, kPanel, keys);
      for (std::int64_t r = 0; r < kRows; ++r)
        for (std::int64_t v = 0; v < kVectors; ++v)
          sums[r][v] =
              rate(i + r) * (from_start_[i + r] * sums[r][v] - load(v_ + (i + r) * values + column + v * kLanes));
      multiply(sums, &known_[i][0], C, 1, learnt_ + column, values, i);
      for (std::int64_t r = 0; r < kRows; ++r)
        for (std::int64_t v = 0; v < kVectors; ++v) {
          const Vec solved = -sums[r][v];
          for (std::int64_t later = r + 1; later < kRows; ++later) sums[later][v] += known_[i + later][i + r] * solved;
          store(learnt_ + (i + r) * values + column + v * kLanes, solved);
        }
    });
  }

  [[nodiscard]] const float* added() const { return head_.rate == nullptr ? v_ : learnt_; }

  void read() {
    const std::int64_t keys = head_.keys;
    over_panels(C, [&](std::int64_t column, std::int64_t i) {
      Vec sums[kRows][kVectors] = {};
      multiply(sums, q_ + i * keys, keys, 1, state_ + column * keys, kPanel, keys);
      for (std::int64_t r = 0; r < kRows; ++r)
        for (std::int64_t v = 0; v < kVectors; ++v) sums[r][v] *= from_start_[i + r];
      multiply(sums, &seen_[i][0], C, 1, added() + column, head_.values, i + kRows);
      for (std::int64_t r = 0; r < kRows; ++r)
        for (std::int64_t v = 0; v < kVectors; ++v)
          store(head_.y + (t_ + i + r) * head_.apart + column + v * kLanes, sums[r][v]);
    });
  }

  void update() {
    const std::int64_t keys = head_.keys;
    for (std::int64_t i = 0; i < C; ++i)
      for (std::int64_t d = 0; d < keys; d += kLanes)
        store(last_ + i * keys + d, decays_[C - 1][i] * load(k_ + i * keys + d));
    over_panels(keys, [&](std::int64_t column, std::int64_t d) {
      float* state = state_ + column * keys + d * kPanel;
      Vec sums[kRows][kVectors];
      for (std::int64_t r = 0; r < kRows; ++r)
        for (std::int64_t v = 0; v < kVectors; ++v)
          sums[r][v] = from_start_[C - 1] * load(state + r * kPanel + v * kLanes);
      multiply(sums, last_ + d, 1, keys, added() + column, head_.values, C);
      for (std::int64_t r = 0; r < kRows; ++r)
        for (std::int64_t v = 0; v < kVectors; ++v) store(state + r * kPanel + v * kLanes, sums[r][v]);
    });
  }

  const Head& head_;
  std::int64_t t_ = 0;
  float *state_ = nullptr, *q_ = nullptr, *k_ = nullptr, *v_ = nullptr;
  float* turned_ = nullptr;  ///< keys, [keys][C]
  float* last_ = nullptr;    ///< keys, times what is left of them after the chunk
  float* learnt_ = nullptr;
  float from_start_[C] = {};
  float decays_[C][C] = {}, seen_[C][C] = {}, known_[C][C] = {};
};

}  // namespace

std::int64_t scratch_floats(const Head& head, std::int64_t chunk) {
  return chunk == 16 ? Chunks<16>::floats(head) : Chunks<32>::floats(head);
}

void attention_by_products(const Head& head, std::int64_t chunk, float* scratch) {
  if (chunk == 16)
    Chunks<16>(head, scratch).run();
  else
    Chunks<32>(head, scratch).run();
}

}  // namespace pawl::bench
