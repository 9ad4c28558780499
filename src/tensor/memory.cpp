#include "tensor/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <string>

#include "base/try.h"
#include "tensor/memory_pool.h"

namespace pawl {
namespace {

constexpr std::size_t kAlignment = 64;
/// Pages of this size, where the kernel has them: one fault in place of 512.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// Requests below this are not worth a look at the machine's state.
constexpr std::size_t kLarge = std::size_t{64} << 20;

/// A number in a file of one number, as cgroup limits are; the maximum when there is none.
std::size_t read_number(const char* path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : std::numeric_limits<std::size_t>::max();
}

/// Bytes that this process may still take: what the kernel calls available, within the control group's limit.
std::size_t available_bytes() {
  std::size_t available = std::numeric_limits<std::size_t>::max();
  std::ifstream info("/proc/meminfo");
  std::string key;
  std::size_t kilobytes = 0;
  while (info >> key) {
    if (key == "MemAvailable:" && info >> kilobytes) {
      available = kilobytes * 1024;
      break;
    }
    info.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  const std::size_t limit = read_number("/sys/fs/cgroup/memory.max");
  if (limit != std::numeric_limits<std::size_t>::max()) {
    const std::size_t used = read_number("/sys/fs/cgroup/memory.current");
    available = std::min(available, limit > used ? limit - used : 0);
  }
  return available;
}

}  // namespace

Result<std::shared_ptr<void>> allocate_bytes(std::size_t size) {
  if (MemoryPool* pool = pool_in_use(); pool != nullptr && size > 0 && size < kHugePage)
    if (std::shared_ptr<void> taken = pool->take(size)) return taken;
  if (size >= kLarge) {
    const std::size_t available = available_bytes();
    if (size > available) return fail(Code::limit, "{} bytes of memory are needed, {} are free", size, available);
  }
  const std::align_val_t alignment{size >= kHugePage ? kHugePage : kAlignment};
  void* memory = ::operator new(std::max<std::size_t>(size, 1), alignment, std::nothrow);
  if (memory == nullptr) return fail(Code::limit, "{} bytes of memory are needed and cannot be had", size);
  // Not of the last one, which would be made whole.
  if (size >= kHugePage) madvise(memory, size / kHugePage * kHugePage, MADV_HUGEPAGE);
  return std::shared_ptr<void>(memory, [alignment](void* p) { ::operator delete(p, alignment); });
}

}  // namespace pawl
