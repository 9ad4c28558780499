// What a kernel package is made of, and its files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/wgsl/passes.h"
#include "package/json.h"
#include "pawl/error.h"

namespace pawl::package {

struct TensorEntry {
  std::string key;
  std::string onnx;         ///< its name in the model, where that is another one
  std::string dtype;        ///< "float32", or a type variable
  std::optional<int> rank;  ///< where the shape does not say it
  std::string shape;        ///< an expression; empty: any
};

struct AttributeEntry {
  std::string name;
  std::int64_t otherwise = 0;
  std::vector<std::int64_t> values;
};

/// Passes for some calls. Their texts are whole WGSL, whose declarations a loader writes anew; they may have Jinja in
/// them where `is_template` says so.
struct VariantEntry {
  std::string id;
  int priority = 0;
  std::vector<std::string> when{};
  std::vector<std::string> features{};
  std::vector<std::pair<std::string, std::string>> limits{};
  std::vector<std::pair<std::string, std::string>> derive{};
  wgsl::Passes passes;
  bool is_template = false;
};

struct Contents {
  std::string domain;
  std::string name;
  std::optional<int> since_version;
  std::string conformance;  ///< empty: standard
  std::vector<TensorEntry> inputs;
  std::vector<TensorEntry> outputs;
  std::vector<AttributeEntry> attributes;
  std::vector<std::pair<std::string, std::vector<std::string>>> type_constraints;
  std::vector<std::pair<std::string, std::string>> derive;
  std::vector<VariantEntry> variants;
};

/// Bytes by name, all of one folder.
using Files = std::map<std::string, std::string>;

/// manifest.json and the templates.
struct Manifest {
  Files files;
  std::vector<std::pair<std::string, std::vector<std::string>>> templates;  ///< by variant: files
};

/// Buffers of passes that are inputs and outputs have their keys as names.
/// Errors: internal, of a text whose declarations are not of the form that Pass asks for.
Result<Manifest> make_manifest(const Contents& contents);

struct Metadata {
  std::string name;
  int version = 1;
  std::string license;
  std::string sha;  ///< of what the package was made from: 40 hexadecimal digits
  std::string tool;
};

/// metadata.json, with the digests of all files that there are.
std::string metadata_text(const Metadata& metadata, const Manifest& manifest);

}  // namespace pawl::package
