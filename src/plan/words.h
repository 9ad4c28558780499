// The words that explanations use: always the same ones for the same thing.
#pragma once

#include "plan/explain.h"

namespace pawl::plan {

/// What a recurrence is called: "diagonal affine" and "with rank-1 updates", around the word "recurrence".
struct ClassWords {
  std::string before;
  std::string after;  ///< starts with a blank, or is empty
};
ClassWords class_words(const scan::ComponentFacts& component);

/// "512", "T", or "?".
std::string dim_text(const Dim& dim);
/// "320x16": the extents of those axes, without those of 1.
std::string extents(const SymbolicShape& shape, const std::vector<std::size_t>& axes);
/// Bytes, or operations, in three digits: "10.5 MB".
std::string amount_text(double amount, std::string_view unit);

}  // namespace pawl::plan
