// A Scan whose sequence is cut into chunks, run with kernels: chunks are lanes, and threads take groups of them.
#pragma once

#include <functional>

#include "backend/reference/evaluate.h"
#include "scan/chunks.h"

namespace pawl::cpu {

/// Runs a Scan with its kernel, on the calling thread.
using RunScan = std::function<Result<std::vector<Value>>(const reference::ScanCall& call)>;

/// A kernel for blocks of steps; see call_in_blocks. Empty where it does not read in place.
using RunBlocks = std::function<Result<std::vector<Value>>(
    const reference::ScanCall& call, const std::function<Result<std::int64_t>(std::vector<Value>& results)>& next)>;

/// The kernel of a Scan, in both ways.
struct RunSteps {
  RunScan all;
  RunBlocks blocks;
};

struct ChunkedLoop {
  scan::ChunkScans scans;
  struct Level {
    RunSteps summary;
    RunSteps starts;
  };
  std::vector<Level> levels;  ///< as those of the Scans
  RunSteps body;
  std::int64_t rows = 1;  ///< chunks of a group, as the Scans have them
  int groups = 1;         ///< that are worked on by threads

  [[nodiscard]] std::int64_t chunks() const { return rows * groups; }
};

/// Finals, then stacked outputs; those that nobody needs are none. Nothing, and nothing was taken, where the sequence
/// is too short, or where factors overflow: then it must be run in one.
///   in_one : runs the Scan itself
///   Errors : limit; interrupted
Result<std::optional<std::vector<Value>>> call_in_chunks(const ChunkedLoop& loop, const reference::ScanCall& call,
                                                         const RunScan& in_one);

}  // namespace pawl::cpu
