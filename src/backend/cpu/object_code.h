// Object files to code that runs wherever it is put.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/error.h"

namespace pawl::cpu {

/// Code and the constants it reads, at fixed distances from each other. The first byte goes to an address that is a
/// multiple of `kCodeAlignment`.
struct ObjectCode {
  std::vector<std::uint8_t> bytes;
  std::size_t entry = 0;  ///< of the function, in `bytes`
};
inline constexpr std::size_t kCodeAlignment = 4096;

/// Puts together the code and constants of a relocatable ELF file (x86-64 or AArch64, little endian), with the
/// references between them resolved. The file need not be well formed. Errors: bad_file; unsupported, of references
/// to what the file does not hold, with the names, and of kinds of references that code without data has no need of.
Result<ObjectCode> link_object(std::string_view file, std::string_view entry);

}  // namespace pawl::cpu
