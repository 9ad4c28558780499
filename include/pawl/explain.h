// What pawl finds out about the Scans of a model, and how it would run them.
#pragma once

#include <string>
#include <string_view>
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
  /// print_after: tensors with more elements are cut, and the text no longer parses; 0: never.
  std::int64_t max_elements = 0;
};

/// An explanation in three forms.
struct Explanation {
  std::string text;  ///< a paragraph per Scan, for a person
  std::string svg;   ///< a picture of the bodies
  std::string json;  ///< the same as one object: docs/loops.md says what is in it
};

/// Errors: bad_argument (a symbol that the model does not have, a negative extent); bad_shape, where the extents do not
/// fit the model.
Result<Explanation> explain(const Model& model, const ExplainOptions& options = {});

/// The stages between a file and a plan, in order: import, the passes over loops, facts, plan.
std::vector<std::string_view> stages();

/// What there is after a stage: the graph in ONNX's text syntax, or facts and plans in words. After a pass: the passes
/// up to that one have run until none finds anything. Errors: bad_argument (names the stages), and those of explain.
Result<std::string> print_after(const Model& model, std::string_view stage, const ExplainOptions& options = {});

}  // namespace pawl
