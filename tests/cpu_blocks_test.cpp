// Steps with large matrices: gone through in blocks of lanes, matrices packed in tiles, blocks shared by threads. What
// the evaluator has is right.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "backend/cpu/meeting.h"
#include "backend/cpu/threads.h"
#include "cpu_kernel_run.h"
#include "cpu_program_run.h"

namespace pawl {
namespace {

struct Subject {
  const char* name;
  const char* text;
};

constexpr const char* kHead = R"(<ir_version: 8, opset_import: ["" : 18]> )";

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> kSubjects = {
      {"one matrix", R"(g (float[B,H] h0, float[T,B,H] x, float[H,H] r) => (float[B,H] h, float[T,B,H] y) {
        h, y = Scan <num_scan_inputs = 1, body = b (float[B,H] p, float[B,H] e) => (float[B,H] q, float[B,H] o) {
          m = MatMul(p, r)  a = Add(m, e)  q = Tanh(a)  o = Identity(q) }> (h0, x) })"},
      {"four gates of one matrix",
       R"(g (float[B,H] h0, float[B,H] c0, float[T,B,G] x, float[H,G] r) => (float[B,H] h, float[B,H] c, float[T,B,H] y) {
        h, c, y = Scan <num_scan_inputs = 1,
          body = b (float[B,H] p, float[B,H] k, float[B,G] e) => (float[B,H] q, float[B,H] l, float[B,H] o) {
            m = MatMul(p, r)  a = Add(m, e)  i, f, g, z = Split <axis = 1, num_outputs = 4> (a)
            si = Sigmoid(i)  sf = Sigmoid(f)  sz = Sigmoid(z)  tg = Tanh(g)
            kept = Mul(sf, k)  new = Mul(si, tg)  l = Add(kept, new)  tl = Tanh(l)  q = Mul(sz, tl)  o = Identity(q)
          }> (h0, c0, x) })"},
      {"a matrix of doubles, transposed", R"(g (double[B,H] h0, double[T,B,H] x, double[H,H] r) => (double[B,H] h) {
        h = Scan <num_scan_inputs = 1, body = b (double[B,H] p, double[B,H] e) => (double[B,H] q) {
          t = Transpose <perm = [1, 0]> (r)  m = MatMul(p, t)  a = Add(m, e)  q = Tanh(a) }> (h0, x) })"},
      {"two matrices, one after the other",
       R"(g (float[B,H] h0, float[T,B,H] x, float[H,G] r, float[G,H] w) => (float[B,H] h, float[T,B,G] y) {
        h, y = Scan <num_scan_inputs = 1, scan_input_directions = [1],
          body = b (float[B,H] p, float[B,H] e) => (float[B,H] q, float[B,G] o) {
            a = Add(p, e)  m = MatMul(a, r)  o = Relu(m)  n = MatMul(o, w)  q = Tanh(n) }> (h0, x) })"},
      {"a softmax over all that a matrix gives",
       R"(g (float[B,H] h0, float[T,B,H] x, float[H,H] r) => (float[B,H] h, float[T,B,H] y, float[T,B] most) {
        h, y, most = Scan <num_scan_inputs = 1,
          body = b (float[B,H] p, float[B,H] e) => (float[B,H] q, float[B,H] o, float[B] u) {
            m = MatMul(p, r)  a = Add(m, e)  q = Softmax <axis = 1> (a)  o = Identity(a)
            axis = Constant <value = int64[1] {1}> ()  u = ReduceMax <keepdims = 0> (a, axis) }> (h0, x) })"},
      {"the greatest of each column",
       R"(g (float[B,H] h0, float[T,H] x, float[H,H] r) => (float[B,H] h, int64[T,B,H] y) {
        h, y = Scan <num_scan_inputs = 1, body = b (float[B,H] p, float[H] e) => (float[B,H] q, int64[B,H] o) {
          one = Constant <value = int64[1] {2}> ()  u = Unsqueeze(p, one)  s = Add(u, r)
          o = ArgMax <axis = 1, keepdims = 0> (s)  axis = Constant <value = int64[1] {1}> ()
          m = ReduceMax <keepdims = 0> (s, axis)  q = Add(m, e) }> (h0, x) })"},
      {"a state that is joined anew",
       R"(g (float[B,H] h0, float[T,B,H] x, float[H,H] r) => (float[B,H] h, float[T,B,H] y) {
        h, y = Scan <num_scan_inputs = 1, body = b (float[B,H] p, float[B,H] e) => (float[B,H] q, float[B,H] o) {
          m = MatMul(p, r)  o = Add(m, e)
          zero = Constant <value = int64[1] {0}> ()  one = Constant <value = int64[1] {1}> ()
          far = Constant <value = int64[1] {1000000}> ()  axis = Constant <value = int64[1] {1}> ()
          first = Slice(o, zero, one, axis)  rest = Slice(p, one, far, axis)  q = Concat <axis = 1> (rest, first)
        }> (h0, x) })"},
  };
  return kSubjects;
}

/// Small values, so that sums stay small.
Values inputs_of(const Program& program, std::int64_t steps, std::int64_t rows, std::int64_t lanes,
                 std::int64_t gates) {
  std::uint64_t random = 88172645463325252;
  const auto number = [&] {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return (static_cast<double>(random % 2001) / 1000.0 - 1.0) / 16;
  };
  Values values;
  for (const Port& port : program.inputs()) {
    Dims shape;
    for (const Dim& dim : *port.type.shape)
      shape.push_back(dim.symbol == "T" ? steps : dim.symbol == "B" ? rows : dim.symbol == "H" ? lanes : gates * lanes);
    Tensor made = *Tensor::allocate(port.type.dtype, shape);
    if (made.dtype() == DType::f32)
      for (float& each : made.mutable_values<float>()) each = static_cast<float>(number());
    else
      for (double& each : made.mutable_values<double>()) each = number();
    values.emplace_back(std::move(made));
  }
  return values;
}

struct Size {
  std::int64_t steps, rows, lanes;
};

void check(const Subject& subject, Size size, const CompileOptions& options, std::string_view words) {
  SCOPED_TRACE(fmt::format("{}, T = {}, B = {}, H = {}, {} threads", subject.name, size.steps, size.rows, size.lanes,
                           options.threads));
  const std::string text = std::string(kHead) + subject.text;
  const Result<Program> reference = compiled(text, {.kernels = Kernels::off});
  ASSERT_TRUE(reference.ok()) << reference.error().to_string();
  const Result<Program> program = compiled(text, options);
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  const Values inputs = inputs_of(*program, size.steps, size.rows, size.lanes, 4);
  const Result<Values> want = reference->run(inputs);
  ASSERT_TRUE(want.ok()) << want.error().to_string();
  const Result<Values> got = program->run(inputs);
  ASSERT_TRUE(got.ok()) << got.error().to_string();
  EXPECT_NE(report(*program).find(words), std::string::npos) << report(*program);
  const bool is_exact = options.guarantee == Guarantee::exact;
  expect_same(*got, *want, is_exact ? Tolerance{0, 0} : Tolerance{1e-5, 1e-5});
}

/// The smallest sizes that are cut at all, every kind of rest.
TEST(Blocks, AreAsTheWholeInSmall) {
  for (const Subject& subject : subjects())
    for (const Size size : {Size{3, 2, 37}, Size{2, 1, 16}, Size{4, 9, 11}, Size{2, 5, 20}})
      for (const int threads : {1, 2, 3})
        check(subject, size, {.kernels = Kernels::interpreted, .threads = threads, .parts = 1},
              threads == 1 ? "one kernel" : "each step shared by threads");
}

TEST(Blocks, KeepTheGuarantee) {
  for (const Subject& subject : subjects())
    check(subject, {3, 3, 21},
          {.guarantee = Guarantee::exact, .kernels = Kernels::interpreted, .threads = 2, .parts = 1},
          "each step shared by threads");
}

using CompiledBlocks = cpu::CompilingTest;

TEST_F(CompiledBlocks, AreCompiled) {
  for (const Subject& subject : subjects())
    for (const Size size : {Size{5, 1, 520}, Size{4, 3, 512}, Size{3, 8, 131}}) {
      check(subject, size, {.threads = 1}, "one kernel");
      const bool is_large = size.rows * size.lanes * size.lanes >= 1 << 17;
      check(subject, size, {.threads = 2}, is_large ? "each step shared by threads" : "one kernel");
    }
}

}  // namespace

namespace cpu {
namespace {

/// Rounds in which each part adds what the others had before.
TEST(Meeting, ShowsAllThatWasStored) {
  if (usable_cores() < 2) GTEST_SKIP() << "one core";
  constexpr int kRounds = 2000;
  std::vector<std::int64_t> values{1, 2}, next(2);
  Meeting meeting(2);
  const Result<bool> done = run_together(2, [&](int part) -> Result<void> {
    const auto own = static_cast<std::size_t>(part);
    for (int round = 0; round < kRounds; ++round) {
      next[own] = (values[own] + 3 * values[1 - own]) % 1009;
      meeting.wait();
      values[own] = next[own];
      meeting.wait();
    }
    return {};
  });
  ASSERT_TRUE(done.ok());
  if (!*done) GTEST_SKIP() << "no second thread now";
  std::int64_t a = 1, b = 2;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t before = a;
    a = (a + 3 * b) % 1009;
    b = (b + 3 * before) % 1009;
  }
  EXPECT_EQ(values, (std::vector{a, b}));
}

TEST(Meeting, IsLeftByThoseWhoWaitForNobody) {
  Meeting meeting(2);
  std::thread waiting([&] { meeting.wait(); });
  meeting.abandon();
  waiting.join();
}

}  // namespace
}  // namespace cpu
}  // namespace pawl
