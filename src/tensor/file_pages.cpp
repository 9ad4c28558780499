#include "tensor/file_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace pawl {
namespace {

/// Below this it is not worth a look at the process's mappings.
constexpr std::int64_t kLarge = std::int64_t{1} << 20;

/// A mapping's first line in /proc/self/smaps.
struct Mapping {
  std::uintptr_t begin = 0, end = 0;
  std::string rights;
  std::uint64_t inode = 0;
};

/// False where the line is none.
bool read(const std::string& line, Mapping& mapping) {
  std::istringstream words(line);
  char dash = 0;
  std::string offset, device;
  return static_cast<bool>(words >> std::hex >> mapping.begin >> dash >> mapping.end >> mapping.rights >> offset >>
                           device >> std::dec >> mapping.inode) &&
         dash == '-';
}

/// Whether these addresses are in one mapping of a file, which can only be read, and no page of which was written to
/// before that.
bool is_mapped_file(std::uintptr_t begin, std::uintptr_t end) {
  std::ifstream maps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    if (is_here) {
      constexpr std::string_view kWritten = "Anonymous:";
      if (line.compare(0, kWritten.size(), kWritten) == 0)
        return std::strtoul(line.c_str() + kWritten.size(), nullptr, 10) == 0;
      continue;
    }
    Mapping mapping;
    if (!read(line, mapping) || begin < mapping.begin || begin >= mapping.end) continue;
    if (end > mapping.end || mapping.rights != "r--p" || mapping.inode == 0) return false;
    is_here = true;
  }
  return false;
}

}  // namespace

void give_back_file_pages(const Tensor& tensor) {
  if (tensor.dtype() == DType::string || !tensor.dense()) return;
  const std::int64_t size = tensor.size() * static_cast<std::int64_t>(size_of(tensor.dtype()));
  if (size < kLarge) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.bytes());
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + static_cast<std::uintptr_t>(size)) / page * page;
  if (begin < end && is_mapped_file(begin, end))
    (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace pawl
