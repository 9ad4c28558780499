#include "backend/cpu/row_copy.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pawl::cpu {
namespace {

constexpr std::int64_t kLine = 64;
/// Rows at a time.
constexpr std::int64_t kTileRows = 16;
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

/// Vectors of 16 bytes, which every machine has.
template <std::size_t Unit>
struct NarrowBlock;

template <>
struct NarrowBlock<4> {
  static constexpr Extent kBlock{4, 4};
  using Vector [[gnu::vector_size(16)]] = std::uint32_t;

  static void copy(const Crossing& block) {
    Vector in[4];
    for (std::int64_t i = 0; i < 4; ++i) std::memcpy(&in[i], block.from + i * block.source, 16);
    const Vector a = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5);
    const Vector b = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
    const Vector c = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5);
    const Vector d = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
    const Vector out[4] = {__builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(a, c, 2, 3, 6, 7),
                           __builtin_shufflevector(b, d, 0, 1, 4, 5), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
    for (std::int64_t i = 0; i < 4; ++i) std::memcpy(block.to + i * block.target, &out[i], 16);
  }
};

template <>
struct NarrowBlock<8> {
  static constexpr Extent kBlock{2, 2};
  using Vector [[gnu::vector_size(16)]] = std::uint64_t;

  static void copy(const Crossing& block) {
    Vector a, b;
    std::memcpy(&a, block.from, 16);
    std::memcpy(&b, block.from + block.source, 16);
    const Vector first = __builtin_shufflevector(a, b, 0, 2);
    const Vector second = __builtin_shufflevector(a, b, 1, 3);
    std::memcpy(block.to, &first, 16);
    std::memcpy(block.to + block.target, &second, 16);
  }
};

template <std::size_t Unit>
struct Narrow {
  static constexpr Extent kBlock = NarrowBlock<Unit>::kBlock;

  static void copy_tile(const Crossing& tile, Extent extent) {
    for (std::int64_t i = 0; i < extent.sources; i += kBlock.sources)
      for (std::int64_t j = 0; j < extent.targets; j += kBlock.targets)
        NarrowBlock<Unit>::copy(tile.at(i, j, static_cast<std::int64_t>(Unit)));
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

/// Vectors of 32 bytes: two blocks of 16 bytes side by side. The lines that lie far apart are read or written in
/// halves.
template <std::size_t Unit, bool Gathers>
struct Wide {
  static constexpr std::int64_t kLines = 16 / static_cast<std::int64_t>(Unit);
  static constexpr Extent kBlock{Gathers ? 2 * kLines : kLines, Gathers ? kLines : 2 * kLines};

  [[gnu::target("avx2"), gnu::always_inline]] static inline void copy(const Crossing& block) {
    __m256i v[kLines];
    for (std::int64_t i = 0; i < kLines; ++i) {
      const std::byte* first = block.from + i * block.source;
      if constexpr (Gathers) {
        const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first));
        const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first + kLines * block.source));
        v[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
      } else {
        v[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first));
      }
    }
    cross(v);
    for (std::int64_t i = 0; i < kLines; ++i) {
      std::byte* first = block.to + i * block.target;
      if constexpr (Gathers) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(first), v[i]);
      } else {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(first), _mm256_castsi256_si128(v[i]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(first + kLines * block.target), _mm256_extracti128_si256(v[i], 1));
      }
    }
  }

  [[gnu::target("avx2")]] static void copy_tile(const Crossing& tile, Extent extent) {
    constexpr auto kUnit = static_cast<std::int64_t>(Unit);
    const std::int64_t source = tile.source, target = tile.target;
    for (std::int64_t i = 0; i < extent.sources; i += kBlock.sources) {
      const std::byte* from = tile.from + i * source;
      std::byte* to = tile.to + i * kUnit;
      for (std::int64_t j = 0; j < extent.targets; j += kBlock.targets) {
        copy({from, source, to, target});
        from += kBlock.targets * kUnit;
        to += kBlock.targets * target;
      }
    }
  }

 private:
  [[gnu::target("avx2"), gnu::always_inline]] static inline void cross(__m256i (&v)[kLines]) {
    if constexpr (Unit == 4) {
      const __m256i a = _mm256_unpacklo_epi32(v[0], v[1]), b = _mm256_unpackhi_epi32(v[0], v[1]);
      const __m256i c = _mm256_unpacklo_epi32(v[2], v[3]), d = _mm256_unpackhi_epi32(v[2], v[3]);
      v[0] = _mm256_unpacklo_epi64(a, c);
      v[1] = _mm256_unpackhi_epi64(a, c);
      v[2] = _mm256_unpacklo_epi64(b, d);
      v[3] = _mm256_unpackhi_epi64(b, d);
    } else {
      const __m256i a = v[0];
      v[0] = _mm256_unpacklo_epi64(a, v[1]);
      v[1] = _mm256_unpackhi_epi64(a, v[1]);
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
  if (__builtin_cpu_supports("avx2")) {
    const Extent done = whole(Wide<Unit, Gathers>::kBlock);
    copy_blocks<Wide<Unit, Gathers>, Unit, Gathers>(all, done);
    return done;
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
  for (std::int64_t r = 0; r < rows; r += kTileRows) {
    const std::int64_t count = std::min(kTileRows, rows - r);
    const std::byte* first = from + r * source.row;
    std::byte* into = to + r * target.row;
    if constexpr (Unit == 4 || Unit == 8) {
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

}  // namespace pawl::cpu
