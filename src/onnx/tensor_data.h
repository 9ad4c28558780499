// The elements of a TensorProto, wherever the file keeps them: typed fields, raw bytes, or another file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/model.h"
#include "onnx/source.h"
#include "onnx/wire.h"

namespace pawl::onnx {

/// What is known of a tensor before its elements are looked at.
struct TensorHead {
  std::string name;
  DType dtype = DType::undefined;
  Dims shape;
  std::size_t count = 0;  ///< of elements
};

/// "tensor "W" of type float[2,3]": what a message about a tensor starts with.
std::string describe(const TensorHead& head);

/// The typed fields of a TensorProto.
struct TypedData {
  Packed floats;
  Packed int32s;
  Packed int64s;
  Packed doubles;
  Packed uint64s;
  std::vector<std::string_view> strings;

  [[nodiscard]] bool empty() const;
};

/// Where external data lies: strings as the file has them.
struct ExternalData {
  std::string location;
  std::string offset;
  std::string length;
};

/// The dims of a tensor. Errors: bad_file (negative, or too large a product), limit (more than 64 axes).
Result<Dims> checked_shape(const std::string& name, const std::vector<std::int64_t>& dims);

/// Elements as they lie in raw_data or an external file; `owner` keeps `bytes` alive.
Result<Tensor> tensor_from_raw(const TensorHead& head, std::string_view bytes, const std::shared_ptr<const void>& owner,
                               Source& source);
Result<Tensor> tensor_from_typed(const TensorHead& head, const TypedData& data, Source& source);
Result<Tensor> tensor_from_external(const TensorHead& head, const ExternalData& place, Source& source);

}  // namespace pawl::onnx
