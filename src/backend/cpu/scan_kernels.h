// Scans as machine code: found, compiled and called when they are run.
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "backend/reference/evaluate.h"
#include "kernel/fused_loop.h"

namespace pawl::cpu {

/// A buffer of a kernel: `size` elements of its type.
struct KernelMemory {
  void* data = nullptr;
  std::int64_t size = 0;
};
/// A compiled kernel. Memory and params by index. Called by several threads at once.
using KernelCall =
    std::function<Result<void>(std::span<const KernelMemory> memory, std::span<const std::int64_t> params)>;
/// The program outlives the kernel. Errors: unsupported, where there is no compiler or it cannot make the kernel.
using CompileKernel = std::function<Result<KernelCall>(const kernel::Program& program)>;

/// Compiles for this machine, with a cache of its own in memory and the user's on the disk.
CompileKernel machine_code();

struct ScanKernelOptions {
  int threads = 1;
  CompileKernel compile;
  kernel::FusedLoopPolicy policy{};
};

/// The kernels of one program's Scans, by the shapes that they were called with. Used by several threads at once.
class ScanKernels final : public reference::ScanRunner {
 public:
  explicit ScanKernels(ScanKernelOptions options) : options_(std::move(options)) {}

  Result<std::optional<std::vector<Value>>> run(const reference::ScanCall& call) override;

  /// Why Scans are left to the evaluator, and the kernels of the others: by label, in words.
  [[nodiscard]] std::vector<std::string> report() const;

 private:
  struct Entry {
    std::shared_ptr<const kernel::FusedLoop> loop;  ///< null: there is none; the kernel may refer to it
    KernelCall kernel;
    std::vector<Tensor> constants;  ///< by binding; undefined for all others
    std::vector<Dims> outputs;      ///< by scan output: the shape of one step's element
    std::string refusal;
  };
  Result<std::shared_ptr<const Entry>> find(const reference::ScanCall& call, bool streaming);
  Result<Entry> make(const reference::ScanCall& call, std::vector<ops::Fact> captured, bool streaming) const;

  ScanKernelOptions options_;
  mutable std::mutex mutex_;
  std::map<std::pair<const graph::ScanOp*, std::vector<std::int64_t>>, std::shared_ptr<const Entry>> entries_;
};

}  // namespace pawl::cpu
