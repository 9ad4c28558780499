// What the program shares with the terminal: its output, the progress line, and Ctrl-C.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "pawl/program.h"

namespace pawl::cli {

/// Makes file descriptors 0, 1 and 2 safe to use when the caller closed them, and a closed pipe an error code.
void prepare_streams();

/// Writes to standard output. What goes wrong is remembered for finish_output().
void print(std::string_view text);

/// Flushes standard output. A reader that went away is fine; any other failure is an io error.
Result<void> finish_output();

/// Set by the first SIGINT or SIGTERM; the second one ends the process at once.
const std::atomic<bool>& interrupt_flag();
void install_interrupt_handler();

/// Text from a file, made safe to print on one line of a terminal.
std::string printable(std::string_view text);

/// A line on standard error that is rewritten in place and erased at the end; nothing when that is not a terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows the line, ten times a second at most, and not in the first half second.
  void show(std::string_view text);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point next_;
};

/// Options for a run that shows its progress and stops on interrupt.
RunOptions run_options(ProgressLine& line);

}  // namespace pawl::cli
