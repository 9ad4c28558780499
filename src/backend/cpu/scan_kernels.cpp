#include "backend/cpu/scan_kernels.h"

#include "backend/cpu/fused_call.h"
#include "backend/cpu/kernel_cache.h"
#include "base/try.h"

namespace pawl::cpu {
namespace {

using kernel::Binding;

std::string signature(const reference::ScanCall& call) {
  std::string text;
  for (const Type& type : call.types)
    if (type.is_tensor()) text += to_string(type) + ";";
  for (const bool wanted : call.wanted) text += wanted ? '1' : '0';
  return text;
}

}  // namespace

CompileKernel machine_code() {
  return [cache = std::make_shared<KernelCache>(),
          target = detect_target()](const kernel::Program& program) -> Result<KernelCall> {
    TRY_ASSIGN(std::shared_ptr<const CompiledKernel> kernel, cache->get(program, target));
    return KernelCall([kernel = std::move(kernel)](std::span<const KernelMemory> memory,
                                                   std::span<const std::int64_t> params) -> Result<void> {
      std::vector<void*> addresses;
      for (const KernelMemory& each : memory) addresses.push_back(each.data);
      kernel->run(addresses.data(), params.data(), 0, 1);
      return {};
    });
  };
}

Result<ScanKernels::Entry> ScanKernels::make(const reference::ScanCall& call) const {
  Entry entry;
  TRY_ASSIGN(kernel::Lowering lowering, kernel::lower_fused_loop(call.scan, call.types, call.wanted, options_.policy));
  if (!lowering.loop) {
    entry.refusal = std::move(lowering.refusal);
    return entry;
  }
  auto loop = std::make_shared<const kernel::FusedLoop>(std::move(*lowering.loop));
  Result<KernelCall> compiled = options_.compile(loop->program);
  if (!compiled.ok()) {
    if (compiled.error().code != Code::unsupported) return compiled.error();
    entry.refusal = compiled.error().message;
    return entry;
  }
  entry.kernel = std::move(compiled).value();
  entry.loop = std::move(loop);
  for (const Binding& binding : entry.loop->bindings) {
    Tensor constant;
    if (binding.kind == Binding::Kind::constant) {
      TRY_ASSIGN(constant, (*call.scan.body.graph)[binding.constant].fact.tensor()->to_dense());
    }
    entry.constants.push_back(std::move(constant));
  }
  return entry;
}

Result<std::shared_ptr<const ScanKernels::Entry>> ScanKernels::find(const reference::ScanCall& call) {
  const auto key = std::pair(&call.scan, signature(call));
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  }
  TRY_ASSIGN(Entry made, make(call));
  const std::lock_guard lock(mutex_);
  return entries_.emplace(key, std::make_shared<const Entry>(std::move(made))).first->second;
}

Result<std::optional<std::vector<Value>>> ScanKernels::run(const reference::ScanCall& call) {
  TRY_ASSIGN(const std::shared_ptr<const Entry> entry, find(call));
  if (!entry->loop) return std::optional<std::vector<Value>>();
  TRY_ASSIGN(std::vector<Value> results,
             call_fused_loop(*entry->loop, entry->kernel, entry->constants, call, options_.threads));
  return std::optional(std::move(results));
}

std::vector<std::string> ScanKernels::report() const {
  std::vector<std::string> lines;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, entry] : entries_)
    lines.push_back(fmt::format("{}: {}", key.first->body.graph->name, entry->loop ? "one kernel" : entry->refusal));
  return lines;
}

}  // namespace pawl::cpu
