// Memory for tensors: aligned, and bounded by what the machine has.
#pragma once

#include <cstddef>
#include <memory>

#include "pawl/error.h"

namespace pawl {

/// Uninitialised bytes, aligned to 64; to 2 MB and in huge pages, if there are such, from that size on. Errors: limit,
/// when more is asked for than is free (checked before large requests, so that a hostile size is an answer, not a dying
/// process).
Result<std::shared_ptr<void>> allocate_bytes(std::size_t size);

}  // namespace pawl
