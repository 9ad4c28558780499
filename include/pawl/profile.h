// Where the time of runs goes, and what there is to do in one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pawl {

/// Times of runs of one Program, which must outlive it (RunOptions::profile). Runs that use it do so one at a time.
class Profile {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// A node of the graph that is run, a Scan's body as one kernel (operation "kernel"), or a whole run (row 0, "run").
  struct Row {
    std::string operation;       ///< "MatMul", "Scan", …
    std::string place;           ///< the node as messages name it: `Scan of "y"`
    std::size_t inside = kNone;  ///< the row of what it is a part of
    std::int64_t calls = 0;
    std::int64_t nanoseconds = 0;      ///< of all calls
    std::int64_t own_nanoseconds = 0;  ///< without the rows inside
  };
  /// One call: nanoseconds of std::chrono::steady_clock.
  struct Event {
    std::size_t row = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  /// Events beyond these are counted in their rows only.
  static constexpr std::size_t kMostEvents = 200'000;

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// In the order of their ends.
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  friend class ProfileRecorder;
  std::vector<Row> rows_;
  std::vector<Event> events_;
  std::map<std::pair<const void*, bool>, std::size_t> known_;  ///< rows by node, and whether its kernel is meant
};

/// What one run has to do, in whichever way it is done.
struct Work {
  /// Of numbers: a multiplication and an addition are two, an exponential is one. Nothing where an extent or the steps
  /// of a loop are not known before the run.
  std::optional<double> operations;
  /// Weights and other constants.
  double constant_bytes = 0;
  /// Of the longest Scan that the model has outside of loops; 0 where there is none.
  std::int64_t steps = 0;
};

}  // namespace pawl
