// Memory that holds code: written first, then only run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "pawl/error.h"

namespace pawl::cpu {

class ExecutableMemory {
 public:
  /// A copy of `code`, at the start of a page. Errors: limit, where the system gives no memory or forbids this.
  static Result<ExecutableMemory> make(std::span<const std::uint8_t> code);
  ExecutableMemory(ExecutableMemory&& other) noexcept;
  ExecutableMemory& operator=(ExecutableMemory&& other) noexcept;
  ExecutableMemory(const ExecutableMemory&) = delete;
  ExecutableMemory& operator=(const ExecutableMemory&) = delete;
  ~ExecutableMemory();

  [[nodiscard]] const std::uint8_t* data() const { return data_; }

 private:
  ExecutableMemory(std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pawl::cpu
