// Which shaders a chunked Scan of dense tensors gets, and how they are called.
#pragma once

#include <map>

#include "backend/wgsl/chunked_scan.h"

namespace pawl::wgsl {

/// What ChunkedScanCall says of its form.
struct ChunkedForm {
  bool alone = false;
  bool staged = false;
  bool subgroups = false;
  auto operator<=>(const ChunkedForm&) const = default;
};

/// Values to be tuned; docs/shaders.md says what measured them.
struct ChunkedFormPolicy {
  std::int64_t fewest_steps = 64;        ///< below, steps go one after the other in each lane
  std::int64_t most_lanes = 1 << 15;     ///< above, lanes alone keep a device busy
  std::int64_t alone_numbers = 1 << 14;  ///< steps times lanes that one tile does as fast as two dispatches
  bool subgroups = false;                ///< operations of subgroups, where the device has them
};

/// Which way a Scan's tensors go in time: by element, by output.
struct TimeDirections {
  std::vector<bool> elements_reversed;
  std::vector<bool> outputs_reversed;
  std::vector<std::size_t> output_axes;  ///< where time is
};
TimeDirections directions_of(const graph::ScanOp& scan, const LaneLaws& laws);

ChunkedForm form_for(const LaneLaws& laws, const TimeDirections& directions, std::int64_t steps, std::int64_t lanes,
                     const Target& target, const ChunkedFormPolicy& policy = {});

/// A call for dense tensors: element0, captured1, … by LaneLaws::inputs, elements with time first; state0, …, final0,
/// …; output0, …. The number of steps is named T.
ChunkedScanCall dense_call(const LaneLaws& laws, const TimeDirections& directions, ChunkedForm form);
std::string name_of(const LaneInput& input, std::size_t i);

/// The values of all names, given those of some.
std::map<std::string, std::int64_t> values_of(const Passes& passes, std::map<std::string, std::int64_t> given);
std::int64_t value_of(const Count& count, const std::map<std::string, std::int64_t>& names);
/// A scratch buffer's bytes.
std::size_t bytes_of(const PassBuffer& buffer, const std::map<std::string, std::int64_t>& names);

}  // namespace pawl::wgsl
