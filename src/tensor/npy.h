// NumPy's .npy files: one array each.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "pawl/error.h"
#include "pawl/tensor.h"

namespace pawl {

/// Reads a whole .npy file: format versions 1, 2 and 3, C or Fortran order, either byte order; bool, int8 to int64,
/// uint8 to uint64, float16 to float64, complex64 and complex128. The tensor is dense. It views `bytes` where they need
/// no change and an owner is given, and is a copy otherwise. Errors: bad_file (not an .npy file, or one whose size does
/// not fit its header), unsupported (other element types, naming them), limit. Source: NumPy Enhancement Proposal 1,
/// and numpy.lib.format.
Result<Tensor> read_npy(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner = nullptr);

/// The bytes of an .npy file in C order, little endian, format version 1 (2 for more axes than that can say).
/// Errors: bad_type, for the element types that .npy has no name for: strings, bfloat16, and all of 8 bits or less that
/// are not bool, int8 or uint8.
Result<std::string> write_npy(const Tensor& tensor);

}  // namespace pawl
