// Conv inside of bodies as part of their kernels, held against the evaluator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "cpu_program_run.h"

namespace pawl {
namespace {

struct Filter {
  const char* attributes;
  Dims image;   ///< [N, C, …]
  Dims filter;  ///< [O, C / groups, …]
};

const Filter kFilters[] = {
    {"kernel_shape = [4], group = 9, pads = [3, 0]", {2, 9, 21}, {9, 1, 4}},
    {"kernel_shape = [4], group = 9, pads = [3, 3], strides = [2]", {1, 9, 20}, {9, 1, 4}},
    {"group = 5, auto_pad = \"SAME_UPPER\", dilations = [3]", {1, 5, 17}, {5, 1, 4}},
    {"group = 5, auto_pad = \"SAME_LOWER\", strides = [3]", {1, 5, 17}, {5, 1, 4}},
    {"kernel_shape = [3]", {2, 7, 19}, {11, 7, 3}},
    {"kernel_shape = [1]", {1, 33, 40}, {20, 33, 1}},
    {"pads = [1, 2, 3, 1], strides = [1, 2], dilations = [2, 1]", {1, 3, 9, 11}, {4, 3, 3, 4}},
    {"auto_pad = \"VALID\"", {2, 3, 6, 5}, {2, 3, 3, 3}},
    {"group = 6, pads = [1, 1, 1, 1]", {1, 6, 7, 8}, {6, 1, 3, 3}},
};

std::string list(const Dims& shape, std::mt19937& random) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  std::string numbers;
  for (std::int64_t i = 0; i < count; ++i)
    numbers += fmt::format("{}{}", i == 0 ? "" : ",", std::uniform_real_distribution<float>(-1, 1)(random));
  return numbers;
}

std::string dims(const Dims& shape) {
  std::string text = to_string(shape);
  return text.substr(1, text.size() - 2);
}

TEST(Convolution, OfEveryStep) {
  std::mt19937 random(31);
  for (const Filter& each : kFilters)
    for (const bool biased : {false, true}) {
      const std::string text = fmt::format(
          R"(<ir_version: 8, opset_import: ["" : 18]>
g (float s0, float[T,{0}] x) => (float s, float[] y) <float[{1}] w = {{{2}}}, float[{3}] bias = {{{4}}}> {{
  s, y = Scan <num_scan_inputs = 1, body = b (float p, float[{0}] e) => (float q, float[] o) {{
    c = Conv <{5}> (e, w{6})  k = Mul(p, c)  o = Add(k, c)  half = Constant <value = float {{0.5}}> ()  q = Mul(p, half) }}> (s0, x) }})",
          dims(each.image), dims(each.filter), list(each.filter, random), each.filter[0],
          list({each.filter[0]}, random), each.attributes, biased ? ", bias" : "");
      const Result<Program> want = compiled(text, {.kernels = Kernels::off});
      ASSERT_TRUE(want.ok()) << want.error().message << text;
      Dims shape = each.image;
      shape.insert(0, 3);
      Tensor x = Tensor::allocate(DType::f32, shape).value();
      for (float& number : x.mutable_values<float>()) number = std::uniform_real_distribution<float>(-1, 1)(random);
      const Values inputs = {Tensor::scalar<float>(0.75F), x};
      const Result<Values> reference = want->run(inputs);
      ASSERT_TRUE(reference.ok()) << reference.error().message;
      for (const Guarantee guarantee : {Guarantee::deterministic, Guarantee::exact}) {
        const Program program = *compiled(text, {.guarantee = guarantee, .threads = 1});
        const Result<Values> got = program.run(inputs);
        ASSERT_TRUE(got.ok()) << got.error().message;
        const bool exact = guarantee == Guarantee::exact;
        expect_same(*got, *reference, exact ? Tolerance{0, 0} : Tolerance{1e-5, 1e-5}, each.attributes);
        if (exact) continue;
        EXPECT_NE(report(program).find("b: one kernel"), std::string::npos) << report(program) << each.attributes;
      }
    }
}

TEST(Convolution, ZerosThatArePaddedMeetNoInfinity) {
  // What is padded is left out of the sums: 0 times infinity would be NaN.
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 18]>
g (float[1,1] s0, float[2,1,2,3] x) => (float[1,1] s, float[2,1,2,3] y)
    <float[2,1,3] w = {1, inf, 1, inf, 1, 1}> {
  s, y = Scan <num_scan_inputs = 1, body = b (float[1,1] p, float[1,2,3] e) => (float[1,1] q, float[1,2,3] o) {
    o = Conv <group = 2, pads = [1, 1]> (e, w)  q = Identity(p) }> (s0, x) })";
  const float inf = std::numeric_limits<float>::infinity();
  const Values inputs = {Tensor::of<float>({1, 1}, {0}),
                         Tensor::of<float>({2, 1, 2, 3}, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6})};
  // The second channel's first output has its infinity in the padding.
  const Values want = {Tensor::of<float>({1, 1}, {0}),
                       Tensor::of<float>({2, 1, 2, 3}, {inf, inf, inf, 3, inf, inf, inf, inf, inf, 9, inf, inf})};
  for (const Kernels kernels : {Kernels::off, Kernels::compiled})
    expect_same(compiled(text, {.kernels = kernels})->run(inputs).value(), want, {1e-6, 0});
}

}  // namespace
}  // namespace pawl
