#include "backend/cpu/meeting.h"

#include <sched.h>

#include "backend/cpu/pause.h"

namespace pawl::cpu {
namespace {

/// Looks before a part gives its core away, which the one that it waits for may need: some 20 microseconds.
constexpr int kLooks = 1024;

}  // namespace

void Meeting::wait() {
  const unsigned round = round_.load(std::memory_order_relaxed);
  if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == parts_) {
    here_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    return;
  }
  for (int looks = 0; round_.load(std::memory_order_acquire) == round; ++looks) {
    if (abandoned_.load(std::memory_order_relaxed)) return;
    if (looks < kLooks)
      pause();
    else
      sched_yield();
  }
}

void Meeting::abandon() { abandoned_.store(true, std::memory_order_relaxed); }

}  // namespace pawl::cpu
