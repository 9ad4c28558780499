// Products of matrices outside of loops, of types that no library multiplies here, held against the evaluator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "cpu_program_run.h"

namespace pawl {
namespace {

constexpr const char* kHead = "<ir_version: 8, opset_import: [\"\" : 18]>\n";

/// Numbers that no sum of a few hundred of takes out of a 16-bit type's range.
Tensor numbers(DType dtype, const Dims& shape, std::mt19937& random) {
  Tensor doubles = Tensor::allocate(DType::f64, shape).value();
  for (double& each : doubles.mutable_values<double>()) each = std::uniform_real_distribution<double>(-1, 1)(random);
  const auto cast = fmt::format("{}g (double[] x) => ({}[] y) {{ y = Cast <to = {}> (x) }}", kHead, name(dtype),
                                dtype == DType::f64   ? 11
                                : dtype == DType::f16 ? 10
                                                      : 16);
  const Values made = {doubles};
  return compiled(cast, {.kernels = Kernels::off})->run(made).value()[0].tensor();
}

struct Subject {
  const char* text;  ///< {0} stands for the type
  std::vector<std::vector<Dims>> shapes;
};

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> kSubjects = {
      {"g ({0}[] a, {0}[] b) => ({0}[] y) {{ y = MatMul(a, b) }}",
       {{{1, 1}, {1, 1}},
        {{3, 17}, {17, 5}},
        {{70, 33}, {33, 65}},
        {{1, 300}, {300, 40}},
        {{40, 300}, {300, 1}},
        {{5, 0}, {0, 4}},
        {{0, 3}, {3, 4}},
        {{17}, {17, 9}},
        {{9, 17}, {17}},
        {{2, 3, 20, 8}, {3, 8, 6}},
        {{200, 64}, {64, 130}}}},
      {"g ({0}[M,K] a, {0}[N,K] b) => ({0}[M,N] y) {{ t = Transpose <perm = [1, 0]> (b)  y = MatMul(a, t) }}",
       {{{19, 40}, {33, 40}}, {{64, 16}, {16, 16}}}},
      {"g ({0}[M,K] a, {0}[K,N] b, {0}[N] c) => ({0}[M,N] y, {0}[M,N] z) {{ p = MatMul(a, b)  q = Add(p, c)  y = "
       "Tanh(q)  z = "
       "Mul(p, q) }}",
       {{{33, 20}, {20, 37}, {37}}, {{1, 64}, {64, 64}, {64}}}},
      {"g ({0}[M,K] a, {0}[K,N] b, {0}[N,K] c) => ({0}[M,K] y) {{ p = MatMul(a, b)  q = Sigmoid(p)  y = MatMul(q, c) "
       "}}",
       {{{21, 18}, {18, 40}, {40, 18}}, {{300, 8}, {8, 70}, {70, 8}}}},
      {"g ({0}[K,M] a, {0}[N,K] b, {0}[N] c) => ({0}[M,N] y) {{ y = Gemm <transA = 1, transB = 1, alpha = 0.5, beta = "
       "-2.0> "
       "(a, b, c) }}",
       {{{20, 33}, {37, 20}, {37}}, {{1, 2}, {3, 1}, {3}}, {{0, 4}, {5, 0}, {5}}}},
      {"g ({0}[M,K] a, {0}[K,N] b) => ({0}[M,N] y) {{ y = Gemm(a, b) }}", {{{20, 33}, {33, 37}}}},
  };
  return kSubjects;
}

TEST(Products, OfOtherTypesThanFloat) {
  std::mt19937 random(17);
  for (const DType dtype : {DType::f64, DType::f16, DType::bf16}) {
    // One rounding to the type, and the sums' own.
    const double unit = dtype == DType::f64 ? 1e-13 : dtype == DType::f16 ? 1.0 / 1024 : 1.0 / 128;
    for (const Subject& subject : subjects()) {
      const auto text = kHead + fmt::format(fmt::runtime(subject.text), name(dtype));
      const Result<Program> want = compiled(text, {.kernels = Kernels::off});
      ASSERT_TRUE(want.ok()) << want.error().message << "\n" << text;
      for (const bool exact : {false, true}) {
        const Program program =
            *compiled(text, {.guarantee = exact ? Guarantee::exact : Guarantee::deterministic, .threads = 2});
        for (const std::vector<Dims>& shapes : subject.shapes) {
          Values inputs;
          for (const Dims& shape : shapes) inputs.emplace_back(numbers(dtype, shape, random));
          const Result<Values> got = program.run(inputs), reference = want->run(inputs);
          ASSERT_TRUE(got.ok()) << got.error().message;
          ASSERT_TRUE(reference.ok()) << reference.error().message;
          expect_same(*got, *reference, exact ? Tolerance{0, 0} : Tolerance{2 * unit, 4 * unit},
                      fmt::format("{}{} of {}", text, exact ? ", exact," : "", to_string(shapes[0])));
        }
        EXPECT_EQ(report(program).find("internal error"), std::string::npos) << report(program);
      }
    }
  }
}

TEST(Products, KeepNaNAndInfinities) {
  const auto text = std::string(kHead) + "g (double[2,3] a, double[3,2] b) => (double[2,2] y) { y = MatMul(a, b) }";
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const Values inputs = {Tensor::of<double>({2, 3}, {1, inf, 0, 0, nan, 1}),
                         Tensor::of<double>({3, 2}, {1, 2, 3, 0, 5, 6})};
  // inf·3, and inf·0; NaN in all of the second row.
  const Values want = {Tensor::of<double>({2, 2}, {inf, nan, nan, nan})};
  expect_same(compiled(text, {})->run(inputs).value(), want, {0, 0});
}

}  // namespace
}  // namespace pawl
