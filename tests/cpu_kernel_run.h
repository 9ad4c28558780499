// Runs a kernel as machine code and by the interpreter, and compares what they leave in memory.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

#include "backend/cpu/kernel_cache.h"
#include "backend/cpu/target.h"
#include "backend/reference/kernel_interpreter.h"
#include "kernel/program.h"

namespace pawl::cpu {

using Bytes = std::vector<std::uint8_t>;

/// Those that run here.
std::vector<Target> targets_here();

/// There is a compiler for kernels.
bool can_compile();

/// A test that needs one.
class CompilingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_compile()) GTEST_SKIP() << "no compiler for kernels";
  }
};

/// A test's own cache, without a folder.
KernelCache& test_cache();

/// A small kernel: x[c] = x[c] * factor for c < n.
kernel::Program multiplied(double factor);

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(values.data());
  return {data, data + values.size() * sizeof(T)};
}

/// `count` numbers of a type with its corners among them.
Bytes random_bytes(DType dtype, std::int64_t count, std::mt19937& random);

/// The same buffers, or the first difference in words; NaNs are the same.
std::optional<std::string> difference(const kernel::Program& program, const std::vector<Bytes>& got,
                                      const std::vector<Bytes>& want);

/// Buffers after the kernel has run on `target`, in memory whose ends are guarded.
Result<std::vector<Bytes>> run_compiled(const kernel::Program& program, const Target& target,
                                        const std::vector<Bytes>& buffers, const std::vector<std::int64_t>& params,
                                        std::optional<reference::LaneRange> range = std::nullopt);
Result<std::vector<Bytes>> run_interpreted(const kernel::Program& program, const std::vector<Bytes>& buffers,
                                           const std::vector<std::int64_t>& params,
                                           std::optional<reference::LaneRange> range = std::nullopt);

/// On every target, the machine code leaves what the interpreter leaves.
void expect_same(const kernel::Program& program, const std::vector<Bytes>& buffers,
                 const std::vector<std::int64_t>& params, std::optional<reference::LaneRange> range = std::nullopt);

}  // namespace pawl::cpu
