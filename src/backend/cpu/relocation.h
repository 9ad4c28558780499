// References from code to code and constants.
#pragma once

#include <cstdint>
#include <span>

#include "pawl/error.h"

namespace pawl::cpu {

/// Writes a reference at `place` to what is at `symbol` + `addend`: distances in `code`, whose first byte is aligned
/// to a page. Nothing at `end` or behind it is written. Errors: bad_file; unsupported, of other kinds.
Result<void> relocate(std::span<std::uint8_t> code, std::uint16_t machine, std::uint32_t kind, std::uint64_t place,
                      std::uint64_t end, std::uint64_t symbol, std::int64_t addend);

}  // namespace pawl::cpu
