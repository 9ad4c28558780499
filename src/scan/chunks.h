// The Scans that a Scan is run by when its sequence is cut into chunks that are worked on side by side, as rows: one
// that sums up what each chunk does to the states, one that goes from chunk to chunk, and the Scan itself.
#pragma once

#include "scan/facts.h"

namespace pawl::scan {

/// One of these Scans. Time is the first axis of all that it cuts and stacks.
struct ChunkScan {
  graph::ScanOp scan;
  std::vector<ops::Fact> inputs;      ///< of its body
  std::vector<std::size_t> elements;  ///< which elements of the original Scan its first ones are
  /// By captured value: it is repeated for each row, so that all lanes read in the same way.
  std::vector<bool> repeated;
};

/// What shows in the states between chunks when the summary of a chunk is not what its steps are: where factors are
/// multiplied with each other first, they overflow though no state does.
enum class Doubt : std::uint8_t { none, not_a_number, not_finite };

/// Components of states that need no states but those of the levels before.
struct ChunkLevel {
  std::vector<std::size_t> before;  ///< states of the levels before
  std::vector<std::size_t> states;  ///< of this level
  std::vector<Doubt> doubts;        ///< by state of this level
  /// With rows. States: `before`, then the monoid elements. Gives out nothing.
  ChunkScan summary;
  std::vector<Tensor> unchanged;  ///< the first monoid elements, with rows
  /// By value of the monoid elements: there are factors among them that may become so small that nothing is left of
  /// them. Where they also become large, what was lost counts.
  std::vector<bool> factors;
  /// Chunk after chunk, without rows. States: those of the level; elements: the monoid elements. Gives out each state
  /// before the chunk. It captures nothing.
  ChunkScan starts;
};

struct ChunkScans {
  std::vector<ChunkLevel> levels;
  ChunkScan body;             ///< the Scan itself, with rows
  std::vector<Dims> outputs;  ///< of one step, without rows
};

/// Chunks, or in words why there are none.
struct Chunking {
  std::optional<ChunkScans> scans;
  std::string refusal;
};

/// Why a Scan's sequence cannot be cut, or must not where the bits of the loop are asked for; empty: it can.
std::string why_uncut(const ScanFacts& facts, bool exact);

/// What a step takes on one thread, about.
struct StepTimes {
  double loop = 0;    ///< nanoseconds of a vector of lanes: what the next step waits for, or the operations of it all
  double chunks = 0;  ///< nanoseconds of a lane in chunks: put beside others, summed up, done, put back
};

/// Of steps that are summed up in so many levels.
StepTimes times_of_step(const graph::ScanOp& scan, std::size_t levels);
std::size_t count_levels(const ScanFacts& facts);

/// Numbers that the largest state of a step has; nothing where an extent is not known.
std::optional<std::int64_t> lanes_of_step(const ScanFacts& facts);

/// Scans for `rows` chunks at a time. Captured values are those of the body, in order.
///   inputs, captured : what is known of those of the body; shapes are fixed
///   exact            : the bits of the loop
Result<Chunking> cut_into_chunks(const graph::ScanOp& scan, const std::vector<ops::Fact>& inputs,
                                 const std::vector<ops::Fact>& captured, std::int64_t rows, bool exact);

}  // namespace pawl::scan
