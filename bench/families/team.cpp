#include "team.h"

#include <algorithm>

namespace pawl::bench {
namespace {

constexpr int kSpins = 4000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Spins, then lets other threads in, until ready() says so.
template <class F>
void spin_until(F&& ready) {
  for (int spins = 0; !ready(); ++spins) {
    if (spins < kSpins) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace

Team::Team(int threads) : size_(threads) {
  for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
}

Team::~Team() {
  stop_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(int count, const std::function<void(int)>& work) {
  if (count <= 1) {
    work(0);
    return;
  }
  work_ = &work;
  count_ = count;
  running_.store(size_ - 1, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  work(0);
  spin_until([&] { return running_.load(std::memory_order_acquire) == 0; });
}

void Team::serve(int index) {
  for (std::uint32_t seen = 0;;) {
    for (int spins = 0; spins < kSpins && round_.load(std::memory_order_acquire) == seen; ++spins) pause();
    round_.wait(seen, std::memory_order_acquire);
    ++seen;
    if (stop_) return;
    if (index < count_) (*work_)(index);
    running_.fetch_sub(1, std::memory_order_release);
  }
}

void Team::wait(int count) {
  if (count <= 1) return;
  const std::uint32_t now = barrier_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count) {
    arrived_.store(0, std::memory_order_relaxed);
    barrier_.store(now + 1, std::memory_order_release);
    return;
  }
  spin_until([&] { return barrier_.load(std::memory_order_acquire) != now; });
}

Part part(std::int64_t total, int i, int n, std::int64_t unit) {
  const std::int64_t units = (total + unit - 1) / unit;
  return {std::min(total, units * i / n * unit), std::min(total, units * (i + 1) / n * unit)};
}

}  // namespace pawl::bench
