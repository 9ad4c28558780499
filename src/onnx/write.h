// onnx::Model back to bytes, and values to files of their own.
#pragma once

#include <string>

#include "onnx/model.h"
#include "pawl/error.h"

namespace pawl::onnx {

/// Serializes a ModelProto; tensor data goes into raw_data (strings into string_data).
/// Errors: limit, when the result would pass protobuf's 2 GiB.
Result<std::string> encode(const Model& model);

/// Serializes a TensorProto, SequenceProto or OptionalProto, as `type` says (a none needs an optional type).
Result<std::string> encode_value(const Value& value, const Type& type, const std::string& name);

}  // namespace pawl::onnx
