// Scans cut into chunks that run side by side, as shaders: each tile of time is summed up, and read again from the
// states before it. The order of all operations is fixed, so the bits are the same in every run.
#pragma once

#include "backend/wgsl/lane_laws.h"
#include "backend/wgsl/passes.h"
#include "backend/wgsl/target.h"

namespace pawl::wgsl {

/// Values to be tuned; docs/shaders.md says what measured them.
struct ChunkedScanPolicy {
  int group = 64;        ///< lanes that a workgroup has side by side at most
  int workgroups = 528;  ///< that a device is kept busy by
  int staged_workgroups = 1024;
  int least_rows = 16;  ///< steps of an invocation, below which there are fewer tiles
  int unroll = 8;       ///< steps whose elements are read before the first is used
  int workgroup_bytes = 16384;
  int staged_lanes = 8;  ///< that go through workgroup memory at most
};

/// Where the numbers of a tensor are: that of step t of the lane (p0, p1, …) at first + t * step + p0 * along[0] + ….
struct Placement {
  Count first = 0;
  Count step = 0;
  std::vector<Count> along;
};
/// A buffer that steps read or write.
struct PlacedBuffer {
  PassBuffer buffer;
  Placement place;
};

struct ChunkedScanCall {
  /// One tile of time: a single dispatch, for few steps or very many lanes. Else two, or three with `again`.
  bool alone = false;
  /// Tiles go through workgroup memory: for few lanes that lie side by side. All elements and outputs then have a
  /// number for each lane, dense, and go in the same direction.
  bool staged = false;
  /// Parts are put together by operations of subgroups: for 1, 2 or 4 lanes that are staged.
  bool subgroups = false;
  /// Lanes whose chunks may have been summed up wrongly are done once more, step after step, where the laws doubt.
  bool again = true;
  /// What passes keep for each other is kept as u32, by its bits, whatever its type is.
  bool bits = false;
  Count steps = 0;
  Count lanes = 0;
  std::vector<Count> extents;         ///< of the axes of lanes; empty: those of LaneLaws::lanes
  std::vector<PlacedBuffer> inputs;   ///< by LaneLaws::inputs
  std::vector<PlacedBuffer> initial;  ///< by state
  std::vector<PlacedBuffer> finals;   ///< by state
  std::vector<PlacedBuffer> outputs;  ///< by LaneLaws::outputs; of those that are not wanted nothing is read
};

/// The shaders. Lanes and steps are counted in 32 bits: whoever calls them looks that no buffer has 2^31 elements.
///   Errors: unsupported, of what the target lacks; limit, of more buffers or workgroup memory than it has
Result<Passes> chunked_scan(const LaneLaws& laws, const ChunkedScanCall& call, const Target& target,
                            const ChunkedScanPolicy& policy = {});

/// Whether lanes are few enough to be staged, and their laws small enough.
bool can_stage(const LaneLaws& laws, std::int64_t lanes, const Target& target, const ChunkedScanPolicy& policy = {});

}  // namespace pawl::wgsl
