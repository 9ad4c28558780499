// Values in files of their own: NumPy's .npy, and ONNX's .pb (TensorProto, SequenceProto, OptionalProto).
#pragma once

#include <filesystem>
#include <string_view>

#include "pawl/tensor.h"
#include "pawl/type.h"

namespace pawl {

/// Reads the value in a .npy or .pb file; tensors of it may view the file. `type` says what is expected (Port::type of
/// an input, say): it tells a .pb's tensor, sequence and optional apart, which their bytes do not. Nothing is
/// converted. Errors: io, bad_file, bad_argument (another extension; a kind that .npy cannot hold).
Result<Value> read_value(const std::filesystem::path& path, const Type& type);

/// True for tensors of the element types that NumPy has itself: bool, integers of 8 to 64 bits, f16, f32, f64, complex.
bool fits_npy(const Value& value);

/// Writes a .npy or .pb file, by extension: complete or not at all, by way of a temporary file beside it.
///   type : the declared type, which says whether a .pb is an OptionalProto; name : kept in a .pb
/// Errors: io, bad_argument (not .npy or .pb; a value that .npy cannot hold), limit.
Result<void> write_value(const std::filesystem::path& path, const Value& value, const Type& type,
                         std::string_view name);

}  // namespace pawl
