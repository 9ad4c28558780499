// Where the bytes of a model come from: the file itself and those that its external data lies in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "onnx/read.h"

namespace pawl::onnx {

/// One decoding: shared by all of its tensors. External files are mapped once.
class Source {
 public:
  Source(const Bytes& bytes, const std::filesystem::path& folder);

  /// Keeps views of the file alive.
  [[nodiscard]] const std::shared_ptr<const void>& owner() const { return bytes_.owner; }

  /// The mapped file at `location`, a path below the folder. Errors: bad_file (a path that leaves it), io.
  Result<Bytes> external(const std::string& location);

  /// Says that these bytes of the file were passed over, and all before them read. Decoding between large weights makes
  /// whole blocks of them resident (2 MB at a touch on kernels that cache files in large pages): they are given back.
  void passed(std::string_view weights);

  /// New memory for a tensor that cannot be a view. Errors: limit, also when all such tensors together are out of
  /// proportion to the files: a file of some bytes must not fill the machine.
  Result<Tensor> allocate(DType dtype, const Dims& shape);

 private:
  Bytes bytes_;
  std::size_t released_ = 0;  // bytes of the file whose pages were given back
  std::filesystem::path folder_;
  std::map<std::string, Bytes> files_;
  std::uint64_t budget_;  // bytes that allocate() may still give
};

}  // namespace pawl::onnx
