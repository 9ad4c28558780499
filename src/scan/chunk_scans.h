// Making the Scans of chunks, body by body.
#pragma once

#include "scan/chunks.h"

namespace pawl::scan {

/// What is doubted of a state of a class.
Doubt doubt_of(const Recurrence& law, DType state);
/// Which values of a class's element multiply a state.
std::vector<bool> factors_of(const Recurrence& law, std::size_t width, const std::vector<DType>& states);

/// A Scan of a body that is finished, cutting and stacking along first axes.
graph::ScanOp time_first(graph::Graph body, std::size_t states, std::size_t elements);

/// The Scan for these types alone, in a graph of its own, whose last node it is. Nothing is declared any more.
Result<graph::Graph> specialised(const graph::ScanOp& scan, const std::vector<ops::Fact>& inputs,
                                 const std::vector<ops::Fact>& captured);

/// The same Scan for many rows; nothing where some node has no program for them.
Result<std::optional<ChunkScan>> with_rows(const graph::ScanOp& scan, std::int64_t rows);

/// The types of a class's elements once some were combined; nothing where they are not fixed.
Result<std::optional<std::vector<Type>>> element_types(const Match& match);

/// The step that changes nothing, for each row; nothing where it is not known.
Result<std::optional<std::vector<Tensor>>> unchanged_rows(const Match& match, const std::vector<Type>& elements,
                                                          const std::vector<DType>& states, std::int64_t rows);

/// What a level's steps do, summed up: without rows. `used` gets the elements of the Scan that it reads.
Result<graph::ScanOp> summary_scan(const graph::ScanOp& scan, const ScanFacts& facts,
                                   const std::vector<std::size_t>& components, const std::vector<std::size_t>& before,
                                   std::vector<std::size_t>& used);

/// From chunk to chunk. Errors: unsupported, where states would change their types.
Result<ChunkScan> starts_scan(const ScanFacts& facts, const std::vector<std::size_t>& components,
                              const std::vector<Type>& elements);

}  // namespace pawl::scan
