#include "backend/cpu/kernel_cache.h"

#include "backend/cpu/generate.h"
#include "backend/cpu/llvm_interface.h"
#include "backend/cpu/llvm_library.h"
#include "base/try.h"

namespace pawl::cpu {

Result<std::shared_ptr<const CompiledKernel>> KernelCache::get(const kernel::Program& program, const Target& target) {
  TRY_ASSIGN(const std::string text, generate(program, target));
  const std::string key = fmt::format("{} {} {} {} {}\n{}", kGeneratorVersion, PAWL_LLVM_INTERFACE, target.triple,
                                      target.cpu, target.features, text);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = kernels_.find(key); found != kernels_.end()) {
      ++counts_.from_memory;
      return found->second;
    }
  }
  std::optional<ObjectCode> code = folder_.read(key);
  const bool from_disk = code.has_value();
  if (!code) {
    TRY_ASSIGN(const std::string object, compile_with_llvm(text, target));
    TRY_ASSIGN(code, link_object(object, entry_name(program)));
    folder_.write(key, *code);
  }
  TRY_ASSIGN(CompiledKernel loaded, CompiledKernel::load(*code));
  const std::lock_guard lock(mutex_);
  ++(from_disk ? counts_.from_disk : counts_.compiled);
  // Another thread may have been faster; its kernel is in use.
  return kernels_.emplace(key, std::make_shared<const CompiledKernel>(std::move(loaded))).first->second;
}

KernelCache::Counts KernelCache::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace pawl::cpu
