// Where `pawl run` writes its outputs.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/model.h"
#include "pawl/tensor.h"

namespace pawl::cli {

/// The name as part of a file name: characters outside [A-Za-z0-9_.-] become '_'.
std::string file_stem(std::string_view name);

/// One file name without extension per output, all different. A name that needs no replacement is kept; of several that
/// become the same, the later ones get "_2", "_3", ….
std::vector<std::string> output_stems(std::span<const Port> outputs);

/// Makes the folder if need be and checks that the files can have these names. Called before the run. Errors: io.
Result<void> prepare_output_folder(const std::filesystem::path& folder, std::span<const std::string> stems);

/// Writes each value to <stem>.npy, or <stem>.pb where .npy cannot hold it. First all are written under temporary
/// names, then all are renamed: a failure leaves the folder as it was. Returns the paths. Errors: io, limit.
Result<std::vector<std::filesystem::path>> write_outputs(const std::filesystem::path& folder,
                                                         std::span<const std::string> stems,
                                                         std::span<const Port> outputs, std::span<const Value> values);

}  // namespace pawl::cli
