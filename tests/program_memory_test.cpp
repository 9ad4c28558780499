// Memory that callers hand back, and states that are given away.
#include <gtest/gtest.h>

#include "pawl/program.h"

namespace pawl {
namespace {

constexpr const char* kRunningSum = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[C] start, float[T, C] x) => (float[C] total, float[T, C] sums) {
  total, sums = Scan <num_scan_inputs = 1,
    body = step (float[C] s, float[C] v) => (float[C] next, float[C] sum) { next = Add(s, v)  sum = Identity(next) }> (start, x)
})";

Tensor numbers(Dims shape, float first) {
  Tensor tensor = Tensor::allocate(DType::f32, std::move(shape)).value();
  for (float& each : tensor.mutable_values<float>()) each = first++;
  return tensor;
}

std::vector<float> list(const Value& value) {
  const auto values = value.tensor().values<float>();
  return {values.begin(), values.end()};
}

RunOptions reusing(std::vector<Value>& spare) {
  RunOptions options;
  options.reuse = &spare;
  return options;
}

class MemoryWith : public ::testing::TestWithParam<Kernels> {
 protected:
  Program compile(const char* text) {
    return Program::compile(Model::from_text(text).value(), {.kernels = GetParam()}).value();
  }
  /// There may be no compiler.
  static bool ran_as_kernel(const Program& program) {
    return program.kernel_report() == std::vector<std::string>{"step: one kernel"};
  }
};

INSTANTIATE_TEST_SUITE_P(Kernels, MemoryWith, ::testing::Values(Kernels::off, Kernels::interpreted, Kernels::compiled));

TEST_P(MemoryWith, OfOutputsIsTakenAgain) {
  const Program program = compile(kRunningSum);
  const std::vector<Value> inputs = {numbers({2}, 1), numbers({3, 2}, 0)};
  std::vector<Value> outputs = program.run(inputs).value();
  const std::vector<float> total = list(outputs[0]);
  const std::vector<float> sums = list(outputs[1]);
  EXPECT_EQ(total, (std::vector<float>{7, 11}));
  const std::byte* memory = outputs[1].tensor().bytes();
  const Value kept = outputs[0];
  std::vector<Value> spare = std::move(outputs);
  outputs = program.run(inputs, reusing(spare)).value();
  EXPECT_EQ(list(outputs[0]), total);
  EXPECT_EQ(list(outputs[1]), sums);
  EXPECT_NE(outputs[0].tensor().bytes(), kept.tensor().bytes()) << "somebody else holds it";
  EXPECT_EQ(list(kept), total);
  ASSERT_EQ(spare.size(), 2U);
  EXPECT_TRUE(spare[0].is_tensor());
  if (ran_as_kernel(program)) {
    EXPECT_EQ(outputs[1].tensor().bytes(), memory);
    EXPECT_TRUE(spare[1].is_none());
  }
}

TEST_P(MemoryWith, OfAnotherTypeOrSizeIsLeftAlone) {
  const Program program = compile(kRunningSum);
  const std::vector<Value> inputs = {numbers({2}, 1), numbers({3, 2}, 0)};
  std::vector<Value> spare = {numbers({3, 3}, 0),
                              Tensor::of<std::int32_t>({6}, {0, 0, 0, 0, 0, 0}),
                              numbers({3, 2}, 0).view({2, 3}, {1, 2}),
                              Value(),
                              Value(Tensor()),
                              Value(Sequence(DType::f32)),
                              inputs[1]};
  const std::vector<Value> outputs = program.run(inputs, reusing(spare)).value();
  EXPECT_EQ(list(outputs[1]), (std::vector<float>{1, 3, 3, 6, 7, 11}));
  EXPECT_EQ(list(inputs[1]), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(spare[0].is_tensor() && spare[1].is_tensor() && spare[2].is_tensor() && spare[6].is_tensor());
}

TEST_P(MemoryWith, OfStatesThatAreGivenAwayIsUpdatedInPlace) {
  const Program program = compile(kRunningSum);
  Value state = numbers({2}, 0);
  const std::byte* memory = state.tensor().bytes();
  std::vector<Value> spare;
  for (int step = 0; step < 5; ++step) {
    std::vector<Value> inputs;
    inputs.push_back(std::move(state));
    inputs.emplace_back(numbers({1, 2}, 10));
    std::vector<Value> outputs = program.run_in_place(std::move(inputs), reusing(spare)).value();
    state = std::move(outputs[0]);
    spare = std::move(outputs);
    EXPECT_EQ(list(state),
              (std::vector<float>{10.0F * static_cast<float>(step + 1), 11.0F * static_cast<float>(step + 1) + 1}));
    if (ran_as_kernel(program)) {
      EXPECT_EQ(state.tensor().bytes(), memory);
    }
  }
}

TEST_P(MemoryWith, OfStatesThatOthersHoldIsNotWrittenTo) {
  const Program program = compile(kRunningSum);
  const Value state = numbers({2}, 1);
  const Tensor x = numbers({3, 2}, 0);
  for (int round = 0; round < 2; ++round) {
    const std::vector<Value> outputs = program.run_in_place({state, x}).value();
    EXPECT_EQ(list(outputs[0]), (std::vector<float>{7, 11}));
    EXPECT_EQ(list(state), (std::vector<float>{1, 2}));
  }
  // The state lies in the memory of the elements.
  const Tensor both = numbers({3, 2}, 0);
  const std::vector<Value> outputs = program.run_in_place({both.select(0, 2), both}).value();
  EXPECT_EQ(list(outputs[0]), (std::vector<float>{10, 14}));
  EXPECT_EQ(list(both), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST(Memory, OfLargeTensorsBeginsWithAHugePage) {
  const Tensor large = Tensor::allocate(DType::u8, {(2 << 20) + 1}).value();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.bytes()) % (2 << 20), 0U);
}

TEST(Work, CountsOperationsAndSteps) {
  const Program program = Program::compile(Model::from_text(kRunningSum).value()).value();
  const std::vector<Value> inputs = {numbers({2}, 1), numbers({3, 2}, 0)};
  const Work work = program.work(inputs).value();
  EXPECT_EQ(work.steps, 3);
  EXPECT_EQ(work.operations, 6);
  EXPECT_FALSE(program.work({}).ok());
}

}  // namespace
}  // namespace pawl
