// Ctrl-C while the library runs: Python's own handler only leaves a note, which nobody reads until the run is over.
#pragma once

#include <atomic>
#include <csignal>

namespace pawl::python {

/// Whether this is the thread that Python runs handlers of signals on.
bool on_first_thread();

/// While it lives, a SIGINT sets `flag` besides what it did before. Does nothing on other threads than the first one,
/// and where Python does not handle the signal. It costs three system calls.
class StopOnInterrupt {
 public:
  explicit StopOnInterrupt(std::atomic<bool>& flag);
  ~StopOnInterrupt();
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

  /// Whether a signal came in.
  [[nodiscard]] bool signalled() const;

 private:
  bool installed_ = false;
  bool swapped_ = false;
  std::atomic<bool>* flag_before_ = nullptr;
  struct sigaction before_ = {};
};

}  // namespace pawl::python
