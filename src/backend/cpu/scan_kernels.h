// Scans as machine code: found, compiled and called when they are run.
#pragma once

#include <functional>
#include <mutex>
#include <unordered_map>

#include "backend/cpu/chunked_call.h"
#include "backend/cpu/fused_call.h"
#include "backend/cpu/turned_scans.h"
#include "plan/chunk_policy.h"

namespace pawl::cpu {

/// The program outlives the kernel. Errors: unsupported, where there is no compiler or it cannot make the kernel.
using CompileKernel = std::function<Result<KernelCall>(const kernel::Program& program)>;

/// Compiles for this machine, with a cache of its own in memory and the user's on the disk.
CompileKernel machine_code();

/// A way to run Scans that is asked before there are kernels.
class OtherWay {
 public:
  virtual ~OtherWay() = default;
  enum class Answer : std::uint8_t { refused, done, wants_all };  ///< wants_all: of a run that the call is a part of
  virtual Result<Answer> run(const reference::ScanCall& call, std::vector<Value>& results) = 0;
  /// As ScanKernels::report.
  [[nodiscard]] virtual std::vector<std::string> report() const = 0;
};

struct ScanKernelOptions {
  int threads = 1;
  CompileKernel compile;
  kernel::FusedLoopPolicy policy{};
  plan::ChunkPolicy chunks{};
  bool turns = true;                  ///< tensors whose time lies inside are turned over
  std::shared_ptr<OtherWay> first{};  ///< may be null
};

/// The kernels of one program's Scans, by the shapes that they were called with. Used by several threads at once.
class ScanKernels final : public reference::ScanRunner {
 public:
  explicit ScanKernels(ScanKernelOptions options) : options_(std::move(options)) {}

  Result<bool> run(const reference::ScanCall& call, std::vector<Value>& results) override;

  /// Why Scans are left to the evaluator, and the kernels of the others: by label, in words.
  [[nodiscard]] std::vector<std::string> report() const;

 private:
  struct Entry {
    LoopKernel kernel;
    std::string refusal;
    std::shared_ptr<const ChunkedLoop> chunked;  ///< for long sequences of few lanes; may be null
    std::string chunks_refusal;
  };
  struct Known {
    std::vector<std::int64_t> key;
    bool streaming = false;
    std::shared_ptr<const Entry> entry;
  };
  Result<bool> run_as_it_lies(const reference::ScanCall& call, std::vector<Value>& results);
  Result<std::shared_ptr<const Entry>> find(const reference::ScanCall& call, bool streaming);
  ///   like : another kernel of the Scan, whose packed constants serve this one too; may be null
  Result<Entry> make(const reference::ScanCall& call, std::vector<ops::Fact> inputs, std::vector<ops::Fact> captured,
                     bool streaming, const LoopKernel* like) const;
  /// Sequences of one class are all cut into chunks, or none; those of class 0 are not.
  [[nodiscard]] int length_class(const reference::ScanCall& call) const;
  Result<void> add_chunks(const reference::ScanCall& call, const std::vector<ops::Fact>& captured, Entry& entry) const;
  /// A kernel for one of the Scans of chunks; empty where there is none, and then the entry says why.
  Result<RunSteps> runner(const scan::ChunkScan& chunk, const std::vector<bool>& wanted,
                          const std::vector<ops::Fact>& captured, Entry& entry) const;

  ScanKernelOptions options_;
  mutable std::mutex mutex_;
  /// By Scan, what was asked for last in front.
  std::unordered_map<const graph::ScanOp*, std::vector<Known>> known_;
  std::size_t count_ = 0;
  TurnedScans turned_;
};

}  // namespace pawl::cpu
