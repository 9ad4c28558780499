// Scans as machine code: found, compiled and called when they are run.
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "backend/cpu/chunked_call.h"
#include "backend/cpu/meeting.h"
#include "kernel/fused_loop.h"
#include "plan/chunk_policy.h"

namespace pawl::cpu {

/// A buffer of a kernel: `size` elements of its type.
struct KernelMemory {
  void* data = nullptr;
  std::int64_t size = 0;
};
/// A compiled kernel. Memory and params by index. Called by several threads at once; `meeting` is where those wait for
/// each other that share the steps of one run, null where one call does all.
using KernelCall = std::function<Result<void>(std::span<const KernelMemory> memory,
                                              std::span<const std::int64_t> params, Meeting* meeting)>;
/// The program outlives the kernel. Errors: unsupported, where there is no compiler or it cannot make the kernel.
using CompileKernel = std::function<Result<KernelCall>(const kernel::Program& program)>;

/// Compiles for this machine, with a cache of its own in memory and the user's on the disk.
CompileKernel machine_code();

struct ScanKernelOptions {
  int threads = 1;
  CompileKernel compile;
  kernel::FusedLoopPolicy policy{};
  plan::ChunkPolicy chunks{};
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
    std::shared_ptr<const ChunkedLoop> chunked;  ///< for long sequences of few lanes; may be null
    std::string chunks_refusal;
  };
  Result<std::shared_ptr<const Entry>> find(const reference::ScanCall& call, bool streaming);
  Result<Entry> make(const reference::ScanCall& call, std::vector<ops::Fact> inputs, std::vector<ops::Fact> captured,
                     bool streaming) const;
  /// Sequences of one class are all cut into chunks, or none; those of class 0 are not.
  [[nodiscard]] int length_class(const reference::ScanCall& call) const;
  Result<void> add_chunks(const reference::ScanCall& call, const std::vector<ops::Fact>& captured, Entry& entry) const;
  /// A kernel for one of the Scans of chunks; empty where there is none, and then the entry says why.
  Result<RunSteps> runner(const scan::ChunkScan& chunk, const std::vector<bool>& wanted,
                          const std::vector<ops::Fact>& captured, Entry& entry) const;

  ScanKernelOptions options_;
  mutable std::mutex mutex_;
  std::map<std::pair<const graph::ScanOp*, std::vector<std::int64_t>>, std::shared_ptr<const Entry>> entries_;
};

}  // namespace pawl::cpu
