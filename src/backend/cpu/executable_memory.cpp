#include "backend/cpu/executable_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/try.h"

namespace pawl::cpu {

Result<ExecutableMemory> ExecutableMemory::make(std::span<const std::uint8_t> code) {
  const std::size_t size = code.empty() ? 1 : code.size();
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return fail(Code::limit, "no memory for code: {}", std::strerror(errno));
  ExecutableMemory result(static_cast<std::uint8_t*>(memory), size);
  if (!code.empty()) std::memcpy(memory, code.data(), code.size());
  if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0)
    return fail(Code::limit, "memory for code cannot be run: {}", std::strerror(errno));
  __builtin___clear_cache(static_cast<char*>(memory), static_cast<char*>(memory) + size);
  return result;
}

ExecutableMemory::ExecutableMemory(ExecutableMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

ExecutableMemory& ExecutableMemory::operator=(ExecutableMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

ExecutableMemory::~ExecutableMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace pawl::cpu
