// Elements of long Scans that are made block by block of steps.
#include <gtest/gtest.h>

#include "pawl/program.h"
#include "tensor/compare.h"

namespace pawl {
namespace {

/// What makes the elements: a chain, a Split, a value that is read as a whole. `x` is read behind the Scan too.
constexpr const char* kModel = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[8] start, float[T, 2048] x, float[8] scale, float[1, 8] shift) => (float[8] last, float[8, T] sums, float[T, 2048] twice) {
  half = Constant <value_float = 0.5> ()
  sizes = Constant <value_ints = [8, 2032, 8]> ()
  smaller = Mul(x, half)
  squares = Mul(smaller, smaller)
  a, rest, b = Split <axis = 1> (squares, sizes)
  c = Mul(a, scale)
  d = Add(c, shift)
  last, sums = Scan <num_scan_inputs = 2, scan_output_axes = [1],
    body = step (float[8] s, float[8] u, float[8] v) => (float[8] next, float[8] sum) {
      m = Mul(u, v)
      n = Add(s, m)
      next = Mul(n, scale)
      sum = Add(next, s) }> (start, d, b)
  twice = Add(x, x)
})";

Tensor numbers(const Dims& shape, int period) {
  Tensor tensor = Tensor::allocate(DType::f32, shape).value();
  std::int64_t i = 0;
  for (float& each : tensor.mutable_values<float>())
    each = static_cast<float>(++i % period) / static_cast<float>(period);
  return tensor;
}

std::vector<Value> inputs_of(std::int64_t steps) {
  return {numbers({8}, 3), numbers({steps, 2048}, 1009), numbers({8}, 9), numbers({1, 8}, 5)};
}

/// Calls of the Scan's kernel in one run.
std::int64_t kernel_calls(const Program& program, const std::vector<Value>& inputs, std::vector<Value>& outputs) {
  Profile profile;
  RunOptions options;
  options.profile = &profile;
  outputs = program.run(inputs, options).value();
  std::int64_t calls = 0;
  for (const Profile::Row& row : profile.rows())
    if (row.operation == "kernel" && row.place.find("Scan") != std::string::npos) calls += row.calls;
  return calls;
}

class ScanBlocks : public ::testing::TestWithParam<Guarantee> {};
INSTANTIATE_TEST_SUITE_P(Guarantees, ScanBlocks, ::testing::Values(Guarantee::deterministic, Guarantee::exact));

TEST_P(ScanBlocks, GiveWhatTheWholeGives) {
  const Model model = Model::from_text(kModel).value();
  const Program expected = Program::compile(model, {.kernels = Kernels::off}).value();
  const Program program = Program::compile(model, {.guarantee = GetParam(), .threads = 2}).value();
  const double bound = GetParam() == Guarantee::exact ? 0 : 1e-5;
  for (const std::int64_t steps : {10, 500, 3001}) {
    const std::vector<Value> inputs = inputs_of(steps);
    const std::vector<Value> wanted = expected.run(inputs).value();
    for (int round = 0; round < 2; ++round) {
      std::vector<Value> outputs;
      const std::int64_t calls = kernel_calls(program, inputs, outputs);
      if (calls == 0) GTEST_SKIP() << "no compiler";
      EXPECT_EQ(calls > 1, steps > 3000) << steps;
      for (std::size_t i = 0; i < wanted.size(); ++i)
        EXPECT_FALSE(first_difference(outputs[i], wanted[i], {bound, bound})) << i << " of " << steps;
    }
  }
}

/// What somebody else reads too has to be there as a whole.
TEST(ScanBlocks, AreNoneOfWhatIsAResult) {
  std::string text = kModel;
  const auto replace = [&](std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("float[T, 2048] twice)", "float[T, 2048] squares)");
  replace("  twice = Add(x, x)\n", "");
  const Program program = Program::compile(Model::from_text(text).value(), {.threads = 1}).value();
  const Program expected = Program::compile(Model::from_text(text).value(), {.kernels = Kernels::off}).value();
  const std::vector<Value> inputs = inputs_of(3001);
  std::vector<Value> outputs;
  EXPECT_LE(kernel_calls(program, inputs, outputs), 1);
  const std::vector<Value> wanted = expected.run(inputs).value();
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_FALSE(first_difference(outputs[i], wanted[i], {1e-5, 1e-5}));
}

}  // namespace
}  // namespace pawl
