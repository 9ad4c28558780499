// Kernels, each compiled once: in this process, and on this machine.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backend/cpu/compiled_kernel.h"
#include "backend/cpu/kernel_folder.h"
#include "backend/cpu/target.h"
#include "kernel/program.h"

namespace pawl::cpu {

/// Any number of threads may use one. A key is the text that is compiled, the target, and the versions of what
/// generates and compiles.
class KernelCache {
 public:
  /// Where the kernels of `get` came from, so far.
  struct Counts {
    int compiled = 0;
    int from_disk = 0;
    int from_memory = 0;
  };

  explicit KernelCache(const std::filesystem::path& folder = default_kernel_folder()) : folder_(folder) {}

  /// Errors: unsupported, where there is no compiler or the target lacks an operation; limit; internal.
  Result<std::shared_ptr<const CompiledKernel>> get(const kernel::Program& program, const Target& target);

  [[nodiscard]] Counts counts() const;

 private:
  KernelFolder folder_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const CompiledKernel>> kernels_;
  Counts counts_;
};

}  // namespace pawl::cpu
