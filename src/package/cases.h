// test.json and bench.json of a package: docs/packages.md says what is in them.
#pragma once

#include "package/compile.h"
#include "pawl/program.h"

namespace pawl::package {

inline constexpr const char* kWeightsFile = "weights.safetensors";

/// Calls for a few extents, with what the reference evaluator gives. Errors: those of the model for all of them.
Result<std::string> test_text(const Compiled& compiled, const Model& model);

/// Calls to be timed.
std::string bench_text(const Compiled& compiled);

/// Weights by the keys of their inputs, in the safetensors format.
std::string weights_file(const Compiled& compiled);

}  // namespace pawl::package
