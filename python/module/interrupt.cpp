#include "interrupt.h"

#include <pybind11/pybind11.h>

namespace pawl::python {
namespace {

// A signal handler can reach nothing but globals. Only the first thread writes them.
std::atomic<std::atomic<bool>*> current{nullptr};
std::atomic<void (*)(int)> python_handler{nullptr};
std::atomic<bool> came{false};

extern "C" void on_interrupt(int number) {
  came.store(true, std::memory_order_relaxed);
  if (std::atomic<bool>* flag = current.load(std::memory_order_relaxed)) flag->store(true, std::memory_order_relaxed);
  if (void (*handler)(int) = python_handler.load(std::memory_order_relaxed)) handler(number);
}

}  // namespace

bool on_first_thread() {
  static const auto first =
      pybind11::module_::import("threading").attr("main_thread")().attr("ident").cast<std::uintptr_t>();
  return PyThread_get_thread_ident() == first;
}

StopOnInterrupt::StopOnInterrupt(std::atomic<bool>& flag) {
  if (!on_first_thread() || sigaction(SIGINT, nullptr, &before_) != 0) return;
  if ((before_.sa_flags & SA_SIGINFO) != 0 || before_.sa_handler == SIG_DFL || before_.sa_handler == SIG_IGN) return;
  swapped_ = true;
  flag_before_ = current.exchange(&flag);
  came.store(false, std::memory_order_relaxed);
  if (before_.sa_handler == on_interrupt) return;  // a run inside of a run
  python_handler.store(before_.sa_handler);
  struct sigaction action = before_;
  action.sa_handler = on_interrupt;
  installed_ = sigaction(SIGINT, &action, nullptr) == 0;
}

StopOnInterrupt::~StopOnInterrupt() {
  if (installed_) sigaction(SIGINT, &before_, nullptr);
  if (swapped_) current.store(flag_before_);
}

bool StopOnInterrupt::signalled() const { return swapped_ && came.load(std::memory_order_relaxed); }

}  // namespace pawl::python
