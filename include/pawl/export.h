// Models as WebGPU kernel packages.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pawl/model.h"

namespace pawl {

struct ExportOptions {
  /// The package's name.
  std::string name;
  /// Where the model comes from, for the package's README.
  std::string model;
  /// What makes the package: "pawl 0.1.0".
  std::string tool = "pawl";
  int version = 1;
  std::string license = "unknown";
  /// Numbers for symbolic extents, as in OptimizeOptions. Calls of the package choose all others.
  std::vector<std::pair<std::string, std::int64_t>> dims;
};

/// The files of a package of spec 2.1, by their paths in its folder: shaders, manifest, digests, tests with results of
/// the reference evaluator, benchmarks, README. docs/packages.md says what is in them.
/// Errors: unsupported, naming the node, value or extent that has no form in shaders, and why; bad_argument and
/// bad_shape for `dims`.
Result<std::map<std::string, std::string>> export_webgpu(const Model& model, const ExportOptions& options);

}  // namespace pawl
