// Rewriting a model as plain standard ONNX.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pawl/model.h"

namespace pawl {

struct OptimizeOptions {
  /// The opset to write; 0: the smallest that is not below the model's own and has all operators that are used.
  std::int64_t opset = 0;
  /// Numbers for symbolic extents, as in ExplainOptions: the written model takes inputs of these extents only.
  std::vector<std::pair<std::string, std::int64_t>> dims;
  /// Recurrences that no single operator stands for become chains of operators over all steps, of a length that is the
  /// logarithm of their number, where that is known: for runtimes on GPUs. Floats are then added up in another order.
  bool parallel_scan = false;
  /// Floats keep their bits: nothing is added up in another order. Not with parallel_scan.
  bool exact = false;
  /// What became of the states, and why not more, a line each; may be null.
  std::vector<std::string>* notes = nullptr;
};

/// The model with work moved out of its loops, Loops raised to Scans, running sums, counters and delay lines as
/// operators, and Scans that need no loop gone: serialized, for any runtime. The same results within the rounding of
/// the element types. Errors: unsupported, naming the node that the opset has no way to say; bad_argument and bad_shape
/// for `dims`, bad_argument for `exact` beside `parallel_scan`; limit, when the model does not fit into 2 GiB.
Result<std::string> optimize(const Model& model, const OptimizeOptions& options = {});

}  // namespace pawl
