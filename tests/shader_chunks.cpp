// Scans cut into chunks on a WebGPU device, held against the evaluator, which goes step after step. Run by
// tools/test_shaders, where there is a device.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "backend/wgsl/device.h"
#include "cpu_program_run.h"

namespace pawl {
namespace {

/// A body of one state p and elements e, f, g.
struct Subject {
  const char* name;
  const char* type;      ///< of the state
  const char* elements;  ///< types of those, one letter each: like the state, or b for bool
  const char* body;      ///< gives q, the next state, and o, an output
  double low = -1, high = 1;
  double tolerance = 1e-4;
};

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> kSubjects = {
      {"sum", "float", "s", "q = Add(p, e)  o = Identity(q)"},
      {"sum of integers", "int32", "s", "q = Add(p, e)  o = Mul(q, e)", -9, 9, 0},
      {"sum of unsigned integers", "uint32", "s", "q = Add(p, e)  o = Identity(p)", 0, 1e9, 0},
      {"sum of what is computed", "float", "ss", "d = Sigmoid(e)  k = Mul(d, f)  q = Add(p, k)  o = Tanh(q)"},
      {"product", "float", "s", "k = Exp(e)  q = Mul(p, k)  o = Identity(q)", -0.2, 0.2, 1e-3},
      {"product of integers", "int32", "s", "q = Mul(p, e)  o = Identity(q)", -9, 9, 0},
      {"max", "float", "s", "q = Max(p, e)  o = Sub(q, e)", -9, 9, 0},
      {"min", "int32", "s", "q = Min(p, e)  o = Identity(q)", -1e6, 1e6, 0},
      {"affine", "float", "ss", "k = Mul(p, e)  q = Add(k, f)  o = Identity(q)"},
      {"affine of integers", "int32", "ss", "k = Mul(p, e)  q = Add(k, f)  o = Identity(q)", -9, 9, 0},
      {"gated", "float", "ss",
       "one = Constant <value_float = 1.0> ()  z = Sigmoid(e)  n = Sub(one, z)  h = Tanh(f)  k = Mul(n, p)  "
       "l = Mul(z, h)  q = Add(k, l)  o = Identity(q)"},
      {"max-plus", "float", "ss", "k = Add(p, e)  q = Max(k, f)  o = Identity(q)"},
      {"min-plus", "float", "ss", "k = Add(p, e)  q = Min(k, f)  o = Identity(q)"},
      {"clamp", "float", "ss", "k = Max(p, e)  q = Min(k, f)  o = Identity(q)", -1, 1, 0},
      {"clamp-add", "float", "s",
       "low = Constant <value_float = -2.0> ()  high = Constant <value_float = 2.0> ()  k = Add(p, e)  "
       "q = Clip(k, low, high)  o = Identity(q)"},
      {"log-sum-exp", "float", "s", "a = Exp(p)  c = Exp(e)  d = Add(a, c)  q = Log(d)  o = Identity(q)"},
      {"and", "bool", "s", "q = And(p, e)  o = Not(q)", 0, 1, 0},
      {"parity", "bool", "s", "q = Xor(p, e)  o = Identity(q)", 0, 1, 0},
      {"bits", "int32", "ss", "k = BitwiseAnd(p, e)  q = BitwiseXor(k, f)  o = Identity(q)", -1e9, 1e9, 0},
      {"delay", "float", "s", "q = Identity(e)  o = Sub(e, p)", -1, 1, 0},
      {"reset", "float", "sb", "q = Where(f, e, p)  o = Identity(q)", -1, 1, 0},
      {"a sum that starts anew", "float", "sb", "k = Add(p, e)  q = Where(f, e, k)  o = Identity(q)"},
      {"an average that starts anew", "float", "ssb",
       "k = Mul(p, e)  l = Add(k, f)  q = Where(g, f, l)  o = Identity(q)"},
      {"sum of halves", "float16", "s", "q = Add(p, e)  o = Identity(q)", -1, 1, 0.5},
  };
  return kSubjects;
}

std::string text_of(const Subject& subject, bool reversed) {
  std::string inputs, names, given, axes;
  const std::string letters = "efg";
  for (std::size_t i = 0; subject.elements[i] != 0; ++i) {
    const std::string type = subject.elements[i] == 'b' ? "bool" : subject.type;
    inputs += ", " + type + "[T,C] x" + letters[i];
    given += ", " + type + "[C] " + letters[i];
    names += std::string(", x") + letters[i];
    axes += reversed ? (i == 0 ? "1" : ", 1") : (i == 0 ? "0" : ", 0");
  }
  const std::string type = subject.type;
  return "<ir_version: 8, opset_import: [\"\" : 18]>\ng (" + type + "[C] s0" + inputs + ") => (" + type + "[C] s, " +
         type + "[T,C] y) {\n  s, y = Scan <num_scan_inputs = " + std::to_string(std::string(subject.elements).size()) +
         ", scan_input_directions = [" + axes + "], scan_output_directions = [" + (reversed ? "1" : "0") +
         "], body = b (" + type + "[C] p" + given + ") => (" + type + "[C] q, " + type + "[C] o) { " + subject.body +
         " }> (s0" + names + ") }";
}

/// Random values for the model's inputs.
Values inputs_of(const Program& program, std::int64_t steps, std::int64_t lanes, double low, double high) {
  std::mt19937 random(29);
  std::uniform_real_distribution<double> draw(low, high);
  Values values;
  for (const Port& port : program.inputs()) {
    Dims shape;
    for (const Dim& dim : *port.type.shape)
      shape.push_back(dim.symbol == "T" ? steps : dim.symbol == "C" ? lanes : dim.value);
    Tensor made = *Tensor::allocate(port.type.dtype, shape);
    switch (port.type.dtype) {
      case DType::f32:
        for (float& each : made.mutable_values<float>()) each = static_cast<float>(draw(random));
        break;
      case DType::i32:
        for (std::int32_t& each : made.mutable_values<std::int32_t>()) each = static_cast<std::int32_t>(draw(random));
        break;
      case DType::u32:
        for (std::uint32_t& each : made.mutable_values<std::uint32_t>())
          each = static_cast<std::uint32_t>(draw(random));
        break;
      case DType::f16:
        // From 1/4 to 1/2, or the same below 0.
        for (std::uint16_t& each : made.mutable_values<std::uint16_t>())
          each = static_cast<std::uint16_t>(0x3400U + random() % 0x400U + (random() % 2 << 15));
        break;
      default:
        for (bool& each : made.mutable_values<bool>()) each = random() % 4 == 0;
        break;
    }
    values.emplace_back(std::move(made));
  }
  return values;
}

bool says(const Program& program, std::string_view words) { return report(program).find(words) != std::string::npos; }

class ShaderChunks : public testing::Test {
 protected:
  void SetUp() override {
    const auto device = wgsl::Device::open();
    if (!device.ok()) GTEST_SKIP() << device.error().message;
    has_f16_ = (*device)->target().f16;
  }

  /// A model on the device and by the evaluator.
  struct Both {
    Result<Program> reference;
    Result<Program> program;
  };
  static Both both(const std::string& text, int tiles) {
    return {compiled(text, {.kernels = Kernels::off}), compiled(text, {.kernels = Kernels::webgpu, .parts = tiles})};
  }

  /// On the device as by the evaluator, and in the same bits each time.
  static void check_run(const Both& of, const Values& inputs, double tolerance) {
    const Result<Values> want = of.reference->run(inputs);
    ASSERT_TRUE(want.ok()) << want.error().to_string();
    const Result<Values> got = of.program->run(inputs);
    ASSERT_TRUE(got.ok()) << got.error().to_string();
    EXPECT_TRUE(says(*of.program, "in chunks")) << report(*of.program);
    expect_same(*got, *want, {tolerance, tolerance});
    const Result<Values> again = of.program->run(inputs);
    ASSERT_TRUE(again.ok());
    expect_same(*again, *got, {0, 0});
  }

  static void check_text(const std::string& text, const std::vector<Values>& all, double tolerance) {
    const Both models = both(text, 1024);
    ASSERT_TRUE(models.program.ok()) << models.program.error().to_string() << "\n" << text;
    for (const Values& inputs : all) check_run(models, inputs, tolerance);
  }

  using Extents = std::pair<std::int64_t, std::int64_t>;
  /// Of so many steps and lanes.
  void check(const Subject& subject, const std::vector<Extents>& all, bool reversed, int tiles = 1024) const {
    if (!has_f16_ && std::string_view(subject.type) == "float16") return;
    const std::string text = text_of(subject, reversed);
    const Both models = both(text, tiles);
    ASSERT_TRUE(models.program.ok()) << models.program.error().to_string() << "\n" << text;
    for (const auto& [steps, lanes] : all) {
      SCOPED_TRACE(std::string(subject.name) + ", " + std::to_string(steps) + " steps, " + std::to_string(lanes) +
                   " lanes" + (reversed ? ", reversed" : ""));
      check_run(models, inputs_of(*models.program, steps, lanes, subject.low, subject.high),
                steps > 10000 ? subject.tolerance * 10 : subject.tolerance);
    }
  }

  bool has_f16_ = false;
};

TEST_F(ShaderChunks, GiveWhatTheLoopGives) {
  // Software takes seconds to compile a shader: not all are called in all ways.
  for (std::size_t i = 0; i < subjects().size(); ++i) {
    check(subjects()[i], {{6001, 3}}, true);
    check(subjects()[i], {i % 4 == 0 ? Extents{37, 2} : Extents{900, 33}}, false);
  }
}

TEST_F(ShaderChunks, TakeAnyNumberOfLanes) {
  std::vector<Extents> all;
  for (const std::int64_t lanes : {1, 2, 4, 5, 7, 8, 9, 16, 17, 31, 64, 65, 127, 128, 255, 256, 257, 1024, 4099})
    all.emplace_back(lanes % 2 == 0 ? 65 : 700, lanes);
  check(subjects()[0], all, false);
  check(subjects()[8], all, true);
}

TEST_F(ShaderChunks, TakeAnyNumberOfSteps) {
  std::vector<Extents> narrow, wide;
  for (const std::int64_t steps : {1, 2, 15, 16, 17, 255, 256, 257, 3839, 3840, 3841, 17000, 70001}) {
    narrow.emplace_back(steps, 1);
    wide.emplace_back(steps, 6);
  }
  check(subjects()[0], narrow, true);
  check(subjects()[8], wide, false);
}

/// Tiles of several stages, and of many rows.
TEST_F(ShaderChunks, TakeLongTiles) {
  for (const std::size_t subject : {0U, 8U, 22U})
    check(subjects()[subject], {{30011, 1}, {30011, 5}, {30011, 40}}, subject == 8, 3);
}

TEST_F(ShaderChunks, TakeSeveralStatesAndAxes) {
  const std::string head = "<ir_version: 8, opset_import: [\"\" : 18]>\n";
  const std::string biquad =
      head + R"(g (float[C] s0, float[C] s1, float[T,C] x) => (float[C] a, float[C] c, float[T,C] y)
      <float b0 = {0.5}, float b1 = {-0.25}, float b2 = {0.125}, float a1 = {-1.2}, float a2 = {0.7}> {
    a, c, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] q, float[C] e) => (float[C] m, float[C] n, float[C] o) {
      d = Mul(b0, e)  o = Add(d, p)  f = Mul(b1, e)  g = Mul(a1, o)  h = Sub(f, g)  m = Add(h, q)
      i = Mul(b2, e)  j = Mul(a2, o)  n = Sub(i, j) }> (s0, s1, x) })";
  const std::string axes =
      head +
      R"(g (float[C,3] s0, float[C,T,3] x, float[T] w, float[3] a, float[C,1] d) => (float[C,3] s, float[C,3,T] y) {
    s, y = Scan <num_scan_inputs = 2, scan_input_axes = [1, 0], scan_output_axes = [-1], scan_output_directions = [1],
        body = b (float[C,3] p, float[C,3] e, float w) => (float[C,3] q, float[C,3] o) {
      k = Mul(p, a)  l = Mul(e, w)  q = Add(k, l)  o = Mul(q, d) }> (s0, x, w) })";
  const std::string two =
      head + R"(g (float[C] s0, float[C] t0, float[T,C] x) => (float[C] s, float[C] t, float[T,C] y, float[T,C] z) {
    s, t, y, z = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] v, float[C] e) => (float[C] q, float[C] r, float[C] o, float[C] u) {
      q = Max(p, e)  r = Add(v, e)  o = Mul(q, r)  u = Identity(q) }> (s0, t0, x) })";
  for (const std::string& text : {biquad, axes, two}) {
    const Result<Program> program = compiled(text, {.kernels = Kernels::off});
    ASSERT_TRUE(program.ok()) << program.error().to_string();
    std::vector<Values> all;
    for (const std::int64_t lanes : {1, 5, 100, 1000}) all.push_back(inputs_of(*program, 2111, lanes, -0.9, 0.9));
    check_text(text, all, 1e-4);
  }
}

/// Numbers that overflow, or are none, where chunks are put together and where they are not.
TEST_F(ShaderChunks, AreDoneAgainWhereNumbersOverflow) {
  for (const Subject& subject : subjects()) {
    const std::string_view name = subject.name;
    if (name != "sum" && name != "product" && name != "affine" && name != "max-plus" && name != "log-sum-exp") continue;
    SCOPED_TRACE(subject.name);
    const std::string text = text_of(subject, false);
    const Result<Program> program = compiled(text, {.kernels = Kernels::off});
    ASSERT_TRUE(program.ok());
    std::vector<Values> all;
    for (const float number : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN()}) {
      all.push_back(inputs_of(*program, 9000, 2, subject.low, subject.high));
      all.back()[1].tensor().mutable_values<float>()[5001] = number;
    }
    check_text(text, all, subject.tolerance);
  }
}

TEST_F(ShaderChunks, DoNotLetFactorsOverflow) {
  const std::string text = text_of(subjects()[8], false);
  for (const std::int64_t lanes : {1, 40}) {
    const auto count = static_cast<std::size_t>(20000 * lanes);
    std::vector<float> factors(count, 2), zeros(count, 0);
    for (std::size_t i = count / 2; i < count; ++i) factors[i] = 0.5F;
    const std::vector<float> state(static_cast<std::size_t>(lanes), 0);
    const Values inputs{Value(Tensor::of<float>({lanes}, std::span<const float>(state))),
                        Value(Tensor::of<float>({20000, lanes}, std::span<const float>(factors))),
                        Value(Tensor::of<float>({20000, lanes}, std::span<const float>(zeros)))};
    check_text(text, {inputs}, 0);
  }
}

TEST_F(ShaderChunks, LeaveShortAndWideOnesToLanes) {
  const std::string text = text_of(subjects()[0], false);
  const Result<Program> program = compiled(text, {.kernels = Kernels::webgpu});
  ASSERT_TRUE(program.ok());
  ASSERT_TRUE(program->run(inputs_of(*program, 8, 5, -1, 1)).ok());
  EXPECT_FALSE(says(*program, "in chunks")) << report(*program);
  ASSERT_TRUE(program->run(inputs_of(*program, 5000, 5, -1, 1)).ok());
  EXPECT_TRUE(says(*program, "in chunks")) << report(*program);
}

}  // namespace
}  // namespace pawl
