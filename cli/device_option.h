// --device of the subcommands that run a model.
#pragma once

#include <string>

#include "pawl/program.h"

namespace pawl::cli {

inline constexpr const char* kDeviceHelp =
    "Where the bodies of Scans run: cpu, or webgpu (pawl devices says whether it is there)";

/// What runs bodies on "cpu" or "webgpu". Errors: bad_argument, of another word; unsupported, where it is not there.
Result<Kernels> kernels_on(const std::string& device);

}  // namespace pawl::cli
