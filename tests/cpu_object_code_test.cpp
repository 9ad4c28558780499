// Object files put together as code, and files that are none.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "backend/cpu/compiled_kernel.h"
#include "backend/cpu/elf_file.h"
#include "backend/cpu/generate.h"
#include "backend/cpu/llvm_library.h"
#include "backend/cpu/object_code.h"
#include "cpu_kernel_run.h"
#include "kernel/builder.h"

namespace pawl::cpu {
namespace {

using expr::Op;

class CpuObjectCode : public CompilingTest {};

/// A kernel with constants in memory: y[c] = |x[c]| * 0.1 rounded to float16.
kernel::Program with_constants() {
  kernel::Builder b("constants");
  const kernel::BufferId x = b.buffer("x", DType::f32, kernel::Access::in);
  const kernel::BufferId y = b.buffer("y", DType::f16, kernel::Access::out);
  const kernel::Param n = b.param("n");
  b.lanes(n, [&](kernel::Counter c) {
    const kernel::Var size = b.compute(Op::absolute, {b.load(x, c * 3)});
    b.store(y, c, b.cast(b.compute(Op::multiply, {size, b.constant(DType::f32, 0.1)}), DType::f16));
  });
  return std::move(b).finish();
}

std::string object_for(const char* target_name) {
  const Target target = *target_by_name(target_name);
  const auto text = generate(with_constants(), target);
  EXPECT_TRUE(text.ok()) << text.error().to_string();
  const auto object = compile_with_llvm(*text, target);
  EXPECT_TRUE(object.ok()) << object.error().to_string();
  return *object;
}

TEST_F(CpuObjectCode, IsMadeForEveryTarget) {
  for (const char* name : {"sse2", "avx2", "avx512", "neon"}) {
    const std::string object = object_for(name);
    const auto file = ElfFile::read(object);
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->machine(), name == std::string_view("neon") ? EM_AARCH64 : EM_X86_64);
    const auto code = link_object(object, "pawl_constants");
    ASSERT_TRUE(code.ok()) << name << ": " << code.error().to_string();
    EXPECT_LT(code->entry, code->bytes.size());
  }
}

TEST_F(CpuObjectCode, TellsWhatIsMissing) {
  const std::string object = object_for("sse2");
  const auto code = link_object(object, "another");
  ASSERT_FALSE(code.ok());
  EXPECT_NE(code.error().message.find("has no function another"), std::string::npos);

  const Target target = *target_by_name("sse2");
  const auto calls = compile_with_llvm(
      "declare double @sinh(double)\n"
      "define double @f(double %x) {\n  %y = call double @sinh(double %x)\n  ret double %y\n}\n",
      target);
  ASSERT_TRUE(calls.ok());
  const auto refused = link_object(*calls, "f");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::unsupported);
  EXPECT_NE(refused.error().message.find("sinh"), std::string::npos) << refused.error().to_string();

  const auto data =
      compile_with_llvm("@d = global i32 3\ndefine i32 @f() {\n  %y = load i32, ptr @d\n  ret i32 %y\n}\n", target);
  ASSERT_TRUE(data.ok());
  EXPECT_FALSE(link_object(*data, "f").ok());
}

TEST_F(CpuObjectCode, SaysWhatLlvmSays) {
  const Target target = *target_by_name("sse2");
  const auto unread = compile_with_llvm("define void", target);
  ASSERT_FALSE(unread.ok());
  EXPECT_EQ(unread.error().code, Code::internal);
  const auto wrong = compile_with_llvm(
      "define i32 @f(i32 %x) {\nentry:\n  br label %next\nnext:\n  %y = phi i32 [ 0, %next ]\n  ret i32 %y\n}\n",
      target);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("PHI"), std::string::npos) << wrong.error().to_string();
}

/// A damaged file gives an error or code, and reads nothing outside of itself; the sanitizers watch.
TEST_F(CpuObjectCode, SurvivesDamage) {
  std::mt19937 random(5);
  for (const char* name : {"avx2", "neon"}) {
    const std::string object = object_for(name);
    for (std::size_t size = 0; size < object.size(); size += 7) {
      const std::string cut = object.substr(0, size);
      const auto code = link_object(cut, "pawl_constants");
      EXPECT_FALSE(code.ok() && size < sizeof(Elf64_Ehdr));
    }
    for (int i = 0; i < 20000; ++i) {
      std::string damaged = object;
      for (std::uint32_t k = 0; k < 1 + random() % 3; ++k)
        damaged[random() % damaged.size()] = static_cast<char>(random() % 4 == 0 ? 255 : random());
      const auto code = link_object(damaged, "pawl_constants");
      EXPECT_TRUE(!code.ok() || code->entry < code->bytes.size());
    }
  }
}

// What LLVM's own linker makes of the same references is checked by the kernels that run; here are the kinds that
// kernels have on AArch64, which this machine cannot run.
TEST_F(CpuObjectCode, PointsToConstantsOnAarch64) {
  const std::string object = object_for("neon");
  const auto code = link_object(object, "pawl_constants");
  ASSERT_TRUE(code.ok());
  // adrp x, page; then a load or an addition with the low bits: the constants lie within the code.
  bool found = false;
  for (std::size_t at = code->entry / 4 * 4; at + 4 <= code->bytes.size(); at += 4) {
    std::uint32_t instruction = 0;
    std::memcpy(&instruction, code->bytes.data() + at, 4);
    if ((instruction & 0x9F000000U) != 0x90000000U) continue;
    const std::uint32_t pages = ((instruction >> 29) & 3) | (((instruction >> 5) & 0x7FFFF) << 2);
    EXPECT_LT((at & ~std::size_t{4095}) + pages * 4096, code->bytes.size());
    found = true;
  }
  EXPECT_TRUE(found);
}

TEST(CpuExecutableMemory, HoldsCode) {
  const std::vector<std::uint8_t> code(5000, 0xC3);
  auto memory = ExecutableMemory::make(code);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(std::memcmp(memory->data(), code.data(), code.size()), 0);
  const ExecutableMemory moved = std::move(memory).value();
  EXPECT_EQ(moved.data()[4999], 0xC3);
  EXPECT_FALSE(CompiledKernel::load({{0xC3}, 1}).ok());
}

}  // namespace
}  // namespace pawl::cpu
