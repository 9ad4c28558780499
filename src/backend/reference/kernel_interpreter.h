// Runs kernels statement by statement: what they mean, which the code of every other back end is compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/try.h"
#include "kernel/program.h"

namespace pawl::reference {

/// The memory of a kernel's buffer: `size` elements of its type. Two do not overlap, unless both are only read.
struct Memory {
  void* data = nullptr;
  std::int64_t size = 0;
};

/// Iterations [begin, end) of the outermost lanes.
struct LaneRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// In which order lanes run; where it makes a difference, they are none.
enum class LaneOrder : std::uint8_t { forward, backward };

/// Called at a barrier; empty, where a call has everything to do alone.
using Meet = std::function<void()>;

/// Runs a verified program; all lanes where no range is given, else those of it, of a program that splits. Buffers and
/// params by index. Reduced loops sum up in the order of their counter. Errors: bad_argument, for a call that does not
/// fit the program; internal, for an access out of bounds, a division by 0 or a shift by too much, with its place.
Result<void> run_kernel(const kernel::Program& program, std::span<const Memory> buffers,
                        std::span<const std::int64_t> params, std::optional<LaneRange> range = std::nullopt,
                        LaneOrder order = LaneOrder::forward, const Meet& meet = {});

}  // namespace pawl::reference
