// Memory for tensors: aligned, and bounded by what the machine has.
#pragma once

#include <cstddef>
#include <memory>

#include "pawl/error.h"

namespace pawl {

/// Uninitialised bytes, aligned to 64; to 2 MB and in huge pages, if there are such, from that size on. Errors: limit,
/// when more is asked for than is free (checked before large requests, so that a hostile size is an answer, not a dying
/// process).
Result<std::shared_ptr<void>> allocate_bytes(std::size_t size);

struct MemoryBlock;

/// Memory that tensors of one run gave back, for its later ones and for the next run: a run like the one before asks
/// the system for nothing. Blocks find their way back whoever frees them, and outlive the pool.
class MemoryPool {
 public:
  /// Bytes that wait for somebody who needs them; more are given back to the system.
  static constexpr std::size_t kMostFree = std::size_t{16} << 20;

  MemoryPool();
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// What allocate_bytes takes on this thread while this lives, from 1 byte to less than 2 MB.
  class Use {
   public:
    explicit Use(MemoryPool& pool);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    MemoryPool* before_;
  };

 private:
  friend Result<std::shared_ptr<void>> allocate_bytes(std::size_t size);
  friend struct MemoryBlock;
  struct Core;
  /// Null: it cannot be had.
  std::shared_ptr<void> take(std::size_t size);
  Core* core_;
};

}  // namespace pawl
