// Sequences cut into chunks that run side by side, held against the evaluator, step after step.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <random>

#include "cpu_kernel_run.h"
#include "cpu_program_run.h"
#include "tensor/row_copy.h"

namespace pawl {
namespace {

struct Subject {
  const char* name;
  const char* text;
};

constexpr const char* kHead = "<ir_version: 8, opset_import: [\"\" : 18]>\n";

/// Models of T steps and C channels.
const std::vector<Subject>& subjects() {
  static const std::vector<Subject> kSubjects = {
      {"sum", R"(g (float[C] s0, float[T,C] x) => (float[C] s, float[T,C] y) {
        s, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] e) => (float[C] q, float[C] o) {
          q = Add(p, e)  o = Identity(q) }> (s0, x) })"},
      {"sum of doubles", R"(g (double[C] s0, double[T,C] x) => (double[C] s, double[T,C] y) {
        s, y = Scan <num_scan_inputs = 1, body = b (double[C] p, double[C] e) => (double[C] q, double[C] o) {
          q = Add(p, e)  o = Mul(q, e) }> (s0, x) })"},
      {"sum of longs", R"(g (int64[C] s0, int64[T,C] x) => (int64[C] s, int64[T,C] y) {
        s, y = Scan <num_scan_inputs = 1, body = b (int64[C] p, int64[C] e) => (int64[C] q, int64[C] o) {
          q = Add(p, e)  o = Identity(p) }> (s0, x) })"},
      {"sum of halves", R"(g (float16[C] s0, float16[T,C] x) => (float16[C] s, float16[T,C] y) {
        s, y = Scan <num_scan_inputs = 1, body = b (float16[C] p, float16[C] e) => (float16[C] q, float16[C] o) {
          q = Add(p, e)  o = Identity(q) }> (s0, x) })"},
      {"reversed, stacked from the end", R"(g (float[C] s0, float[T,C] x) => (float[C] s, float[C,T] y, float[T,C] z) {
        s, y, z = Scan <num_scan_inputs = 1, scan_input_directions = [1], scan_output_axes = [1, 0],
            scan_output_directions = [0, 1],
            body = b (float[C] p, float[C] e) => (float[C] q, float[C] o, float[C] u) {
          q = Add(p, e)  o = Identity(q)  u = Sub(q, e) }> (s0, x) })"},
      {"along the last axis", R"(g (float[C,2] s0, float[C,2,T] x, float[C,T,2] w) => (float[C,2] s, float[C,2,T] y) {
        s, y = Scan <num_scan_inputs = 2, scan_input_axes = [-1, 1], scan_output_axes = [2],
            body = b (float[C,2] p, float[C,2] e, float[C,2] f) => (float[C,2] q, float[C,2] o) {
          d = Mul(e, f)  q = Add(p, d)  o = Identity(q) }> (s0, x, w) })"},
      {"average with a coefficient for each step",
       R"(g (float[C] s0, float[T,C] a, float[T,C] x) => (float[C] s, float[T,C] y) {
        s, y = Scan <num_scan_inputs = 2, body = b (float[C] p, float[C] c, float[C] e) => (float[C] q, float[C] o) {
          k = Mul(p, c)  q = Add(k, e)  o = Identity(q) }> (s0, a, x) })"},
      {"average with one coefficient, a scalar",
       R"(g (float[C] s0, float[T,C] x, float a) => (float[C] s, float[T,C] y) {
        s, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] e) => (float[C] q, float[C] o) {
          k = Mul(p, a)  q = Add(k, e)  o = Identity(q) }> (s0, x) })"},
      {"max", R"(g (float[C] s0, float[T,C] x) => (float[C] s, float[T,C] y) {
        s, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] e) => (float[C] q, float[C] o) {
          q = Max(p, e)  o = Identity(q) }> (s0, x) })"},
      {"product",
       R"(g (float[C] s0, float[T,C] x) => (float[C] s, float[T,C] y) <float more = {0.7}, float half = {0.5}> {
        s, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] e) => (float[C] q, float[C] o) {
          h = Mul(e, half)  f = Add(h, more)  q = Mul(p, f)  o = Identity(q) }> (s0, x) })"},
      {"parity", R"(g (bool[C] s0, bool[T,C] x) => (bool[C] s, bool[T,C] y) {
        s, y = Scan <num_scan_inputs = 1, body = b (bool[C] p, bool[C] e) => (bool[C] q, bool[C] o) {
          q = Xor(p, e)  o = Identity(q) }> (s0, x) })"},
      {"logarithm of a sum of exponentials", R"(g (float[C] s0, float[T,C] x) => (float[C] s, float[T,C] y) {
        s, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] e) => (float[C] q, float[C] o) {
          a = Exp(p)  c = Exp(e)  d = Add(a, c)  q = Log(d)  o = Identity(q) }> (s0, x) })"},
      {"index of the largest",
       R"(g (float[C] m0, int64[C] i0, float[T,C] x) => (float[C] m, int64[C] i, int64 t, int64[T,C] y)
            <int64 zero = {0}, int64 one = {1}> {
        m, i, t, y = Scan <num_scan_inputs = 1,
          body = b (float[C] p, int64[C] k, int64 t, float[C] e) => (float[C] n, int64[C] l, int64 u, int64[C] o) {
            above = Greater(e, p)  n = Where(above, e, p)  l = Where(above, t, k)  u = Add(t, one)  o = Identity(l)
          }> (m0, i0, zero, x) })"},
      {"biquad", R"(g (float[C] s0, float[C] s1, float[T,C] x) => (float[C] a, float[C] c, float[T,C] y)
            <float b0 = {0.5}, float b1 = {-0.25}, float b2 = {0.125}, float a1 = {-1.2}, float a2 = {0.7}> {
        a, c, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] q, float[C] e) => (float[C] m, float[C] n, float[C] o) {
          d = Mul(b0, e)  o = Add(d, p)  f = Mul(b1, e)  g = Mul(a1, o)  h = Sub(f, g)  m = Add(h, q)
          i = Mul(b2, e)  j = Mul(a2, o)  n = Sub(i, j) }> (s0, s1, x) })"},
      {"channels with coefficients of their own",
       R"(g (float[C] s0, float[T,C] x, float[C] a, float[C] d) => (float[C] s, float[T,C] y) {
        s, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] e) => (float[C] q, float[C] o) {
          k = Mul(p, a)  q = Add(k, e)  o = Mul(q, d) }> (s0, x) })"},
      {"a sum that starts anew", R"(g (float[C] s0, float[T,C] x, bool[T,C] r) => (float[C] s, float[T,C] y) {
        s, y = Scan <num_scan_inputs = 2, body = b (float[C] p, float[C] e, bool[C] f) => (float[C] q, float[C] o) {
          k = Add(p, e)  q = Where(f, e, k)  o = Identity(q) }> (s0, x, r) })"},
      {"one mask for all channels",
       R"(g (float[C] s0, float[T,C] x, bool[T,1] r) => (float[C] s, float[T,C] y) <float decay = {0.9}> {
        s, y = Scan <num_scan_inputs = 2, body = b (float[C] p, float[C] e, bool[1] f) => (float[C] q, float[C] o) {
          d = Mul(decay, p)  k = Add(d, e)  q = Where(f, k, p)  o = Identity(q) }> (s0, x, r) })"},
      {"a queue", R"(g (float[C] s0, float[T,C] x) => (float[C] s, float[T,C] y) <float zero = {0}> {
        s, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] e) => (float[C] q, float[C] o) {
          k = Add(p, e)  q = Max(k, zero)  o = Identity(q) }> (s0, x) })"},
      {"states that wait for others",
       R"(g (float[C] s0, float[C] t0, float[C] u0, float[T,C] x) => (float[C] s, float[C] t, float[C] u, float[T,C] y) <float decay = {0.9}> {
        s, t, u, y = Scan <num_scan_inputs = 1,
          body = b (float[C] p, float[C] v, float[C] w, float[C] e) => (float[C] q, float[C] r, float[C] z, float[C] o) {
            q = Max(p, e)  k = Mul(v, decay)  r = Add(k, q)  d = Sub(r, e)  z = Add(w, d)  o = Mul(z, p)
          }> (s0, t0, u0, x) })"},
      {"the element before", R"(g (float[C] s0, float[C] t0, float[T,C] x) => (float[C] s, float[C] t, float[T,C] y) {
        s, t, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] v, float[C] e) => (float[C] q, float[C] r, float[C] o) {
          q = Identity(e)  d = Sub(e, p)  r = Add(v, d)  o = Identity(d) }> (s0, t0, x) })"},
  };
  return kSubjects;
}

std::string text_of(const Subject& subject) { return std::string(kHead) + subject.text; }

/// Random values for the model's inputs.
Values inputs_of(const Program& program, std::int64_t steps, std::int64_t channels) {
  std::mt19937 random(17);
  Values values;
  for (const Port& port : program.inputs()) {
    Dims shape;
    for (const Dim& dim : *port.type.shape)
      shape.push_back(dim.symbol == "T" ? steps : dim.symbol == "C" ? channels : dim.value);
    Tensor made = *Tensor::allocate(port.type.dtype, shape);
    const auto fill = [&]<class T>(T, auto&& draw) {
      for (T& each : made.mutable_values<T>()) each = static_cast<T>(draw());
    };
    const auto number = [&] { return static_cast<double>(random() % 2001) / 1000.0 - 1.0; };
    switch (port.type.dtype) {
      case DType::f32: fill(float{}, number); break;
      case DType::f64: fill(double{}, number); break;
      // From 1/4 to 1 or the same below 0.
      case DType::f16: fill(std::uint16_t{}, [&] { return 0x3400U + random() % 0x800U + (random() % 2 << 15); }); break;
      case DType::i64: fill(std::int64_t{}, [&] { return static_cast<std::int64_t>(random() % 10) - 4; }); break;
      default: fill(false, [&] { return random() % 4 == 0; }); break;
    }
    values.emplace_back(std::move(made));
  }
  return values;
}

bool says(const Program& program, std::string_view words) {
  for (const std::string& line : program.kernel_report())
    if (line.find(words) != std::string::npos) return true;
  return false;
}

Tolerance tolerance_of(const Program& program) {
  for (const Port& port : program.inputs())
    if (port.type.dtype == DType::f16) return {0.02, 0.5};
  return {1e-4, 1e-4};
}

/// In chunks, as the evaluator has it; `words` must be in the report.
void check(const Subject& subject, std::int64_t steps, std::int64_t channels, CompileOptions options,
           const std::string& words) {
  SCOPED_TRACE(std::string(subject.name) + ", T = " + std::to_string(steps) + ", C = " + std::to_string(channels));
  const Result<Program> reference = compiled(text_of(subject), {.kernels = Kernels::off});
  ASSERT_TRUE(reference.ok()) << reference.error().to_string();
  const Result<Program> program = compiled(text_of(subject), options);
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  const Values inputs = inputs_of(*program, steps, channels);
  const Result<Values> want = reference->run(inputs);
  ASSERT_TRUE(want.ok()) << want.error().to_string();
  const Result<Values> got = program->run(inputs);
  ASSERT_TRUE(got.ok()) << got.error().to_string();
  EXPECT_TRUE(says(*program, words)) << report(*program);
  expect_same(*got, *want, tolerance_of(*program));
  // The same bits again.
  const Result<Values> again = program->run(inputs);
  ASSERT_TRUE(again.ok());
  expect_same(*again, *got, {0, 0});
}

TEST(Chunks, GiveWhatTheLoopGives) {
  for (const Subject& subject : subjects()) {
    check(subject, 37, 1, {.kernels = Kernels::interpreted, .threads = 1, .parts = 4}, "in 4 chunks");
    check(subject, 35, 3, {.kernels = Kernels::interpreted, .threads = 2, .parts = 6}, "in 6 chunks");
    check(subject, 16, 2, {.kernels = Kernels::interpreted, .threads = 2, .parts = 5}, "in 5 chunks");
  }
}

using CompiledChunks = cpu::CompilingTest;

TEST_F(CompiledChunks, AreCompiled) {
  for (const Subject& subject : subjects()) {
    check(subject, 4100, 1, {.threads = 1, .parts = 64}, "in 64 chunks");
    check(subject, 3003, 2, {.threads = 2, .parts = 48}, "in 48 chunks");
  }
}

TEST(Chunks, AreNotMadeOfShortSequences) {
  for (const Subject& subject : subjects())
    check(subject, 3, 2, {.kernels = Kernels::interpreted, .threads = 1, .parts = 4}, "one kernel");
}

TEST_F(CompiledChunks, KeepTheGuarantee) {
  const auto is_refused = [](const char* name) {
    for (const Subject& subject : subjects()) {
      if (std::string_view(subject.name) != name) continue;
      const Result<Program> program = compiled(text_of(subject), {.guarantee = Guarantee::exact, .threads = 16});
      const Values inputs = inputs_of(*program, 131080, 1);
      EXPECT_TRUE(program->run(inputs).ok());
      return says(*program, "not in chunks: exact");
    }
    return false;
  };
  EXPECT_TRUE(is_refused("sum"));
  EXPECT_TRUE(is_refused("biquad"));
  EXPECT_FALSE(is_refused("max"));
  EXPECT_FALSE(is_refused("sum of longs"));
  for (const Subject& subject : subjects()) {
    const std::string_view name = subject.name;
    if (name == "max" || name == "sum of longs" || name == "index of the largest")
      check(subject, 131080, 1, {.guarantee = Guarantee::exact, .threads = 16}, "in 1024 chunks");
  }
}

/// Some numbers of the last input of a model replaced.
void check_with(std::size_t subject, float number, std::int64_t first, std::int64_t every) {
  const Result<Program> reference = compiled(text_of(subjects()[subject]), {.kernels = Kernels::off});
  const Result<Program> program = compiled(text_of(subjects()[subject]), {.threads = 2, .parts = 64});
  ASSERT_TRUE(reference.ok() && program.ok());
  Values inputs = inputs_of(*program, 4500, 1);
  const auto values = inputs.back().tensor().mutable_values<float>();
  for (auto i = static_cast<std::size_t>(first); i < values.size(); i += static_cast<std::size_t>(every))
    values[i] = number;
  const Result<Values> want = reference->run(inputs);
  const Result<Values> got = program->run(inputs);
  ASSERT_TRUE(got.ok() && want.ok());
  EXPECT_TRUE(says(*program, "in 64 chunks")) << report(*program);
  SCOPED_TRACE(subjects()[subject].name + (" with " + std::to_string(number)));
  expect_same(*got, *want, {1e-4, 1e-4});
}

TEST_F(CompiledChunks, AreLeftWhereNumbersOverflow) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < subjects().size(); ++i) {
    const std::string_view text = subjects()[i].text;
    const bool is_float = text.find("float[T,C] x) =>") != std::string_view::npos;
    if (!is_float) continue;
    check_with(i, std::numeric_limits<float>::quiet_NaN(), 2500, 10000);
    check_with(i, kInfinity, 2500, 10000);
    check_with(i, -kInfinity, 40, 10000);
    if (std::string_view(subjects()[i].name) != "product") check_with(i, 0, 0, 1);
  }
}

/// Factors that overflow where the state does not, because it is 0.
TEST_F(CompiledChunks, DoNotLetFactorsOverflow) {
  const Subject subject{"growth", R"(g (float[C] s0, float[T,C] x, float a) => (float[C] s, float[T,C] y) {
    s, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] e) => (float[C] q, float[C] o) {
      k = Mul(p, a)  q = Add(k, e)  o = Identity(q) }> (s0, x) })"};
  const Result<Program> program = compiled(text_of(subject), {.threads = 1, .parts = 64});
  ASSERT_TRUE(program.ok());
  const std::vector<float> zeros(20000, 0);
  const Values inputs{Value(Tensor::of<float>({1}, {0})),
                      Value(Tensor::of<float>({20000, 1}, std::span<const float>(zeros))),
                      Value(Tensor::scalar<float>(2))};
  const Result<Values> got = program->run(inputs);
  ASSERT_TRUE(got.ok());
  for (const float each : (*got)[1].tensor().values<float>()) ASSERT_EQ(each, 0);
}

/// A chunk's factor that is too small to be kept, and one after it that makes the state large again.
TEST(Chunks, DoNotLoseWhatGrowsAgain) {
  const Subject subject{"decay and growth",
                        R"(g (float[C] s0, float[T,C] a, float[T,C] x) => (float[C] s, float[T,C] y) {
    s, y = Scan <num_scan_inputs = 2, body = b (float[C] p, float[C] c, float[C] e) => (float[C] q, float[C] o) {
      k = Mul(p, c)  q = Add(k, e)  o = Identity(q) }> (s0, a, x) })"};
  const Result<Program> program =
      compiled(text_of(subject), {.kernels = Kernels::interpreted, .threads = 1, .parts = 4});
  ASSERT_TRUE(program.ok());
  std::vector<float> factors(600, 0.5F);
  std::fill(factors.begin() + 150, factors.begin() + 300, 2.0F);
  const std::vector<float> zeros(600, 0);
  const auto column = [](const std::vector<float>& values) {
    return Value(Tensor::of<float>({600, 1}, std::span<const float>(values)));
  };
  const Result<Values> got =
      program->run(Values{Value(Tensor::of<float>({1}, {0x1p100F})), column(factors), column(zeros)});
  ASSERT_TRUE(got.ok());
  const auto states = (*got)[1].tensor().values<float>();
  EXPECT_EQ(states[149], 0x1p-50F);
  EXPECT_EQ(states[299], 0x1p100F);
}

TEST(Chunks, CanBeInterrupted) {
  const Result<Program> program = compiled(text_of(subjects()[0]), {.threads = 1, .parts = 64});
  ASSERT_TRUE(program.ok());
  const Values inputs = inputs_of(*program, 300000, 1);
  const std::atomic<bool> interrupted = true;
  RunOptions options;
  options.interrupted = &interrupted;
  const Result<Values> got = program->run(inputs, options);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, Code::interrupted);
}

TEST(RowCopy, CopiesEachUnit) {
  for (const std::size_t unit : {1, 2, 4, 8, 12, 16, 32}) {
    for (const std::int64_t rows : {1, 3, 4, 17, 33}) {
      for (const std::int64_t steps : {1, 2, 5, 16, 31}) {
        for (const bool reversed : {false, true}) {
          const auto size = static_cast<std::int64_t>(unit);
          std::vector<std::byte> apart(static_cast<std::size_t>(rows * steps * size));
          for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = static_cast<std::byte>(i * 7 + i / 251);
          std::vector<std::byte> together(apart.size()), back(apart.size());
          const Grid side{size, rows * size};
          const Grid line{(reversed ? -1 : 1) * steps * size, (reversed ? -1 : 1) * size};
          const std::int64_t origin = reversed ? (rows * steps - 1) * size : 0;
          copy_rows(apart.data() + origin, line, together.data(), side, rows, steps, unit);
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t s = 0; s < steps; ++s)
              ASSERT_EQ(std::memcmp(apart.data() + origin + r * line.row + s * line.step,
                                    together.data() + r * side.row + s * side.step, unit),
                        0)
                  << unit << " bytes, " << rows << " rows, " << steps << " steps, row " << r << ", step " << s;
          copy_rows(together.data(), side, back.data() + origin, line, rows, steps, unit);
          ASSERT_EQ(apart, back) << unit << " bytes, " << rows << " rows, " << steps << " steps";
        }
      }
    }
  }
}

}  // namespace
}  // namespace pawl
