// Threads that work on one kernel together, and wait for each other by spinning.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace pawl::bench {

class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// As many threads as pay for work that takes one of them about so many nanoseconds: all, or one.
  [[nodiscard]] int worth(double nanoseconds) const { return nanoseconds < 150'000 ? 1 : size_; }

  /// work(i) for i < count in as many threads at once; count is at most the size of the team.
  void run(int count, const std::function<void(int)>& work);

  /// Called by each of the `count` threads of a run: returns when all have called it.
  void wait(int count);

 private:
  void serve(int index);

  int size_;
  const std::function<void(int)>* work_ = nullptr;
  int count_ = 0;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<int> running_{0};
  std::atomic<int> arrived_{0};
  std::atomic<std::uint32_t> barrier_{0};
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

/// Part i of n of `total` things, cut at multiples of `unit`.
struct Part {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
Part part(std::int64_t total, int i, int n, std::int64_t unit = 1);

}  // namespace pawl::bench
