#include "cpu_kernel_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "backend/cpu/llvm_library.h"
#include "guarded_memory.h"
#include "kernel/builder.h"
#include "tensor/scalar.h"

namespace pawl::cpu {
namespace {

bool is_nan(DType dtype, const std::uint8_t* at) {
  if (dtype == DType::f64) {
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return std::isnan(value);
  }
  if (dtype == DType::f32) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return std::isnan(value);
  }
  if (dtype != DType::f16 && dtype != DType::bf16) return false;
  std::uint16_t code = 0;
  std::memcpy(&code, at, sizeof code);
  return std::isnan(decode_float(dtype, code));
}

template <class T>
void put_float(T* values, std::int64_t count, std::mt19937& random) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T corners[] = {0,
                       T(-0.0),
                       1,
                       -1,
                       T(0.5),
                       T(1.5),
                       kInfinity,
                       -kInfinity,
                       std::numeric_limits<T>::quiet_NaN(),
                       std::numeric_limits<T>::denorm_min(),
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::lowest(),
                       T(0x1p31),
                       T(-0x1p31),
                       T(-0x1p31 - 1),
                       T(0x1p63),
                       T(-0x1p63),
                       T(0x1p64),
                       T(65504),
                       T(65520),
                       T(65519.9),
                       T(0x1p-24),
                       T(0x1p-25)};
  std::normal_distribution<T> normal(0, 10);
  std::uniform_int_distribution<int> exponent(-30, 70);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto choice = random() % 8;
    values[i] = choice == 0   ? corners[random() % std::size(corners)]
                : choice == 1 ? std::ldexp(normal(random), exponent(random))
                              : normal(random);
  }
}

}  // namespace

std::vector<Target> targets_here() {
  std::vector<Target> found;
  for (const char* name : {"sse2", "avx2", "avx512", "neon"})
    if (const auto target = target_by_name(name); target && runs_here(*target)) found.push_back(*target);
  return found;
}

bool can_compile() {
  static const bool can = [] {
    const auto result = compile_with_llvm("", targets_here().at(0));
    return result.ok() || result.error().code != Code::unsupported;
  }();
  return can;
}

KernelCache& test_cache() {
  static KernelCache cache{std::filesystem::path{}};
  return cache;
}

kernel::Program multiplied(double factor) {
  kernel::Builder b("multiplied");
  const kernel::BufferId x = b.buffer("x", DType::f32, kernel::Access::inout);
  b.lanes(b.param("n"), [&](kernel::Counter c) {
    b.store(x, c, b.compute(expr::Op::multiply, {b.load(x, c), b.constant(DType::f32, factor)}));
  });
  return std::move(b).finish();
}

Bytes random_bytes(DType dtype, std::int64_t count, std::mt19937& random) {
  Bytes bytes(static_cast<std::size_t>(count) * size_of(dtype));
  for (std::uint8_t& byte : bytes) {
    const auto choice = random() % 4;
    byte = static_cast<std::uint8_t>(choice == 0 ? 0 : choice == 1 ? 255 : random());
    if (dtype == DType::boolean) byte &= 1;
  }
  if (dtype == DType::f32 || dtype == DType::f64) {
    std::vector<float> floats(static_cast<std::size_t>(count));
    std::vector<double> doubles(static_cast<std::size_t>(count));
    put_float(floats.data(), count, random);
    put_float(doubles.data(), count, random);
    bytes = dtype == DType::f32 ? bytes_of(floats) : bytes_of(doubles);
  }
  return bytes;
}

std::optional<std::string> difference(const kernel::Program& program, const std::vector<Bytes>& got,
                                      const std::vector<Bytes>& want) {
  for (std::size_t b = 0; b < want.size(); ++b) {
    const DType dtype = program.buffers[b].dtype;
    const std::size_t size = size_of(dtype);
    for (std::size_t at = 0; at + size <= want[b].size(); at += size) {
      const std::uint8_t *ours = got[b].data() + at, *theirs = want[b].data() + at;
      if (std::memcmp(ours, theirs, size) == 0 || (is_nan(dtype, ours) && is_nan(dtype, theirs))) continue;
      std::uint64_t ours_bits = 0, theirs_bits = 0;
      std::memcpy(&ours_bits, ours, size);
      std::memcpy(&theirs_bits, theirs, size);
      return fmt::format("{}[{}] is {:#x}, not {:#x}", program.buffers[b].name, at / size, ours_bits, theirs_bits);
    }
  }
  return std::nullopt;
}

Result<std::vector<Bytes>> run_compiled(const kernel::Program& program, const Target& target,
                                        const std::vector<Bytes>& buffers, const std::vector<std::int64_t>& params,
                                        std::optional<reference::LaneRange> range) {
  TRY_ASSIGN(const auto kernel, test_cache().get(program, target));
  const reference::LaneRange lanes = range.value_or(reference::LaneRange{0, std::numeric_limits<std::int64_t>::max()});
  std::vector<Bytes> results;
  for (const auto guard : {GuardedMemory::Guard::before, GuardedMemory::Guard::after}) {
    std::vector<std::unique_ptr<GuardedMemory>> memory;
    std::vector<void*> pointers;
    for (const Bytes& bytes : buffers) {
      memory.push_back(std::make_unique<GuardedMemory>(bytes, guard));
      pointers.push_back(memory.back()->data());
    }
    kernel->run(pointers.data(), params.data(), lanes.begin, lanes.end);
    std::vector<Bytes> after;
    for (const auto& each : memory) after.push_back(each->bytes());
    if (!results.empty())
      if (const auto wrong = difference(program, after, results))
        return fail(Code::internal, "aligned otherwise, {}", *wrong);
    results = std::move(after);
  }
  return results;
}

Result<std::vector<Bytes>> run_interpreted(const kernel::Program& program, const std::vector<Bytes>& buffers,
                                           const std::vector<std::int64_t>& params,
                                           std::optional<reference::LaneRange> range) {
  std::vector<Bytes> after = buffers;
  std::vector<reference::Memory> memory;
  for (std::size_t i = 0; i < after.size(); ++i)
    memory.push_back({after[i].data(), static_cast<std::int64_t>(after[i].size() / size_of(program.buffers[i].dtype))});
  TRY(reference::run_kernel(program, memory, params, range));
  return after;
}

void expect_same(const kernel::Program& program, const std::vector<Bytes>& buffers,
                 const std::vector<std::int64_t>& params, std::optional<reference::LaneRange> range) {
  const auto want = run_interpreted(program, buffers, params, range);
  ASSERT_TRUE(want.ok()) << want.error().to_string();
  for (const Target& target : targets_here()) {
    const auto got = run_compiled(program, target, buffers, params, range);
    ASSERT_TRUE(got.ok()) << target.name << ": " << got.error().to_string() << "\n" << kernel::print(program);
    const auto wrong = difference(program, *got, *want);
    ASSERT_FALSE(wrong) << target.name << ": " << *wrong << "\n" << kernel::print(program);
  }
}

}  // namespace pawl::cpu
