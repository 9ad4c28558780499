// Where calls of one kernel that run side by side wait for each other.
#pragma once

#include <atomic>

namespace pawl::cpu {

/// Kernels know it by address: it begins with the function that they call at a barrier.
class Meeting {
 public:
  explicit Meeting(int parts) : parts_(parts) {}
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  /// Returns when all parts are here; what each of them has stored before is seen by all.
  void wait();
  /// Of a part that will not come any more: nobody waits from now on.
  void abandon();

 private:
  static void wait_at(Meeting* meeting) { meeting->wait(); }

  [[maybe_unused]] void (*const function_)(Meeting*) = wait_at;
  const int parts_;
  alignas(64) std::atomic<int> here_{0};
  alignas(64) std::atomic<unsigned> round_{0};
  std::atomic<bool> abandoned_{false};
};

}  // namespace pawl::cpu
