// The greatest and the least along an axis, and where it is: kernels held against the evaluator, bit for bit.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "cpu_kernel_run.h"
#include "kernel/builder.h"
#include "pawl/model.h"
#include "pawl/program.h"
#include "tensor/compare.h"
#include "tensor/scalar.h"

namespace pawl {
namespace {

using Values = std::vector<Value>;

struct Extreme {
  DType dtype = DType::f32;
  std::int64_t rows = 1;
  std::int64_t places = 1;
  bool most = true;
  bool last = false;
};

/// Each step looks, for every place, among all places of the state before it. Which zero is the greatest of a row shows
/// in its reciprocal.
std::string text_of(const Extreme& extreme) {
  const std::string_view type = name(extreme.dtype);
  const std::int64_t b = extreme.rows, k = extreme.places;
  const bool real = extreme.dtype == DType::f32 || extreme.dtype == DType::f64;
  const std::string_view word = extreme.most ? "Max" : "Min";
  std::string text = "<ir_version: 8, opset_import: [\"\" : 18]>\n";
  text +=
      fmt::format("g ({0}[{1},{2}] d, {0}[T,{1},{2}] o, {0}[{2},{2}] A) => ({0}[{1},{2}] d_f, int64[T,{1},{3}{2}] y, ",
                  type, b, k, extreme.last ? "1," : "");
  text += fmt::format("{0}[T,{1},{2}] z) <int64[1] one = {{1}}, int64[1] two = {{2}}> {{\n", type, b, k);
  text += fmt::format("  d_f, y, z = Scan <num_scan_inputs = 1, body = step ({0}[{1},{2}] p, {0}[{1},{2}] e) => ", type,
                      b, k);
  text +=
      fmt::format("({0}[{1},{2}] q, int64[{1},{3}{2}] i, {0}[{1},{2}] r) {{\n", type, b, k, extreme.last ? "1," : "");
  text += fmt::format("    u = Unsqueeze(p, two)  s = Add(u, A)  m = Reduce{} <keepdims = 0> (s, one)\n", word);
  text += fmt::format("    i = Arg{} <axis = 1, keepdims = {}, select_last_index = {}> (s)\n", word,
                      extreme.last ? 1 : 0, extreme.last ? 1 : 0);
  text += fmt::format("    r = {}(m)  q = Identity(e) }}> (d, o) }}", real ? "Reciprocal" : "Identity");
  return text;
}

/// Few numbers, so that many are equal; of floats now and then an infinity or NaN, and zeros of both signs.
Tensor few_numbers(DType dtype, const Dims& shape, std::mt19937& random, bool has_nan) {
  Tensor made = *Tensor::allocate(dtype, shape);
  const bool real = dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16;
  for (std::int64_t i = 0; i < made.size(); ++i) {
    double number = static_cast<double>(random() % 4);
    if (real && random() % 2 == 0) number = -number;
    if (real && random() % 40 == 0) number = random() % 2 == 0 ? -INFINITY : INFINITY;
    if (has_nan && real && random() % 60 == 0) number = NAN;
    switch (dtype) {
      case DType::f32: made.mutable_data<float>()[i] = static_cast<float>(number); break;
      case DType::f64: made.mutable_data<double>()[i] = number; break;
      case DType::f16:
        made.mutable_data<std::uint16_t>()[i] =
            static_cast<std::uint16_t>(encode_float(DType::f16, number, Overflow::propagate));
        break;
      case DType::i32: made.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(number) - 2; break;
      case DType::i64: made.mutable_data<std::int64_t>()[i] = static_cast<std::int64_t>(number) - 2; break;
      default: made.mutable_data<std::uint8_t>()[i] = static_cast<std::uint8_t>(number); break;
    }
  }
  return made;
}

void check(const Extreme& extreme) {
  const std::string text = text_of(extreme);
  SCOPED_TRACE(text);
  const Result<Model> model = Model::from_text(text);
  ASSERT_TRUE(model.ok()) << model.error().to_string();
  const auto program_of = [&](Kernels kernels, Guarantee guarantee) {
    return *Program::compile(*model, {.guarantee = guarantee, .kernels = kernels, .threads = 2});
  };
  const Program reference = program_of(Kernels::off, Guarantee::exact);
  for (const bool has_nan : {false, true}) {
    std::mt19937 random(7);
    const std::int64_t b = extreme.rows, k = extreme.places;
    const Values inputs = {few_numbers(extreme.dtype, {b, k}, random, false),
                           few_numbers(extreme.dtype, {5, b, k}, random, has_nan),
                           few_numbers(extreme.dtype, {k, k}, random, has_nan)};
    const Result<Values> want = reference.run(inputs);
    ASSERT_TRUE(want.ok()) << want.error().to_string();
    for (const Kernels kernels : {Kernels::compiled, Kernels::interpreted}) {
      const Program program = program_of(kernels, Guarantee::exact);
      const Result<Values> got = program.run(inputs);
      ASSERT_TRUE(got.ok()) << got.error().to_string();
      EXPECT_EQ(program.kernel_report(), std::vector<std::string>{"step: one kernel"});
      for (std::size_t i = 0; i < want->size(); ++i)
        if (const auto difference = first_difference((*got)[i], (*want)[i], {0, 0}))
          FAIL() << "output " << i << (kernels == Kernels::compiled ? ", compiled: " : ", interpreted: ")
                 << *difference;
    }
  }
}

using CompiledExtremes = cpu::CompilingTest;

/// Axes that are gone through in one piece, in parts, and with places left over.
TEST_F(CompiledExtremes, AreFirstOrLastInRowsOfAnyLength) {
  constexpr std::pair<std::int64_t, std::int64_t> kSizes[] = {{1, 1}, {1, 3}, {2, 17}, {4, 33}, {1, 100}};
  for (const auto& [rows, places] : kSizes)
    for (const bool most : {true, false})
      for (const bool last : {true, false}) check({DType::f32, rows, places, most, last});
}

TEST_F(CompiledExtremes, AreOfAnyType) {
  for (const DType dtype : {DType::f64, DType::f16, DType::i32, DType::i64, DType::u8})
    for (const bool most : {true, false})
      for (const bool last : {true, false}) check({dtype, 1, 37, most, last});
}

/// Loops that look for NaN are first run as if there were none; all targets find it in the end.
TEST_F(CompiledExtremes, OfColumnsWithNanAreThoseOfTheInterpreter) {
  using expr::Op;
  kernel::Builder b("columns");
  const kernel::BufferId x = b.buffer("x", DType::f32, kernel::Access::in),
                         most = b.buffer("most", DType::f32, kernel::Access::out),
                         least = b.buffer("least", DType::f32, kernel::Access::out),
                         place = b.buffer("place", DType::i32, kernel::Access::out);
  const kernel::Param n = b.param("N"), k = b.param("K");
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const kernel::Var low = b.constant(DType::f32, -kInfinity), high = b.constant(DType::f32, kInfinity);
  b.lanes(
      n,
      [&](kernel::Counter c) {
        const auto found = b.steps(
            k, {low, high, low, b.integer(DType::i32, 0)},
            [&](kernel::Counter row, std::span<const kernel::Var> inside) {
              const kernel::Var now = b.load(x, row * n + c);
              const kernel::Var above = b.compute(Op::bit_not, {b.compute(Op::less_equal, {now, inside[2]})});
              const kernel::Var takes = b.compute(Op::bit_and, {above, b.compute(Op::equal, {inside[2], inside[2]})});
              const kernel::Var at = b.cast(b.number(kernel::Form(row)), DType::i32);
              return std::vector{b.compute(Op::maximum, {inside[0], now}), b.compute(Op::minimum, {inside[1], now}),
                                 b.compute(Op::select, {takes, now, inside[2]}),
                                 b.compute(Op::select, {takes, at, inside[3]})};
            });
        b.store(most, c, found[0]);
        b.store(least, c, found[1]);
        b.store(place, c, found[3]);
      },
      3);
  const kernel::Program program = std::move(b).finish();
  for (const std::int64_t columns : {1, 40, 101})
    for (const std::int64_t rows : {1, 2, 9})
      for (const std::int64_t nan : {-1, 0, 8, 150}) {
        std::vector<float> numbers(static_cast<std::size_t>(columns * rows));
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>((i * 37) % 11) - 5;
        if (nan >= 0 && nan < columns * rows) numbers[static_cast<std::size_t>(nan)] = NAN;
        const std::vector<float> results(static_cast<std::size_t>(columns));
        const std::vector<std::int32_t> places(static_cast<std::size_t>(columns));
        cpu::expect_same(
            program, {cpu::bytes_of(numbers), cpu::bytes_of(results), cpu::bytes_of(results), cpu::bytes_of(places)},
            {columns, rows});
      }
}

}  // namespace
}  // namespace pawl
