// What `pawl bench` measured, in words, as JSON, and as a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine_limits.h"
#include "pawl/profile.h"

namespace pawl::cli {

struct BenchResult {
  std::string model;
  std::string kernels;
  std::string device;
  int threads = 0;
  int warmup = 0;
  double load_ms = 0;
  double compile_ms = 0;
  double first_run_ms = 0;
  std::vector<double> run_ms;  ///< ascending
  double io_bytes = 0;         ///< inputs and outputs
  double peak_mb = 0;          ///< memory of the process before the machine was measured
  Work work;
  MachineLimits limits;
  std::vector<std::string> scans;  ///< how they were run
  Profile profile;                 ///< empty when none was asked for

  /// The time that `share` of the runs take at most.
  [[nodiscard]] double at(double share) const;
  [[nodiscard]] double median_ms() const { return at(0.5); }
  /// Between the tenth and the ninetieth part, over the median.
  [[nodiscard]] double spread() const;
};

std::string bench_text(const BenchResult& result);
/// One object; docs/benchmarks.md says what is in it.
std::string bench_json(const BenchResult& result);
/// The trace-event format that the viewers of Chrome and Perfetto open.
std::string trace_json(const Profile& profile);

}  // namespace pawl::cli
