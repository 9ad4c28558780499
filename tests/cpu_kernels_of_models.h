// The kernels that models become.
#pragma once

#include <filesystem>
#include <functional>

#include "kernel/program.h"
#include "pawl/program.h"

namespace pawl::cpu {

/// Hands each kernel that a run of the model makes to `see`, in order. Nothing is computed: the kernels that run do
/// nothing. Inputs are zeros; symbols are what a comment says, `# T=2048 C=512`. Errors: those of the model, of `see`.
Result<void> for_each_kernel(const std::filesystem::path& model, Guarantee guarantee, int threads,
                             const std::function<Result<void>(const kernel::Program&)>& see);

/// All models in a folder, by name.
std::vector<std::filesystem::path> models_in(const std::filesystem::path& folder);

}  // namespace pawl::cpu
