// Tensors to TensorProto and SparseTensorProto.
#pragma once

#include <string>

#include "onnx/message_writer.h"
#include "pawl/tensor.h"

namespace pawl::onnx {

/// Fills a TensorProto: elements in raw_data, strings in string_data. Any strides. Errors: limit, bad_type (undefined).
///   bytes : the string that `message` writes to
Result<void> encode_tensor(std::string& bytes, pbf_writer& message, const Tensor& tensor, const std::string& name);

/// Fills a SparseTensorProto with the elements that are not zero (all bits; "" of strings), at linear indices.
Result<void> encode_sparse_tensor(std::string& bytes, pbf_writer& message, const Tensor& tensor);

}  // namespace pawl::onnx
