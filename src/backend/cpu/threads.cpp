#include "backend/cpu/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>  // pthread_sigmask
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "backend/cpu/pause.h"
#include "base/guard.h"

// Instead of oneTBB or pthreadpool: neither has threads in the child of a fork(), and with the latter a second caller
// waits for the first.

namespace pawl::cpu {
namespace {

/// How long a thread that waits looks before it sleeps: longer than what lies between two Scans of a small model.
constexpr std::chrono::microseconds kLook{50};
/// Looks from one reading of the clock to the next.
constexpr int kLooks = 32;

/// The cores of the process, which its first thread has: another one may have tied itself to one of them.
std::optional<cpu_set_t> allowed_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(getpid(), sizeof allowed, &allowed) != 0) return std::nullopt;
  return allowed;
}

/// Waits until `place` holds something else: looks for a while, then sleeps.
void await_change(const std::atomic<int>& place, int from) {
  const auto last = std::chrono::steady_clock::now() + kLook;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (place.load(std::memory_order_acquire) != from) return;
      pause();
    }
  } while (std::chrono::steady_clock::now() < last);
  place.wait(from, std::memory_order_acquire);
}

/// Stores a value that somebody may be sleeping for. In one order with the sleeper's own note that it sleeps, or the
/// two might miss each other.
void store_and_wake(std::atomic<int>& place, int value) {
  place.store(value, std::memory_order_seq_cst);
  place.notify_one();
}

/// Every `apart`-th part from `first` on, on one thread.
struct Share {
  int first = 0;
  int parts = 0;
  int apart = 1;
  const PartWork* work = nullptr;
  Result<void> done{};
  int failed = 0;  ///< the part whose error `done` is

  void run() {
    for (int part = first; part < parts; part += apart) {
      done = (*work)(part);
      failed = part;
      if (!done.ok()) return;
    }
  }
};

class Threads {
 public:
  Threads() : most_(usable_cores() - 1) {}

  /// Nothing when the threads are busy.
  std::optional<Result<void>> run(int parts, const PartWork& work, bool together) {
    if (busy_.exchange(true, std::memory_order_acquire)) return std::nullopt;
    const std::size_t helpers = start(std::min(parts - 1, most_));
    std::optional<Result<void>> done;
    if (helpers > 0 && (!together || helpers + 1 == static_cast<std::size_t>(parts)))
      done = share_out(helpers, parts, work, together);
    busy_.store(false, std::memory_order_release);
    return done;
  }

 private:
  /// A thread and what it is to do. `state` says whose the share is: the caller writes it while idle, whoever takes it
  /// from offered runs it.
  struct alignas(64) Helper {
    std::atomic<int> state{kIdle};
    Share share;
  };
  static constexpr int kIdle = 0;
  static constexpr int kOffered = 1;
  static constexpr int kRunning = 2;

  /// As many helpers as there can be, `wanted` at most. They take no signals: handlers run on the caller's threads.
  std::size_t start(int wanted) {
    const auto count = static_cast<std::size_t>(std::max(wanted, 0));
    if (helpers_.size() >= count) return count;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      while (helpers_.size() < count) {
        auto helper = std::make_unique<Helper>();
        helpers_.reserve(helpers_.size() + 1);
        std::thread(serve, helper.get()).detach();
        helpers_.push_back(std::move(helper));
      }
    } catch (const std::exception&) {  // no memory, or no more threads: those that there are will do
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return std::min(helpers_.size(), count);
  }

  static void serve(Helper* self) {
    if (const std::optional<cpu_set_t> allowed = allowed_cores()) sched_setaffinity(0, sizeof *allowed, &*allowed);
    for (;;) {
      await_change(self->state, kIdle);
      int offered = kOffered;
      if (!self->state.compare_exchange_strong(offered, kRunning)) continue;
      self->share.run();
      store_and_wake(self->state, kIdle);
    }
  }

  Result<void> share_out(std::size_t helpers, int parts, const PartWork& work, bool together) {
    const int apart = static_cast<int>(helpers) + 1;
    for (std::size_t i = 0; i < helpers; ++i) {
      helpers_[i]->share = {static_cast<int>(i) + 1, parts, apart, &work};
      store_and_wake(helpers_[i]->state, kOffered);
    }
    Share own{0, parts, apart, &work};
    own.run();
    // What nobody has begun is done here: to wake a thread may take longer.
    for (std::size_t i = 0; i < helpers && !together; ++i) {
      int offered = kOffered;
      if (helpers_[i]->state.compare_exchange_strong(offered, kIdle)) helpers_[i]->share.run();
    }
    for (std::size_t i = 0; i < helpers; ++i) {
      std::atomic<int>& state = helpers_[i]->state;
      for (int now = state.load(); now != kIdle; now = state.load()) await_change(state, now);
      const Share& share = helpers_[i]->share;
      if (!share.done.ok() && (own.done.ok() || share.failed < own.failed)) own = share;
    }
    return own.done;
  }

  const int most_;
  std::atomic<bool> busy_{false};
  std::vector<std::unique_ptr<Helper>> helpers_;  ///< of whoever set busy_
};

/// The threads of this process. Never destroyed: they may be asleep when the process ends. The child of a fork() has
/// only the thread that called it, and starts anew.
std::atomic<Threads*>& threads_here() {
  static std::atomic<Threads*> here{nullptr};
  return here;
}

Threads& threads() {
  std::atomic<Threads*>& here = threads_here();
  if (Threads* found = here.load(std::memory_order_acquire)) return *found;
  // Twice does no harm; a lock could be held by another thread at the moment of a fork.
  static std::atomic<bool> watched{false};
  if (!watched.load()) pthread_atfork(nullptr, nullptr, [] { threads_here().store(nullptr); });
  watched.store(true);
  auto made = std::make_unique<Threads>();
  Threads* other = nullptr;
  return here.compare_exchange_strong(other, made.get()) ? *made.release() : *other;
}

}  // namespace

Result<void> PartWork::operator()(int part) const {
  return guard([&] { return call_(work_, part); });
}

int usable_cores() {
  const std::optional<cpu_set_t> allowed = allowed_cores();
  int cores = allowed ? CPU_COUNT(&*allowed) : static_cast<int>(std::thread::hardware_concurrency());
  std::ifstream quota("/sys/fs/cgroup/cpu.max");
  std::int64_t time = 0;
  std::int64_t period = 0;
  if (quota >> time >> period && time > 0 && period > 0)
    cores = static_cast<int>(std::min<std::int64_t>(cores, (time + period - 1) / period));
  return std::max(cores, 1);
}

Result<void> run_parts(int parts, PartWork work) {
  if (parts > 1)
    if (std::optional<Result<void>> done = threads().run(parts, work, false)) return *std::move(done);
  Share all{0, parts, 1, &work};
  all.run();
  return all.done;
}

Result<bool> run_together(int parts, PartWork work) {
  if (parts == 1) {
    TRY(work(0));
    return true;
  }
  std::optional<Result<void>> done = threads().run(parts, work, true);
  if (!done) return false;
  TRY(*done);
  return true;
}

}  // namespace pawl::cpu
