// Scans along an axis that lies inside of others, which are turned over, held against the evaluator.
#include <gtest/gtest.h>

#include <random>

#include "cpu_program_run.h"

namespace pawl {
namespace {

constexpr const char* kHead = "<ir_version: 8, opset_import: [\"\" : 18]>\n";

struct Subject {
  const char* text;
  std::vector<Dims> (*shapes)(std::int64_t steps);
};

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> kSubjects = {
      {R"(g (float[C] s0, float[C,T] x) => (float[C] s, float[C,T] y) {
        s, y = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [1],
            body = b (float[C] p, float[C] e) => (float[C] q, float[C] o) { q = Add(p, e)  o = Identity(q) }> (s0, x) })",
       [](std::int64_t steps) { return std::vector<Dims>{{70}, {70, steps}}; }},
      {R"(g (float[C] s0, float[C,T] x, float[T,C] z) => (float[C] s, float[C,T] y, float[T,C] w) {
        s, y, w = Scan <num_scan_inputs = 2, scan_input_axes = [-1, 0], scan_input_directions = [1, 0],
            scan_output_axes = [-1, 0], scan_output_directions = [0, 1],
            body = b (float[C] p, float[C] e, float[C] f) => (float[C] q, float[C] o, float[C] r) {
              g1 = Sigmoid(f)  k = Mul(g1, p)  q = Add(k, e)  o = Sub(q, f)  r = Mul(q, e) }> (s0, x, z) })",
       [](std::int64_t steps) { return std::vector<Dims>{{33}, {33, steps}, {steps, 33}}; }},
      {R"(g (double[4,9] s0, double[4,9,T,2] x, double[9] w) => (double[4,9] s, double[4,T,9] y) {
        s, y = Scan <num_scan_inputs = 1, scan_input_axes = [2], scan_output_axes = [1],
            body = b (double[4,9] p, double[4,9,2] e) => (double[4,9] q, double[4,9] o) {
              last = Constant <value_ints = [-1]> ()  r = ReduceMax <keepdims = 0> (e, last)
              k = Mul(r, w)  q = Max(p, k)  o = Sub(q, p) }> (s0, x) })",
       [](std::int64_t steps) { return std::vector<Dims>{{4, 9}, {4, 9, steps, 2}, {9}}; }},
  };
  return kSubjects;
}

Values inputs_of(const Program& program, const std::vector<Dims>& shapes, std::mt19937& random) {
  Values inputs;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Tensor tensor = Tensor::allocate(program.inputs()[i].type.dtype, shapes[i]).value();
    std::uniform_real_distribution<float> some(-1, 1);
    if (tensor.dtype() == DType::f32)
      for (float& each : tensor.mutable_values<float>()) each = some(random);
    else
      for (double& each : tensor.mutable_values<double>()) each = static_cast<double>(some(random));
    inputs.emplace_back(std::move(tensor));
  }
  return inputs;
}

TEST(TurnedScans, GiveWhatTheEvaluatorGives) {
  std::mt19937 random(23);
  for (const Subject& subject : subjects()) {
    const auto text = std::string(kHead) + subject.text;
    const Program want = *compiled(text, {.kernels = Kernels::off});
    for (const int threads : {1, 2})
      for (const bool exact : {false, true}) {
        const Program program =
            *compiled(text, {.guarantee = exact ? Guarantee::exact : Guarantee::deterministic, .threads = threads});
        Values spare;
        RunOptions options;
        options.reuse = &spare;
        // Fewer than are turned, none, and more than a thread takes.
        for (const std::int64_t steps : {40, 3, 0, 1000, 40, 17}) {
          const Values inputs = inputs_of(program, subject.shapes(steps), random);
          Result<Values> got = program.run(inputs, options);
          const Result<Values> reference = want.run(inputs);
          ASSERT_TRUE(got.ok() && reference.ok());
          expect_same(*got, *reference, exact ? Tolerance{0, 0} : Tolerance{1e-5, 1e-5},
                      text + ", " + std::to_string(steps) + " steps");
          spare = *std::move(got);
        }
        EXPECT_NE(report(program).find("b: one kernel"), std::string::npos) << report(program);
      }
  }
}

}  // namespace
}  // namespace pawl
