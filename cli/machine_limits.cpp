#include "machine_limits.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "backend/cpu/threads.h"
#include "pawl/tensor.h"

namespace pawl::cli {
namespace {

constexpr std::int64_t kCopied = std::int64_t{64} << 20;
constexpr int kRepeats = 6;
/// Independent sums: more than the fused operations that are under way at a time.
constexpr int kSums = 12;
constexpr std::int64_t kRounds = 200'000;

/// The shortest of several times, in seconds, that all parts take together.
template <class F>
double best_seconds(int threads, F&& part) {
  double best = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const Result<void> done = cpu::run_parts(threads, [&](int which) -> Result<void> {
      part(which);
      return {};
    });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (done.ok() && (best == 0 || seconds < best)) best = seconds;
  }
  return best;
}

/// Past the caches where there is a way.
void copy_streaming(std::byte* to, const std::byte* from, std::int64_t bytes) {
#if defined(__x86_64__)
  for (std::int64_t i = 0; i < bytes; i += 64)
    for (std::int64_t k = i; k < i + 64; k += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + k), _mm_load_si128(reinterpret_cast<const __m128i*>(from + k)));
  _mm_sfence();
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

double measure_copy(int threads) {
  Result<Tensor> from = Tensor::allocate(DType::u8, {kCopied});
  Result<Tensor> to = Tensor::allocate(DType::u8, {kCopied});
  if (!from.ok() || !to.ok()) return 0;
  std::memset(from->mutable_bytes(), 1, static_cast<std::size_t>(kCopied));
  std::memset(to->mutable_bytes(), 2, static_cast<std::size_t>(kCopied));
  const std::int64_t each = kCopied / threads / 64 * 64;
  const auto place = [&](int part) { return each * part; };
  const double plain = best_seconds(threads, [&](int part) {
    std::memcpy(to->mutable_bytes() + place(part), from->bytes() + place(part), static_cast<std::size_t>(each));
  });
  const double streaming = best_seconds(
      threads, [&](int part) { copy_streaming(to->mutable_bytes() + place(part), from->bytes() + place(part), each); });
  const double best = std::min(plain, streaming);
  return best > 0 ? 2.0 * static_cast<double>(each * threads) / best : 0;
}

#if defined(__x86_64__)
// Each returns a number that depends on all it did, so that all of it is done.
[[gnu::target("avx512f")]] float sums_avx512() {
  __m512 sums[kSums];
  for (__m512& sum : sums) sum = _mm512_set1_ps(1.0F);
  const __m512 factor = _mm512_set1_ps(0.999F);
  for (std::int64_t i = 0; i < kRounds; ++i)
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, factor, factor);
  for (int i = 1; i < kSums; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  return _mm512_cvtss_f32(sums[0]);
}

[[gnu::target("avx2,fma")]] float sums_avx2() {
  __m256 sums[kSums];
  for (__m256& sum : sums) sum = _mm256_set1_ps(1.0F);
  const __m256 factor = _mm256_set1_ps(0.999F);
  for (std::int64_t i = 0; i < kRounds; ++i)
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, factor);
  for (int i = 1; i < kSums; ++i) sums[0] = _mm256_add_ps(sums[0], sums[i]);
  return _mm256_cvtss_f32(sums[0]);
}
#endif

double measure_flops(int threads) {
  float (*sums)() = nullptr;
  double lanes = 0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) {
    sums = sums_avx512;
    lanes = 16;
  } else if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    sums = sums_avx2;
    lanes = 8;
  }
#endif
  if (sums == nullptr) return 0;
  std::vector<float> made(static_cast<std::size_t>(threads));
  const double best = best_seconds(threads, [&](int part) { made[static_cast<std::size_t>(part)] = sums(); });
  return best > 0 ? 2.0 * lanes * kSums * static_cast<double>(kRounds) * threads / best : 0;
}

}  // namespace

MachineLimits measure_limits(int threads) { return {measure_copy(threads), measure_flops(threads)}; }

}  // namespace pawl::cli
