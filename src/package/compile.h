// A model as what a kernel package holds.
#pragma once

#include "package/contents.h"
#include "pawl/model.h"
#include "pawl/tensor.h"

namespace pawl::package {

struct CompileRequest {
  std::string name;  ///< of the package
  std::vector<std::pair<std::string, std::int64_t>> dims;
  /// Constants of more elements in total become inputs, as far as each has more than `small_constant`.
  std::int64_t most_constants = 16'384;
  std::int64_t small_constant = 1024;
};

/// An input or output of the package.
struct PackagePort {
  std::string key;
  std::string name;          ///< of the model
  DType dtype = DType::f32;  ///< in the model
  std::vector<wgsl::Count> shape;
  Tensor weight;           ///< of an input that the model has as an initializer
  wgsl::Count places = 0;  ///< of integers that are places along an axis: how many there are; else 0
};

/// An extent that calls are free in.
struct Extent {
  std::string symbol;     ///< in the model: "T", "x.0"
  std::string name;       ///< in expressions
  bool is_steps = false;  ///< a Scan goes along it
};

struct Compiled {
  Contents contents;
  std::vector<PackagePort> inputs;  ///< those of the model in its order, then weights
  std::vector<PackagePort> outputs;
  std::vector<Extent> extents;
};

/// Errors: unsupported, naming the node, value or extent that has no form in shaders; those of graph::specialise.
Result<Compiled> compile(const Model& model, const CompileRequest& request);

/// How manifests call a type, as packages have it: 32 bits of 64-bit integers.
std::string_view manifest_type(DType dtype);

}  // namespace pawl::package
