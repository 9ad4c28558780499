// How long kernels take to compile, and how fast they run next to a copy of the same memory.
//   cpu_kernels
// Prints the best processor time of several compilations of a kernel of 12 operations: generated and compiled, from the
// disk, from memory; and the best of 30 runs of running sums over [8192, 1024] floats in several forms, in GB/s of what
// is read and written, with the best of 30 memcpys of as much.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include "backend/cpu/generate.h"
#include "backend/cpu/kernel_cache.h"
#include "backend/cpu/llvm_library.h"
#include "kernel/builder.h"

namespace {

using namespace pawl;
using expr::Op;
using kernel::Access;
using kernel::BufferId;
using kernel::Builder;
using kernel::Counter;
using kernel::Param;
using kernel::Program;
using kernel::Var;

double wall() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Of this process: other work on the machine does not count, as far as that goes.
double processor() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

template <class F>
std::vector<double> times(int count, const F& f, double (*now)() = wall) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) {
    const double start = now();
    f(i);
    all.push_back(now() - start);
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// A gated step of 12 operations.
Program twelve(double seed) {
  Builder b("twelve");
  const BufferId x = b.buffer("x", DType::f32, Access::in), s = b.buffer("s", DType::f32, Access::inout),
                 y = b.buffer("y", DType::f32, Access::out);
  const Param T = b.param("T"), C = b.param("C");
  b.lanes(
      C,
      [&](Counter c) {
        const auto after = b.steps(T, {b.load(s, c)}, [&](Counter t, std::span<const Var> state) {
          Var value = b.load(x, t * C + c);
          for (int i = 0; i < 5; ++i) {
            const Var factor = b.constant(DType::f32, seed + 0.125 * i);
            value = b.compute(Op::add, {b.compute(Op::multiply, {value, factor}), state[0]});
          }
          const Var next = b.compute(Op::maximum, {value, b.compute(Op::minimum, {state[0], value})});
          b.store(y, t * C + c, next);
          return std::vector{next};
        });
        b.store(s, c, after[0]);
      },
      4);
  return std::move(b).finish(true);
}

/// Running sums, `visit` steps of time while a vector of sums is in registers; 0: all of them.
Program sums(std::int64_t visit, int unroll, bool streaming) {
  Builder b("sums");
  const BufferId x = b.buffer("x", DType::f32, Access::in), s = b.buffer("s", DType::f32, Access::inout),
                 y = b.buffer("y", DType::f32, Access::out);
  const Param T = b.param("T"), C = b.param("C");
  const auto lanes = [&](const kernel::Form& first, const kernel::Form& count) {
    b.lanes(
        C,
        [&](Counter c) {
          const auto after = b.steps(count, {b.load(s, c)}, [&](Counter t, std::span<const Var> state) {
            const Var next = b.compute(Op::add, {state[0], b.load(x, first + t * C + c)});
            b.store(y, first + t * C + c, next, streaming);
            return std::vector{next};
          });
          b.store(s, c, after[0]);
        },
        unroll);
  };
  if (visit == 0) {
    lanes(0, T);
    return std::move(b).finish(true);
  }
  // T is the number of visits.
  b.steps(T, {}, [&](Counter v, std::span<const Var>) {
    lanes(v * visit * C, visit);
    return std::vector<Var>{};
  });
  return std::move(b).finish();
}

float* memory(std::size_t bytes) {
  constexpr std::size_t kHuge = std::size_t{2} << 20;
  const std::size_t size = (bytes + kHuge - 1) / kHuge * kHuge;
  void* all = mmap(nullptr, size + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) std::abort();
  auto* start = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(all) + kHuge - 1) / kHuge * kHuge);
  madvise(start, size, MADV_HUGEPAGE);
  std::memset(start, 0, size);
  return reinterpret_cast<float*>(start);
}

void measure_compilation(const cpu::Target& target) {
  std::string folder = (std::filesystem::temp_directory_path() / "pawl_bench_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return;
  constexpr int kCount = 21;
  const double first = times(1, [&](int) { (void)cpu::compile_with_llvm("", target); })[0];
  const double generated = times(kCount, [&](int i) { (void)cpu::generate(twelve(i), target); }, processor)[0];
  cpu::KernelCache cold(folder);
  (void)cold.get(twelve(-1), target);
  const double compiled = times(kCount, [&](int i) { (void)cold.get(twelve(i), target); }, processor)[0];
  cpu::KernelCache warm(folder);
  const double read = times(kCount, [&](int i) { (void)warm.get(twelve(i), target); }, processor)[0];
  const double known = times(kCount, [&](int i) { (void)warm.get(twelve(i), target); }, processor)[0];
  std::filesystem::remove_all(folder);
  fmt::print("{}: LLVM loaded {:.1f} ms; generated {:.2f}, compiled {:.2f}, from disk {:.3f}, from memory {:.3f} ms\n",
             target.name, first, generated, compiled, read, known);
}

void measure_sums(const cpu::Target& target, std::int64_t T, std::int64_t C) {
  const auto count = static_cast<std::size_t>(T * C);
  float* x = memory(4 * count);
  float* y = memory(4 * count);
  float* s = memory(4 * static_cast<std::size_t>(C));
  const double bytes = 8.0 * static_cast<double>(count);
  const auto rate = [&](double milliseconds) { return bytes / milliseconds * 1e-6; };
  const double copied = rate(times(30, [&](int) { std::memcpy(y, x, 4 * count); })[0]);
  fmt::print("{} [{}, {}]: memcpy {:.1f} GB/s", target.name, T, C, copied);
  cpu::KernelCache cache{std::filesystem::path{}};
  for (const std::int64_t visit : {0, 1, 8})
    for (const bool streaming : {false, true}) {
      const auto kernel = cache.get(sums(visit, 4, streaming), target);
      if (!kernel.ok()) continue;
      void* buffers[] = {x, s, y};
      const std::int64_t params[] = {visit == 0 ? T : T / visit, C};
      const double best = rate(times(30, [&](int) { (*kernel)->run(buffers, params, 0, C); })[0]);
      fmt::print("; {} steps{} {:.1f}", visit == 0 ? "all" : fmt::format("{}", visit), streaming ? " streaming" : "",
                 best);
    }
  fmt::print("\n");
}

}  // namespace

int main() {
  for (const char* name : {"sse2", "avx2", "avx512", "neon"}) {
    const auto target = cpu::target_by_name(name);
    if (!target || !cpu::runs_here(*target)) continue;
    measure_compilation(*target);
    measure_sums(*target, 8192, 1024);
    measure_sums(*target, 8192, 1023);
    measure_sums(*target, 64, 1024);
  }
}
