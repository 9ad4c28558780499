// Scans whose steps have more in common than stays in a cache: piece after piece of an axis, all steps of each.
#include <gtest/gtest.h>

#include <random>

#include "cpu_kernel_run.h"
#include "pawl/model.h"
#include "pawl/program.h"
#include "tensor/compare.h"

namespace pawl {
namespace {

/// Distances of N elements from 2100 points of 130 numbers, 1.1 MB: the last piece is a short one.
constexpr const char* kDistances = R"(<ir_version: 8, opset_import: ["" : 18]>
g (float[2100,130] p, float[N,130] x) => (float[N,2100] y) <int64[1] one = {1}> {
  y = Scan <num_scan_inputs = 1, body = step (float[130] e) => (float[2100] o) {
    d = Sub(p, e)  o = ReduceSumSquare <keepdims = 0> (d, one) }> (x)
})";

Tensor random_tensor(const Dims& shape, std::uint32_t seed) {
  std::mt19937 random(seed);
  Tensor made = *Tensor::allocate(DType::f32, shape);
  for (float& each : made.mutable_values<float>()) each = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
  return made;
}

using CompiledPieces = cpu::CompilingTest;

TEST_F(CompiledPieces, GiveWhatTheWholeGives) {
  const Result<Model> model = Model::from_text(kDistances);
  ASSERT_TRUE(model.ok()) << model.error().to_string();
  for (const std::int64_t steps : {1, 16, 37}) {
    const std::vector<Value> inputs = {random_tensor({2100, 130}, 3), random_tensor({steps, 130}, 4)};
    for (const Guarantee guarantee : {Guarantee::deterministic, Guarantee::exact}) {
      const Result<Program> reference =
          Program::compile(*model, {.guarantee = guarantee, .kernels = Kernels::off, .threads = 1});
      ASSERT_TRUE(reference.ok());
      const Result<std::vector<Value>> want = reference->run(inputs);
      ASSERT_TRUE(want.ok()) << want.error().to_string();
      for (const int threads : {1, 2, 3}) {
        const Result<Program> program = Program::compile(*model, {.guarantee = guarantee, .threads = threads});
        ASSERT_TRUE(program.ok());
        const Result<std::vector<Value>> got = program->run(inputs);
        ASSERT_TRUE(got.ok()) << got.error().to_string();
        const bool exact = guarantee == Guarantee::exact;
        const auto difference =
            first_difference((*got)[0], (*want)[0], exact ? Tolerance{0, 0} : Tolerance{1e-5, 1e-6});
        EXPECT_FALSE(difference) << steps << " steps, " << threads << " threads: " << *difference;
      }
    }
  }
}

}  // namespace
}  // namespace pawl
