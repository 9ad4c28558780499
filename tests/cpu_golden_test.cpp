// The IR of a few kernels, as files: what changes in the generator shows in them. tools/golden writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "backend/cpu/generate.h"
#include "kernel/builder.h"

namespace pawl::cpu {
namespace {

using expr::Op;
using kernel::Access;
using kernel::BufferId;
using kernel::Builder;
using kernel::Counter;
using kernel::Param;
using kernel::Program;
using kernel::Var;

Program running_sum() {
  Builder b("running_sum");
  const BufferId x = b.buffer("x", DType::f32, Access::in), s = b.buffer("s", DType::f32, Access::inout),
                 y = b.buffer("y", DType::f32, Access::out);
  const Param T = b.param("T"), C = b.param("C");
  b.lanes(
      C,
      [&](Counter c) {
        const auto after = b.steps(T, {b.load(s, c)}, [&](Counter t, std::span<const Var> state) {
          const Var next = b.compute(Op::add, {state[0], b.load(x, t * C + c)});
          b.store(y, t * C + c, next, true);
          return std::vector{next};
        });
        b.store(s, c, after[0]);
      },
      2);
  return std::move(b).finish(true);
}

Program matrix_by_vector() {
  Builder b("matvec");
  const BufferId w = b.buffer("w", DType::f32, Access::in), x = b.buffer("x", DType::f32, Access::in),
                 y = b.buffer("y", DType::f32, Access::out);
  const Param M = b.param("M"), K = b.param("K");
  b.lanes(
      M,
      [&](Counter m) {
        const auto sum = b.reduced(K, {{Op::add, b.constant(DType::f32, 0)}}, [&](Counter k) -> std::vector<Var> {
          return {b.compute(Op::multiply, {b.load(w, m * K + k), b.load(x, k)})};
        });
        b.store(y, m, sum[0]);
      },
      2);
  return std::move(b).finish(true);
}

Program half_maximum() {
  Builder b("half_maximum");
  const BufferId x = b.buffer("x", DType::f16, Access::in), y = b.buffer("y", DType::f16, Access::out);
  b.lanes(b.param("n"), [&](Counter c) {
    const Var value = b.cast(b.load(x, c), DType::f32);
    b.store(y, c, b.cast(b.compute(Op::maximum, {value, b.constant(DType::f32, 0)}), DType::f16));
  });
  return std::move(b).finish();
}

Program flags() {
  Builder b("flags");
  const BufferId x = b.buffer("x", DType::boolean, Access::in), y = b.buffer("y", DType::boolean, Access::out);
  const Param n = b.param("n");
  b.lanes(n, [&](Counter c) {
    b.store(y, c, b.compute(Op::bit_xor, {b.load(x, n - 1 - c), b.load(x, 2 * kernel::Form(c))}));
  });
  return std::move(b).finish();
}

void expect_golden(const Program& program, const char* target) {
  const auto text = generate(program, *target_by_name(target));
  ASSERT_TRUE(text.ok()) << text.error().to_string();
  const std::string path = fmt::format("{}/tests/golden/{}.{}.ll", PAWL_SOURCE, program.name, target);
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  if (std::getenv("PAWL_WRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << *text;
    return;
  }
  std::ostringstream want;
  want << std::ifstream(path).rdbuf();
  EXPECT_EQ(*text, want.str()) << "tools/golden writes " << path << " anew";
}

TEST(CpuGolden, IsTheText) {
  expect_golden(running_sum(), "avx512");
  expect_golden(matrix_by_vector(), "avx2");
  expect_golden(half_maximum(), "avx512");
  expect_golden(half_maximum(), "sse2");
  expect_golden(flags(), "neon");
}

}  // namespace
}  // namespace pawl::cpu
