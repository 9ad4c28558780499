// A model as it was loaded: what it needs and what it gives. Nothing is run here.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/error.h"
#include "pawl/type.h"

namespace pawl {

/// A graph input or output. Dims that the file does not fix are symbols or unknown.
struct Port {
  std::string name;
  Type type;
  /// Inputs only: the model has a value of its own for it (an initializer of the same name); it may be left out.
  bool has_default = false;
};

/// An ONNX model, decoded and verified: names resolved, functions inlined, every operator known, types inferred. Cheap
/// to copy; copies share everything. Weights stay in the mapped file.
class Model {
 public:
  /// Loads a binary .onnx file, or one in ONNX text syntax (.onnxtxt, .txt). External data is looked for beside it.
  /// Errors: io, bad_file, bad_model, bad_shape, bad_type, unsupported, limit.
  static Result<Model> load(const std::filesystem::path& path);

  /// Decodes a serialized ModelProto. The bytes are copied. External data is refused unless `folder` says where it
  /// lies.
  static Result<Model> from_bytes(std::span<const std::byte> bytes, const std::filesystem::path& folder = {});

  /// Parses ONNX text syntax.
  static Result<Model> from_text(std::string_view text, const std::filesystem::path& folder = {});

  /// Every problem of a file, where load() stops at the first. Empty when there is none.
  static std::vector<Error> check(const std::filesystem::path& path);

  [[nodiscard]] const std::vector<Port>& inputs() const;
  [[nodiscard]] const std::vector<Port>& outputs() const;
  /// What is odd about the file and does not stand in the way, a line each.
  [[nodiscard]] const std::vector<std::string>& warnings() const;

  struct State;
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  friend class Program;
  explicit Model(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace pawl
