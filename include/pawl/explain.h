// What pawl finds out about the Scans of a model, and how it would run them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pawl/model.h"

namespace pawl {

struct ExplainOptions {
  /// Numbers for symbolic extents of the model's inputs, by symbol: {"T", 4096}; of unnamed ones by input and axis:
  /// {"x.0", 4096}.
  std::vector<std::pair<std::string, std::int64_t>> dims;
  int threads = 1;
  /// Plans keep the bits of the reference.
  bool exact = false;
};

/// An explanation in three forms.
struct Explanation {
  std::string text;  ///< a paragraph per Scan, for a person
  std::string svg;   ///< a picture of the bodies
  std::string json;  ///< the same as one object: docs/explain.md says what is in it
};

/// Errors: bad_argument (a symbol that the model does not have, a negative extent); bad_shape, where the extents do not
/// fit the model.
Result<Explanation> explain(const Model& model, const ExplainOptions& options = {});

}  // namespace pawl
