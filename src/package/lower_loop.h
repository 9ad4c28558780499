// Scans, and nodes outside of loops as Scans of one step, as passes of a draft.
#pragma once

#include "graph/graph.h"
#include "package/draft_builder.h"

namespace pawl::package {

/// Whether Scans are cut into chunks that run side by side, where they can be.
enum class Chunks : std::uint8_t {
  none,
  columns,  ///< neighbouring lanes are neighbouring invocations
  rows,     ///< the same, and few lanes go through workgroup memory
};

/// A Scan and what it reads and gives, as buffers of a draft.
struct LoopCall {
  const graph::ScanOp& scan;
  std::string name;                  ///< of its passes
  std::vector<ops::Fact> facts;      ///< of the body's values, extents known
  std::vector<Operand> initial;      ///< by state
  std::vector<Operand> elements;     ///< by element
  std::vector<Operand> captured;     ///< by what the body captures
  std::vector<std::size_t> finals;   ///< by state: a buffer, or SIZE_MAX where nobody needs it
  std::vector<std::size_t> outputs;  ///< by scan output, likewise
  std::int64_t trips = 1;
  bool packs = true;  ///< buffers may be put together, where there are more than every device binds
};

/// Adds the passes; or why there are none, in words. Nothing is added then.
Result<std::string> lower_loop(const LoopCall& call, DraftBuilder& to);

}  // namespace pawl::package
