// The header of an .npy file: "\x93NUMPY", a version, a length, and a Python dictionary of three keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pawl/error.h"

namespace pawl {

struct NpyHeader {
  std::string descr;  ///< "<f4"; not empty
  bool fortran_order = false;
  std::vector<std::int64_t> shape;  ///< no extent is negative
  std::size_t data_offset = 0;      ///< where the elements start, at most the size of the file
};

/// Errors: bad_file; unsupported (structured types, versions after 3).
Result<NpyHeader> parse_npy_header(std::span<const std::byte> file);

/// The bytes in front of the elements, a multiple of 64.
std::string make_npy_header(const std::string& descr, std::span<const std::int64_t> shape);

}  // namespace pawl
