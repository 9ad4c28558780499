// Memory that ends, or begins, where the next byte cannot be read.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/try.h"

namespace pawl {

class GuardedMemory {
 public:
  enum class Guard : std::uint8_t { before, after };
  GuardedMemory(std::span<const std::uint8_t> bytes, Guard guard) : size_(bytes.size()) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inner = (size_ + page - 1) / page * page;
    mapped_ = inner + 2 * page;
    void* all = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED);
    start_ = static_cast<std::uint8_t*>(all);
    if (inner > 0) CHECK(mprotect(start_ + page, inner, PROT_READ | PROT_WRITE) == 0);
    data_ = guard == Guard::before ? start_ + page : start_ + page + inner - size_;
    if (size_ > 0) std::memcpy(data_, bytes.data(), size_);
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(start_, mapped_); }

  [[nodiscard]] std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::vector<std::uint8_t> bytes() const { return {data_, data_ + size_}; }

 private:
  std::size_t size_ = 0, mapped_ = 0;
  std::uint8_t* start_ = nullptr;
  std::uint8_t* data_ = nullptr;
};

}  // namespace pawl
