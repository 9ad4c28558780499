// Rewriting a model as plain standard ONNX.
#pragma once

#include <string>

#include "pawl/model.h"

namespace pawl {

struct OptimizeOptions {
  /// The opset to write; 0: the smallest that is not below the model's own and has all operators that are used.
  std::int64_t opset = 0;
};

/// The model with work moved out of its loops, Loops raised to Scans, and Scans that need no loop gone: serialized, for
/// any runtime. The same results within the rounding of the element types. Errors: unsupported, naming the node that
/// the opset has no way to say; limit, when the model does not fit into 2 GiB.
Result<std::string> optimize(const Model& model, const OptimizeOptions& options = {});

}  // namespace pawl
