// What a run asks the system for: the first one for all that it needs, the next one for nothing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "backend/cpu/accelerate.h"
#include "pawl/program.h"
#include "tensor/memory.h"

namespace {

thread_local bool counts = false;
thread_local int allocations = 0;

void* counted(std::size_t size, std::size_t alignment) noexcept {
  if (counts) ++allocations;
  size = (size + alignment - 1) / alignment * alignment;
  return alignment <= alignof(std::max_align_t) ? std::malloc(std::max<std::size_t>(size, 1))
                                                : std::aligned_alloc(alignment, std::max(size, alignment));
}

/// Not inlined: GCC warns of memory from an operator that goes to std::free.
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }

void* counted_or_throw(std::size_t size, std::size_t alignment) {
  void* memory = counted(size, alignment);
  return memory != nullptr ? memory : throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted_or_throw(size, 1); }
void* operator new(std::size_t size, const std::nothrow_t& /*none*/) noexcept { return counted(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t& /*none*/) noexcept {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept { release(memory); }

namespace pawl {
namespace {

/// A step of a small recurrent model: a product, a chain, a Scan whose weights are packed, a chain.
constexpr const char* kModel = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1, 64] x, float[1, 48] h) => (float[1, 32] y, float[1, 48] k)
  <float[64, 48] w = {}, float[48, 32] v = {}, float[48] a = {}> {
  p = MatMul(x, w)
  q = Sigmoid(p)
  r = Mul(p, q)
  e = Unsqueeze(r, zero)
  k, s = Scan <num_scan_inputs = 1, body = step (float[1, 48] state, float[1, 48] element) => (float[1, 48] next, float[1, 48] out) {
    kept = Mul(state, a)
    next = Add(kept, element)
    out = Tanh(next)
  }> (h, e)
  t = Squeeze(s, zero)
  u = MatMul(t, v)
  y = Relu(u)
})";

std::string with_weights() {
  std::string text = kModel;
  const auto fill = [&](std::string_view name, int count) {
    std::string numbers;
    for (int i = 0; i < count; ++i) numbers += (i > 0 ? "," : "") + std::to_string(i % 7) + ".5";
    const std::string declared = std::string(name) + " = {";
    text.insert(text.find(declared) + declared.size(), numbers);
  };
  fill("w", 64 * 48);
  fill("v", 48 * 32);
  fill("a", 48);
  text.insert(text.find("  p = MatMul"), "  zero = Constant <value_ints = [0]> ()\n");
  return text;
}

/// Allocations of each of so many runs, every one of which gets the state and the memory of the one before.
std::vector<int> allocations_of_runs(const Program& program, int runs) {
  std::vector<int> made;
  const Tensor x = Tensor::of<float>({1, 64}, std::vector<float>(64, 0.25F));
  Value state = Tensor::of<float>({1, 48}, std::vector<float>(48, 1.0F));
  std::vector<Value> spare;
  RunOptions options;
  options.reuse = &spare;
  for (int run = 0; run < runs; ++run) {
    std::vector<Value> inputs;
    inputs.emplace_back(x);
    inputs.push_back(std::move(state));
    allocations = 0;
    counts = true;
    Result<std::vector<Value>> outputs = program.run_in_place(std::move(inputs), options);
    counts = false;
    made.push_back(allocations);
    EXPECT_TRUE(outputs.ok());
    state = std::move(outputs.value()[1]);
    spare = std::move(outputs).value();
  }
  return made;
}

#if !defined(__SANITIZE_ADDRESS__)

TEST(Allocations, OfARunLikeTheOneBeforeAreItsListOfResults) {
  const Program program = Program::compile(Model::from_text(with_weights()).value(), {.threads = 1}).value();
  const std::vector<int> made = allocations_of_runs(program, 6);
  if (program.kernel_report() != std::vector<std::string>{"step: one kernel"}) GTEST_SKIP() << "no compiler";
  if (!cpu::has_dnnl()) GTEST_SKIP() << "there is no oneDNN: the evaluator's products ask for memory";
  EXPECT_GT(made[0], 100);
  EXPECT_EQ(made[3], 1);
  EXPECT_EQ(made[4], 1);
  EXPECT_EQ(made[5], 1);
}

TEST(Allocations, ComeBackToThePoolWhoeverFreesThem) {
  MemoryPool pool;
  const auto allocate = [&](std::size_t size) {
    const MemoryPool::Use use(pool);
    counts = true;
    allocations = 0;
    std::shared_ptr<void> memory = allocate_bytes(size).value();
    counts = false;
    return memory;
  };
  std::shared_ptr<void> first = allocate(1000);
  EXPECT_EQ(allocations, 1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.get()) % 64, 0U);
  const void* place = first.get();
  std::thread([memory = std::move(first)]() mutable { memory.reset(); }).join();
  const std::shared_ptr<void> again = allocate(990);
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(again.get(), place);
  const std::shared_ptr<void> other = allocate(1000);
  EXPECT_EQ(allocations, 1);
  EXPECT_NE(other.get(), place);
}

TEST(Allocations, AreAsLargeAsWasAskedFor) {
  MemoryPool pool;
  const MemoryPool::Use use(pool);
  std::vector<std::shared_ptr<void>> blocks;
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size < (std::size_t{2} << 20); size += size / 5 + 1) sizes.push_back(size);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      blocks.push_back(allocate_bytes(sizes[i]).value());
      std::memset(blocks.back().get(), static_cast<int>(i), sizes[i]);
    }
    for (std::size_t i = 0; i < sizes.size(); ++i)
      for (std::size_t at = 0; at < sizes[i]; ++at)
        ASSERT_EQ(static_cast<unsigned char*>(blocks[i].get())[at], static_cast<unsigned char>(i));
    blocks.clear();
  }
}

#endif

TEST(Allocations, OutliveThePool) {
  std::shared_ptr<void> memory;
  {
    MemoryPool pool;
    const MemoryPool::Use use(pool);
    memory = allocate_bytes(100).value();
    static_cast<void>(allocate_bytes(100).value());
  }
  std::memset(memory.get(), 1, 100);
}

}  // namespace
}  // namespace pawl
