// ONNX Runtime, as far as measuring it needs: loaded while running, through its C interface.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pawl/error.h"
#include "pawl/tensor.h"

namespace pawl::bench {

class OnnxRuntime {
 public:
  /// Loads libonnxruntime. Errors: io; unsupported (not that library).
  static Result<OnnxRuntime> load(const std::filesystem::path& library);

  [[nodiscard]] const std::string& version() const { return version_; }

  /// A named tensor, whose memory is read or written in place.
  using Named = std::pair<std::string, Tensor>;

  /// Makes a session with `threads` threads inside of operators, one operator at a time and all optimisations; each
  /// call of the result runs it once. Inputs and outputs are used where they are, and outlive the result. Errors:
  /// unsupported, in ONNX Runtime's words.
  Result<std::function<Result<void>()>> prepare(const std::filesystem::path& model, int threads,
                                                const std::vector<Named>& inputs, std::vector<Named>& outputs) const;

 private:
  void* const* api_ = nullptr;
  void* environment_ = nullptr;
  void* memory_ = nullptr;
  std::string version_;
};

}  // namespace pawl::bench
