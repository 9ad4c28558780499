// Sixteen floats at once, for the hand-written kernels: the compiler makes them one register or several.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace pawl::bench {

inline constexpr std::int64_t kLanes = 16;
using Vec = float __attribute__((vector_size(64)));
using Vec8 = float __attribute__((vector_size(32)));
using Vec4 = float __attribute__((vector_size(16)));
using Bits = std::int32_t __attribute__((vector_size(64)));

template <class V = Vec>
inline V load(const float* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class V>
inline void store(float* to, V v) {
  std::memcpy(to, &v, sizeof v);
}

/// Past the caches, where the machine can; `to` is aligned to 64 bytes.
inline void stream(float* to, Vec v) {
#if defined(__AVX512F__)
  _mm512_stream_ps(to, reinterpret_cast<__m512>(v));
#else
  store(to, v);
#endif
}

/// Makes streamed stores visible to other threads.
inline void finish_streams() {
#if defined(__AVX512F__)
  _mm_sfence();
#endif
}

/// The first `width` lanes, the rest zero; all 16 where width is more.
inline Vec load_some(const float* from, std::int64_t width) {
  if (width >= kLanes) return load(from);
  float lanes[kLanes] = {};
  std::copy_n(from, width, lanes);
  return load(lanes);
}
inline void store_some(float* to, std::int64_t width, Vec v) {
  if (width >= kLanes) return store(to, v);
  float lanes[kLanes];
  store(lanes, v);
  std::copy_n(lanes, width, to);
}

inline Vec splat(float x) { return Vec{} + x; }

/// b where one of them is NaN.
inline Vec highest(Vec a, Vec b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Vec>(_mm512_maskz_max_ps(0xffff, reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#else
  return a > b ? a : b;
#endif
}
inline Vec lowest(Vec a, Vec b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Vec>(_mm512_maskz_min_ps(0xffff, reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#else
  return a < b ? a : b;
#endif
}

inline Bits bits_of(Vec v) {
  Bits bits;
  std::memcpy(&bits, &v, sizeof v);
  return bits;
}
inline Vec from_bits(Bits bits) {
  Vec v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

// Added and taken away again, it rounds to an integer, which then are the lowest bits.
inline constexpr float kRound = 12582912.0F;

/// 2^x for x in [-126, 127.5], within 1 ULP.
inline Vec exp2_of(Vec x) {
  const Vec shifted = x + kRound;
  const Vec r = x - (shifted - kRound);
  Vec p = splat(0.00015467365F);
  p = p * r + 0.00134004322F;
  p = p * r + 0.00961803596F;
  p = p * r + 0.05550327214F;
  p = p * r + 0.24022651084F;
  p = p * r + 0.69314720671F;
  p = p * r + 1.0F;
  return from_bits(bits_of(p) + (bits_of(shifted) << 23));
}

/// e^x, held to [2^-126, 3e38], within 2 ULP.
inline Vec exp_of(Vec x) {
  x = highest(lowest(x, splat(88.37F)), splat(-87.33F));
  const Vec shifted = x * 1.44269504F + kRound;
  const Vec n = shifted - kRound;
  const Vec r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  Vec p = splat(0.00139464466F);
  p = p * r + 0.00836915169F;
  p = p * r + 0.04166626314F;
  p = p * r + 0.16666515989F;
  p = p * r + 0.50000000808F;
  p = p * r * r + r + 1.0F;
  return from_bits(bits_of(p) + (bits_of(shifted) << 23));
}

inline Vec sigmoid_of(Vec x) { return 1.0F / (1.0F + exp_of(-x)); }

/// Within 2 ULP: a polynomial near zero, exp elsewhere.
inline Vec tanh_of(Vec x) {
  const Vec s = x * x;
  Vec p = splat(-0.00570404403F);
  p = p * s + 0.02063786302F;
  p = p * s - 0.05373915706F;
  p = p * s + 0.13331431762F;
  p = p * s - 0.33333281285F;
  const Vec near = p * s * x + x;
  const Vec size = from_bits(bits_of(x) & 0x7fffffff);
  const Vec far = 1.0F - 2.0F / (exp_of(size + size) + 1.0F);
  return size < 0.625F ? near : from_bits(bits_of(far) | (bits_of(x) & INT32_MIN));
}

}  // namespace pawl::bench
