#include "tensor/row_copy.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pawl {
namespace {

constexpr std::int64_t kLine = 64;
/// Bytes ahead that lines are asked for that are going to be written.
constexpr std::int64_t kAhead = 2 * kLine;

/// Lines of units that lie side by side in the source, across lines of units that lie side by side in the target:
/// `source` and `target` are the bytes from line to line.
struct Crossing {
  const std::byte* from = nullptr;
  std::int64_t source = 0;
  std::byte* to = nullptr;
  std::int64_t target = 0;

  [[nodiscard]] Crossing at(std::int64_t source_line, std::int64_t target_line, std::int64_t unit) const {
    return {from + source_line * source + target_line * unit, source, to + target_line * target + source_line * unit,
            target};
  }
};

/// Source lines by target lines of a block that is done in vectors.
struct Extent {
  std::int64_t sources = 0;
  std::int64_t targets = 0;
};

// Lines come across lines by perfect shuffles: after log2(n) rounds of taking turns between the two halves of n lines,
// each line has one unit of each.

/// In vectors of 16 bytes, which every machine has.
template <std::size_t Unit>
struct Narrow {
  static constexpr std::int64_t kLines = 16 / static_cast<std::int64_t>(Unit);
  static constexpr Extent kBlock{kLines, kLines};
  using Vector [[gnu::vector_size(16)]] = std::uint8_t;

  /// Units of the first halves of both, in turns.
  static Vector low(Vector a, Vector b) {
    if constexpr (Unit == 1)
      return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    if constexpr (Unit == 2)
      return __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
    if constexpr (Unit == 4)
      return __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  }
  /// Units of the second halves of both, in turns.
  static Vector high(Vector a, Vector b) {
    if constexpr (Unit == 1)
      return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    if constexpr (Unit == 2)
      return __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
    if constexpr (Unit == 4)
      return __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
    return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }

  static void copy(const Crossing& block) {
    Vector lines[kLines], next[kLines];
    for (std::int64_t i = 0; i < kLines; ++i) std::memcpy(&lines[i], block.from + i * block.source, 16);
    for (std::int64_t round = 1; round < kLines; round *= 2) {
      for (std::int64_t i = 0; i < kLines / 2; ++i) {
        next[2 * i] = low(lines[i], lines[i + kLines / 2]);
        next[2 * i + 1] = high(lines[i], lines[i + kLines / 2]);
      }
      std::copy_n(next, kLines, lines);
    }
    for (std::int64_t i = 0; i < kLines; ++i) std::memcpy(block.to + i * block.target, &lines[i], 16);
  }

  static void copy_tile(const Crossing& tile, Extent extent) {
    for (std::int64_t i = 0; i < extent.sources; i += kBlock.sources)
      for (std::int64_t j = 0; j < extent.targets; j += kBlock.targets)
        copy(tile.at(i, j, static_cast<std::int64_t>(Unit)));
  }
};

/// All blocks of Way. Gathers: the source lines are the rows that lie far apart, otherwise the target lines are.
template <class Way, std::size_t Unit, bool Gathers>
void copy_blocks(const Crossing& all, Extent extent) {
  constexpr auto kUnit = static_cast<std::int64_t>(Unit);
  constexpr std::int64_t kPerLine = kLine / kUnit;
  for (std::int64_t s = 0; s < extent.sources; s += kPerLine) {
    for (std::int64_t t = 0; t < extent.targets; t += kPerLine) {
      const Extent end{std::min(s + kPerLine, extent.sources), std::min(t + kPerLine, extent.targets)};
      const Crossing tile = all.at(s, t, kUnit);
      if constexpr (!Gathers)
        for (std::int64_t i = 0; i < end.targets - t; ++i) __builtin_prefetch(tile.to + i * tile.target + kAhead, 1);
      Way::copy_tile(tile, {end.sources - s, end.targets - t});
    }
  }
}

#if defined(__x86_64__)

/// In vectors of 32 bytes: two blocks of 16 bytes side by side. The lines that lie far apart are read or written in
/// halves.
template <std::size_t Unit, bool Gathers>
struct Wide {
  static constexpr std::int64_t kLines = 16 / static_cast<std::int64_t>(Unit);
  static constexpr Extent kBlock{Gathers ? 2 * kLines : kLines, Gathers ? kLines : 2 * kLines};

  [[gnu::target("avx2")]] static void copy_tile(const Crossing& tile, Extent extent) {
    constexpr auto kUnit = static_cast<std::int64_t>(Unit);
    for (std::int64_t i = 0; i < extent.sources; i += kBlock.sources) {
      const std::byte* from = tile.from + i * tile.source;
      std::byte* to = tile.to + i * kUnit;
      for (std::int64_t j = 0; j < extent.targets; j += kBlock.targets) {
        copy({from, tile.source, to, tile.target});
        from += kBlock.targets * kUnit;
        to += kBlock.targets * tile.target;
      }
    }
  }

 private:
  [[gnu::target("avx2"), gnu::always_inline]] static inline __m256i low(__m256i a, __m256i b) {
    if constexpr (Unit == 1) return _mm256_unpacklo_epi8(a, b);
    if constexpr (Unit == 2) return _mm256_unpacklo_epi16(a, b);
    if constexpr (Unit == 4) return _mm256_unpacklo_epi32(a, b);
    return _mm256_unpacklo_epi64(a, b);
  }
  [[gnu::target("avx2"), gnu::always_inline]] static inline __m256i high(__m256i a, __m256i b) {
    if constexpr (Unit == 1) return _mm256_unpackhi_epi8(a, b);
    if constexpr (Unit == 2) return _mm256_unpackhi_epi16(a, b);
    if constexpr (Unit == 4) return _mm256_unpackhi_epi32(a, b);
    return _mm256_unpackhi_epi64(a, b);
  }

  [[gnu::target("avx2"), gnu::always_inline]] static inline void copy(const Crossing& block) {
    __m256i lines[kLines], next[kLines];
    for (std::int64_t i = 0; i < kLines; ++i) {
      const std::byte* first = block.from + i * block.source;
      if constexpr (Gathers) {
        const __m128i one = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first));
        const __m128i other = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first + kLines * block.source));
        lines[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(one), other, 1);
      } else {
        lines[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first));
      }
    }
    for (std::int64_t round = 1; round < kLines; round *= 2) {
      for (std::int64_t i = 0; i < kLines / 2; ++i) {
        next[2 * i] = low(lines[i], lines[i + kLines / 2]);
        next[2 * i + 1] = high(lines[i], lines[i + kLines / 2]);
      }
      for (std::int64_t i = 0; i < kLines; ++i) lines[i] = next[i];
    }
    for (std::int64_t i = 0; i < kLines; ++i) {
      std::byte* first = block.to + i * block.target;
      if constexpr (Gathers) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(first), lines[i]);
      } else {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(first), _mm256_castsi256_si128(lines[i]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(first + kLines * block.target),
                         _mm256_extracti128_si256(lines[i], 1));
      }
    }
  }
};

#endif

/// The source lines are done that fit into blocks, and so are the target lines.
template <std::size_t Unit, bool Gathers>
Extent copy_whole_blocks(const Crossing& all, Extent extent) {
  const auto whole = [&](Extent block) {
    return Extent{extent.sources / block.sources * block.sources, extent.targets / block.targets * block.targets};
  };
#if defined(__x86_64__)
  const Extent wide = whole(Wide<Unit, Gathers>::kBlock);
  if (wide.sources > 0 && wide.targets > 0 && __builtin_cpu_supports("avx2")) {
    copy_blocks<Wide<Unit, Gathers>, Unit, Gathers>(all, wide);
    return wide;
  }
#endif
  const Extent done = whole(Narrow<Unit>::kBlock);
  copy_blocks<Narrow<Unit>, Unit, Gathers>(all, done);
  return done;
}

template <std::size_t Unit>
void copy_one_by_one(const std::byte* from, Grid source, std::byte* to, Grid target, std::int64_t rows,
                     std::int64_t steps) {
  for (std::int64_t s = 0; s < steps; ++s)
    for (std::int64_t r = 0; r < rows; ++r)
      std::memcpy(to + r * target.row + s * target.step, from + r * source.row + s * source.step, Unit);
}

template <std::size_t Unit, bool Gathers>
void cross(const Crossing& all, Extent extent) {
  constexpr auto kUnit = static_cast<std::int64_t>(Unit);
  const Extent done = copy_whole_blocks<Unit, Gathers>(all, extent);
  const auto rest = [&](Extent begin, Extent end) {
    const Crossing part = all.at(begin.sources, begin.targets, kUnit);
    copy_one_by_one<Unit>(part.from, {all.source, kUnit}, part.to, {kUnit, all.target}, end.sources - begin.sources,
                          end.targets - begin.targets);
  };
  rest({done.sources, 0}, {extent.sources, done.targets});
  rest({0, done.targets}, extent);
}

template <std::size_t Unit>
void copy_units(const std::byte* from, Grid source, std::byte* to, Grid target, std::int64_t rows, std::int64_t steps) {
  constexpr auto kUnit = static_cast<std::int64_t>(Unit);
  constexpr std::int64_t kRows = Unit == 1 ? 32 : 16;
  for (std::int64_t r = 0; r < rows; r += kRows) {
    const std::int64_t count = std::min(kRows, rows - r);
    const std::byte* first = from + r * source.row;
    std::byte* into = to + r * target.row;
    if constexpr (Unit <= 8) {
      if (source.step == kUnit && target.row == kUnit) {
        cross<Unit, true>({first, source.row, into, target.step}, {count, steps});
        continue;
      }
      if (source.row == kUnit && target.step == kUnit) {
        cross<Unit, false>({first, source.step, into, target.row}, {steps, count});
        continue;
      }
    }
    copy_one_by_one<Unit>(first, source, into, target, count, steps);
  }
}

}  // namespace

void copy_rows(const std::byte* from, Grid source, std::byte* to, Grid target, std::int64_t rows, std::int64_t steps,
               std::size_t unit) {
  if (rows <= 0 || steps <= 0) return;
  // Steps that go down in the memory of all steps are done from the last one on.
  if (source.step < 0 || target.step < 0) {
    from += (steps - 1) * source.step;
    to += (steps - 1) * target.step;
    source.step = -source.step;
    target.step = -target.step;
  }
  switch (unit) {
    case 1: return copy_units<1>(from, source, to, target, rows, steps);
    case 2: return copy_units<2>(from, source, to, target, rows, steps);
    case 4: return copy_units<4>(from, source, to, target, rows, steps);
    case 8: return copy_units<8>(from, source, to, target, rows, steps);
    case 16: return copy_units<16>(from, source, to, target, rows, steps);
    case 32: return copy_units<32>(from, source, to, target, rows, steps);
    default: break;
  }
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t s = 0; s < steps; ++s)
      std::memcpy(to + r * target.row + s * target.step, from + r * source.row + s * source.step, unit);
}

}  // namespace pawl
