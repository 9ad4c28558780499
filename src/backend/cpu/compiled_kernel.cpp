#include "backend/cpu/compiled_kernel.h"

#include "base/try.h"

namespace pawl::cpu {

Result<CompiledKernel> CompiledKernel::load(const ObjectCode& code) {
  if (code.entry >= code.bytes.size()) return fail(Code::internal, "a kernel starts outside of its code");
  TRY_ASSIGN(ExecutableMemory memory, ExecutableMemory::make(code.bytes));
  const auto function = reinterpret_cast<Function>(reinterpret_cast<std::uintptr_t>(memory.data() + code.entry));
  return CompiledKernel(std::move(memory), function);
}

}  // namespace pawl::cpu
