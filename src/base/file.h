// Files that are written completely or not at all.
#pragma once

#include <filesystem>
#include <string_view>

#include "pawl/error.h"

namespace pawl::base {

/// Writes a file by way of a temporary one beside it, so that a failure leaves what was there; a device or pipe is
/// written to directly. Errors: io.
Result<void> write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace pawl::base
