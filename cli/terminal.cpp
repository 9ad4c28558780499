#include "terminal.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/try.h"

namespace pawl::cli {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_interrupt(int) { interrupted.store(true, std::memory_order_relaxed); }

// The first failure of standard output; stdio keeps only that there was one.
int output_errno = 0;

}  // namespace

void prepare_streams() {
  // A closed descriptor would be given to the next file that is opened, and text printed into it.
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (fcntl(descriptor, F_GETFD) == -1) static_cast<void>(open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY));
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
}

void print(std::string_view text) {
  if (output_errno == 0 && std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_errno = errno;
}

Result<void> finish_output() {
  if (output_errno == 0 && std::fflush(stdout) != 0) output_errno = errno;
  if (output_errno == 0 || output_errno == EPIPE) return {};
  return fail(Code::io, "standard output: cannot write: {}", std::strerror(output_errno));
}

const std::atomic<bool>& interrupt_flag() { return interrupted; }

void install_interrupt_handler() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::string printable(std::string_view text) {
  std::string safe(text);
  for (char& c : safe)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return safe;
}

ProgressLine::ProgressLine() : terminal_(isatty(2) == 1), next_(Clock::now() + std::chrono::milliseconds(500)) {}

ProgressLine::~ProgressLine() { erase(); }

void ProgressLine::show(std::string_view text) {
  if (!terminal_ || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  const std::string line = "\r\033[K" + printable(text.substr(0, 79));
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
  static_cast<void>(std::fflush(stderr));
  shown_ = true;
}

void ProgressLine::erase() {
  if (shown_) static_cast<void>(std::fputs("\r\033[K", stderr));
  shown_ = false;
}

RunOptions run_options(ProgressLine& line) {
  RunOptions options;
  options.interrupted = &interrupt_flag();
  options.progress = [&line](const Progress& progress) {
    if (progress.total > 0)
      line.show(fmt::format("{}: step {} of {}", progress.loop, progress.done, progress.total));
    else
      line.show(fmt::format("{}: step {}", progress.loop, progress.done));
  };
  return options;
}

}  // namespace pawl::cli
