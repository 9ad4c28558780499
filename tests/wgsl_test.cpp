// Shaders: what they are made of, and what they refuse. That they compute what kernels mean is tested by all cases,
// where there is a device (tools/test_shaders).
#include <gtest/gtest.h>

#include "backend/wgsl/generate.h"
#include "kernel/builder.h"

namespace pawl::wgsl {
namespace {

using expr::Op;
using kernel::Access;
using kernel::BufferId;
using kernel::Builder;
using kernel::Counter;
using kernel::Param;
using kernel::Program;
using kernel::Var;

/// lanes c < C: steps t < T: y[t * C + c] = the sum so far.
Program running_sum() {
  Builder b("running_sum");
  const BufferId x = b.buffer("x", DType::f32, Access::in), y = b.buffer("y", DType::f32, Access::out);
  const Param T = b.param("T"), C = b.param("C");
  b.lanes(C, [&](Counter c) {
    b.steps(T, {b.constant(DType::f32, 0)}, [&](Counter t, std::span<const Var> sum) {
      const Var next = b.compute(Op::add, {sum[0], b.load(x, t * C + c)});
      b.store(y, t * C + c, next);
      return std::vector{next};
    });
  });
  return std::move(b).finish();
}

Program copies(DType dtype, int buffers) {
  Builder b("copies");
  const Param n = b.param("n");
  const BufferId y = b.buffer("y", dtype, Access::out);
  std::vector<BufferId> all;
  for (int i = 1; i < buffers; ++i) all.push_back(b.buffer("x" + std::to_string(i), dtype, Access::in));
  b.lanes(n, [&](Counter c) {
    for (const BufferId each : all) b.store(y, c, b.load(each, c));
  });
  return std::move(b).finish();
}

void expect_refused(const Program& program, const std::string& words) {
  const Result<Shader> shader = generate(program, {});
  ASSERT_FALSE(shader.ok());
  EXPECT_EQ(shader.error().code, Code::unsupported);
  EXPECT_NE(shader.error().message.find(words), std::string::npos) << shader.error().message;
}

TEST(Wgsl, GivesEachLaneAnInvocation) {
  Target target;
  target.workgroup_size = 64;
  const Result<Shader> shader = generate(running_sum(), target);
  ASSERT_TRUE(shader.ok()) << shader.error().to_string();
  EXPECT_FALSE(shader->is_one_workgroup);
  ASSERT_EQ(shader->lanes.size(), 1U);
  for (const char* line : {"@group(0) @binding(0) var<storage, read> b_x: array<f32>;",
                           "@group(0) @binding(1) var<storage, read_write> b_y: array<f32>;",
                           "@group(0) @binding(2) var<uniform> params: Params;", "@compute @workgroup_size(64)"})
    EXPECT_NE(shader->text.find(line), std::string::npos) << line << " in " << shader->text;
}

TEST(Wgsl, WaitsInOneWorkgroup) {
  Builder b("two_stages");
  const BufferId s = b.buffer("s", DType::i32, Access::inout), y = b.buffer("y", DType::i32, Access::out);
  const Param n = b.param("n");
  b.lanes(n, [&](Counter c) { b.store(s, c, b.integer(DType::i32, 7)); });
  b.barrier();
  b.lanes(n, [&](Counter c) { b.store(y, c, b.load(s, n - 1 - c)); });
  const Result<Shader> shader = generate(std::move(b).finish(), {});
  ASSERT_TRUE(shader.ok()) << shader.error().to_string();
  EXPECT_TRUE(shader->is_one_workgroup);
  EXPECT_NE(shader->text.find("storageBarrier();"), std::string::npos);
}

TEST(Wgsl, RefusesWhatDevicesLack) {
  for (const DType dtype : {DType::f64, DType::i64, DType::u64, DType::i8, DType::bf16})
    expect_refused(copies(dtype, 2), "WGSL has no type " + std::string(name(dtype)));
  expect_refused(copies(DType::f16, 2), "shader-f16");
  Target half;
  half.f16 = true;
  EXPECT_TRUE(generate(copies(DType::f16, 2), half).ok());
  EXPECT_TRUE(generate(copies(DType::f32, 8), {}).ok());
  expect_refused(copies(DType::f32, 9), "the kernel has 9 buffers, the device binds 8");
}

}  // namespace
}  // namespace pawl::wgsl
