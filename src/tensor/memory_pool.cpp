#include "tensor/memory_pool.h"

#include <array>
#include <atomic>
#include <bit>
#include <new>

namespace pawl {
namespace {

constexpr std::align_val_t kAlignment{64};

/// Blocks of one class are all as large as the largest request of the class: multiples of 64 bytes at first, then eight
/// sizes from one power of two to the next, so that an eighth is wasted at most.
constexpr std::size_t kUnit = 64;
constexpr std::size_t kParts = 8;
constexpr std::size_t kClasses = 128;

struct SizeClass {
  std::size_t number = 0;
  std::size_t bytes = 0;
};

SizeClass class_of(std::size_t size) {
  const std::size_t units = (size + kUnit - 1) / kUnit;
  if (units <= kParts) return {units, units * kUnit};
  const auto shift = static_cast<std::size_t>(std::bit_width(units - 1)) - std::bit_width(kParts);
  const std::size_t rounded = ((units - 1) >> shift) + 1;
  return {shift * kParts + rounded, (rounded << shift) * kUnit};
}

}  // namespace

/// What stands before the memory. The counters of its std::shared_ptr are in here too.
struct MemoryBlock {
  static constexpr std::size_t kCounters = 64;

  alignas(64) std::byte counters[kCounters];
  MemoryPool::Core* core = nullptr;
  MemoryBlock* next = nullptr;
  SizeClass size;

  void give_back();
};

struct MemoryPool::Core {
  std::atomic<std::size_t> users{1};  ///< the pool, and the blocks that are out
  std::atomic<bool> busy{false};
  std::atomic<bool> closed{false};
  std::size_t free_bytes = 0;
  std::array<MemoryBlock*, kClasses> free{};

  ~Core() { drain(); }
  void drain();
  /// Nobody waits: who finds it locked does without.
  bool lock() { return !busy.exchange(true, std::memory_order_acquire); }
  void unlock() { busy.store(false, std::memory_order_release); }
  void leave() {
    if (users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

namespace {

void destroy(MemoryBlock* block) {
  block->~MemoryBlock();
  ::operator delete(block, kAlignment);
}

/// Puts the counters of a std::shared_ptr into the block, which is free when they are no longer needed.
template <class T>
struct InBlock {
  using value_type = T;
  MemoryBlock* block;

  explicit InBlock(MemoryBlock* in) : block(in) {}
  template <class U>
  InBlock(const InBlock<U>& other) : block(other.block) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    static_assert(sizeof(T) <= MemoryBlock::kCounters);
    return count == 1 ? reinterpret_cast<T*>(block->counters) : throw std::bad_alloc();
  }
  void deallocate(T* /*counters*/, std::size_t /*count*/) { block->give_back(); }
  friend bool operator==(const InBlock& a, const InBlock& b) { return a.block == b.block; }
};

}  // namespace

void MemoryPool::Core::drain() {
  for (MemoryBlock*& first : free) {
    while (first != nullptr) {
      MemoryBlock* const block = first;
      first = block->next;
      destroy(block);
    }
  }
}

void MemoryBlock::give_back() {
  MemoryPool::Core* const from = core;
  bool kept = false;
  if (from->lock()) {
    kept = !from->closed && from->free_bytes + size.bytes <= MemoryPool::kMostFree;
    if (kept) {
      next = from->free[size.number];
      from->free[size.number] = this;
      from->free_bytes += size.bytes;
    }
    from->unlock();
  }
  if (!kept) destroy(this);
  from->leave();
}

MemoryPool::MemoryPool() : core_(new Core) {}

MemoryPool::~MemoryPool() {
  core_->closed.store(true);
  if (core_->lock()) {
    core_->drain();
    core_->unlock();
  }
  core_->leave();
}

std::shared_ptr<void> MemoryPool::take(std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  // It could not say who reads what was freed.
  static_cast<void>(size);
  return nullptr;
#else
  const SizeClass needed = class_of(size);
  MemoryBlock* block = nullptr;
  if (core_->lock()) {
    block = core_->free[needed.number];
    if (block != nullptr) {
      core_->free[needed.number] = block->next;
      core_->free_bytes -= needed.bytes;
    }
    core_->unlock();
  }
  if (block == nullptr) {
    void* memory = ::operator new(sizeof(MemoryBlock) + needed.bytes, kAlignment, std::nothrow);
    if (memory == nullptr) return nullptr;
    block = new (memory) MemoryBlock;
    block->size = needed;
    block->core = core_;
  }
  core_->users.fetch_add(1, std::memory_order_relaxed);
  return std::shared_ptr<void>(static_cast<void*>(block + 1), [](void*) {}, InBlock<std::byte>(block));
#endif
}

MemoryPool*& pool_in_use() {
  static thread_local MemoryPool* pool = nullptr;
  return pool;
}

MemoryPool::Use::Use(MemoryPool& pool) : before_(pool_in_use()) { pool_in_use() = &pool; }
MemoryPool::Use::~Use() { pool_in_use() = before_; }

}  // namespace pawl
