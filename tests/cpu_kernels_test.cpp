// Kernels as machine code, on every vector width that the machine has, against the interpreter and against loops in
// C++.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "cpu_kernel_run.h"
#include "kernel/builder.h"

namespace pawl::cpu {
namespace {

using expr::Op;
using kernel::Access;
using kernel::BufferId;
using kernel::Builder;
using kernel::Counter;
using kernel::Form;
using kernel::Param;
using kernel::Program;
using kernel::Var;

class CpuKernels : public CompilingTest {
 protected:
  std::mt19937 random_{20};
};

/// y[t, c] = s = op(s, x[t, c]), for every channel; `forward` or from the last step to the first.
Program running(DType dtype, Op op, int unroll = 1, bool forward = true, bool streaming = false) {
  Builder b("running");
  const BufferId x = b.buffer("x", dtype, Access::in), s = b.buffer("s", dtype, Access::inout),
                 y = b.buffer("y", dtype, Access::out);
  const Param T = b.param("T"), C = b.param("C"), last = b.param("last");
  b.lanes(
      C,
      [&](Counter c) {
        const auto after = b.steps(T, {b.load(s, c)}, [&](Counter t, std::span<const Var> state) {
          const Form at = forward ? t * C + c : last - t * C + c;
          const Var next = b.compute(op, {state[0], b.load(x, at)});
          b.store(y, at, next, streaming);
          return std::vector{next};
        });
        b.store(s, c, after[0]);
      },
      unroll);
  return std::move(b).finish(true);
}

/// T, C and where the last step begins.
std::vector<std::int64_t> running_params(std::int64_t T, std::int64_t C) { return {T, C, (T - 1) * C}; }

std::vector<Bytes> running_buffers(DType dtype, std::int64_t T, std::int64_t C, std::mt19937& random) {
  return {random_bytes(dtype, T * C, random), random_bytes(dtype, C, random), random_bytes(dtype, T * C, random)};
}

TEST_F(CpuKernels, RunsSumsOfEveryExtent) {
  for (const int unroll : {1, 2, 4}) {
    const Program program = running(DType::f32, Op::add, unroll);
    for (std::int64_t C = 0; C <= 70; ++C)
      expect_same(program, running_buffers(DType::f32, 3, C, random_), running_params(3, C));
    for (const std::int64_t T : {0, 1, 17})
      expect_same(program, running_buffers(DType::f32, T, 200, random_), running_params(T, 200));
  }
  expect_same(running(DType::f32, Op::add), running_buffers(DType::f32, 0, 5, random_), running_params(-2, 5));
  expect_same(running(DType::f32, Op::add), running_buffers(DType::f32, 3, 0, random_), running_params(3, -7));
}

TEST_F(CpuKernels, RunsEveryTypeAndDirection) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i8, DType::i16, DType::i32, DType::i64, DType::u8,
                            DType::u16, DType::u32, DType::u64})
    for (const Op op : {Op::add, Op::multiply, Op::minimum, Op::maximum}) {
      const Program program = running(dtype, op, 2, op == Op::add, op == Op::add);
      for (const std::int64_t C : {1, 7, 31, 64, 131})
        expect_same(program, running_buffers(dtype, 5, C, random_), running_params(5, C));
    }
  for (const Op op : {Op::bit_and, Op::bit_or, Op::bit_xor}) {
    const Program program = running(DType::boolean, op, 2);
    for (const std::int64_t C : {1, 7, 31, 64, 131})
      expect_same(program, running_buffers(DType::boolean, 5, C, random_), running_params(5, C));
  }
}

TEST_F(CpuKernels, AgreesWithLoopsInCpp) {
  const std::int64_t T = 50, C = 37;
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(T * C)), s(static_cast<std::size_t>(C)), y(x.size());
  for (float& value : x) value = normal(random_);
  const std::vector<Bytes> before = {bytes_of(x), bytes_of(s), bytes_of(y)};
  for (std::int64_t t = 0; t < T; ++t)
    for (std::int64_t c = 0; c < C; ++c) {
      float& sum = s[static_cast<std::size_t>(c)];
      sum += x[static_cast<std::size_t>(t * C + c)];
      y[static_cast<std::size_t>(t * C + c)] = sum;
    }
  const Program program = running(DType::f32, Op::add, 4);
  for (const Target& target : targets_here()) {
    const auto got = run_compiled(program, target, before, running_params(T, C));
    ASSERT_TRUE(got.ok()) << got.error().to_string();
    EXPECT_FALSE(difference(program, *got, {bytes_of(x), bytes_of(s), bytes_of(y)})) << target.name;
  }
}

TEST_F(CpuKernels, RangesAreTheSameAsTheWhole) {
  const Program program = running(DType::f32, Op::add, 4);
  const auto buffers = running_buffers(DType::f32, 4, 150, random_);
  for (const std::int64_t begin : {0, 3, 64, 149})
    for (const std::int64_t end : {0, 5, 66, 150})
      if (begin <= end) expect_same(program, buffers, running_params(4, 150), reference::LaneRange{begin, end});
}

TEST_F(CpuKernels, StepsOutsideOfLanes) {
  Builder b("outside");
  const BufferId x = b.buffer("x", DType::f32, Access::in), s = b.buffer("s", DType::f32, Access::inout),
                 y = b.buffer("y", DType::f32, Access::out);
  const Param T = b.param("T"), C = b.param("C");
  b.steps(T, {}, [&](Counter t, std::span<const Var>) {
    b.lanes(
        C,
        [&](Counter c) {
          const Var next = b.compute(Op::add, {b.load(s, c), b.load(x, t * C + c)});
          b.store(s, c, next);
          b.store(y, t * C + c, next, true);
        },
        4);
    return std::vector<Var>{};
  });
  const Program program = std::move(b).finish();
  for (const std::int64_t count : {0, 1, 15, 16, 64, 131, 256})
    expect_same(program, running_buffers(DType::f32, 9, count, random_), {9, count});
}

TEST_F(CpuKernels, LoadsAndStoresWithAnyStride) {
  for (const std::int64_t stride : {-3, -1, 0, 1, 2, 5})
    for (const DType dtype : {DType::f32, DType::i8, DType::f64, DType::boolean}) {
      Builder b("strided");
      const BufferId x = b.buffer("x", dtype, Access::in), y = b.buffer("y", dtype, Access::out);
      const Param n = b.param("n"), by = b.param("by");
      b.lanes(
          n,
          [&](Counter c) {
            // From the end where the stride is negative.
            const Form at = stride < 0 ? stride * Form(c) - stride * (Form(n) - 1) : stride * Form(c);
            const Var loaded = b.load(x, at);
            const Var other = b.load(x, by * c);
            b.store(y, stride == 0 ? Form(c) : at,
                    b.compute(dtype == DType::boolean ? Op::bit_xor : Op::add, {loaded, other}));
          },
          2);
      const Program program = std::move(b).finish();
      for (const std::int64_t count : {1, 3, 16, 33, 70})
        for (const std::int64_t by_value : {0, 1, 2})
          expect_same(program, {random_bytes(dtype, 5 * count, random_), random_bytes(dtype, 5 * count, random_)},
                      {count, by_value});
    }
}

TEST_F(CpuKernels, LanesThatStoreTheSamePlace) {
  Builder b("same");
  const BufferId x = b.buffer("x", DType::f32, Access::in), y = b.buffer("y", DType::f32, Access::out);
  const Param n = b.param("n");
  b.lanes(n, [&](Counter) { b.store(y, 0, b.compute(Op::negate, {b.load(x, 0)})); }, 2);
  const Program program = std::move(b).finish();
  for (const std::int64_t count : {0, 1, 40})
    expect_same(program, {random_bytes(DType::f32, 1, random_), random_bytes(DType::f32, 1, random_)}, {count});
}

/// Rows of a matrix times a vector; sums of whole numbers are exact in any order.
Program matrix_by_vector(DType dtype, bool rows_are_lanes, int unroll) {
  Builder b("matvec");
  const BufferId w = b.buffer("w", dtype, Access::in), x = b.buffer("x", dtype, Access::in),
                 y = b.buffer("y", dtype, Access::out);
  const Param M = b.param("M"), K = b.param("K");
  b.lanes(
      M,
      [&](Counter m) {
        const auto sums = b.reduced(K, {{Op::add, b.constant(dtype, 1)}, {Op::maximum, b.constant(dtype, -3)}},
                                    [&](Counter k) -> std::vector<Var> {
                                      const Form at = rows_are_lanes ? m * K + k : k * M + m;
                                      const Var product = b.compute(Op::multiply, {b.load(w, at), b.load(x, k)});
                                      return {product, product};
                                    });
        b.store(y, m, b.compute(Op::subtract, {sums[0], sums[1]}));
      },
      unroll);
  return std::move(b).finish(true);
}

template <class T>
Bytes whole_numbers(std::int64_t count, std::mt19937& random) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(static_cast<int>(random() % 21) - 10);
  return bytes_of(values);
}

TEST_F(CpuKernels, MultipliesMatrices) {
  for (const bool rows : {false, true})
    for (const int unroll : {1, 3, 4}) {
      const Program f32 = matrix_by_vector(DType::f32, rows, unroll);
      const Program f64 = matrix_by_vector(DType::f64, rows, unroll);
      const Program i8 = matrix_by_vector(DType::i8, rows, unroll);
      for (const std::int64_t M : {0, 1, 5, 33})
        for (const std::int64_t K : {-1, 0, 1, 15, 64, 131}) {
          const std::int64_t count = M * std::max<std::int64_t>(K, 0), k = std::max<std::int64_t>(K, 0);
          expect_same(f32,
                      {whole_numbers<float>(count, random_), whole_numbers<float>(k, random_),
                       Bytes(4 * static_cast<std::size_t>(M))},
                      {M, K});
          expect_same(f64,
                      {whole_numbers<double>(count, random_), whole_numbers<double>(k, random_),
                       Bytes(8 * static_cast<std::size_t>(M))},
                      {M, K});
          expect_same(i8,
                      {whole_numbers<std::int8_t>(count, random_), whole_numbers<std::int8_t>(k, random_),
                       Bytes(static_cast<std::size_t>(M))},
                      {M, K});
        }
    }
}

TEST_F(CpuKernels, BlocksOfAMatrixProduct) {
  Builder b("matmul");
  const BufferId x = b.buffer("x", DType::f32, Access::in), w = b.buffer("w", DType::f32, Access::in),
                 y = b.buffer("y", DType::f32, Access::out);
  const Param M = b.param("M"), N = b.param("N"), K = b.param("K");
  b.lanes(
      M,
      [&](Counter m) {
        b.lanes(
            N,
            [&](Counter n) {
              const auto sum = b.reduced(K, {{Op::add, b.constant(DType::f32, 0)}}, [&](Counter k) -> std::vector<Var> {
                return {b.compute(Op::multiply, {b.load(x, m * K + k), b.load(w, k * N + n)})};
              });
              b.store(y, m * N + n, sum[0]);
            },
            2);
      },
      3);
  const Program program = std::move(b).finish(true);
  for (const std::int64_t m : {1, 3, 8})
    for (const std::int64_t n : {1, 17, 64, 70})
      for (const std::int64_t k : {0, 1, 9})
        expect_same(program,
                    {whole_numbers<float>(m * k, random_), whole_numbers<float>(k * n, random_),
                     Bytes(static_cast<std::size_t>(4 * m * n))},
                    {m, n, k});
}

TEST_F(CpuKernels, ExtentsThatDependOnLanes) {
  Builder b("triangle");
  const BufferId x = b.buffer("x", DType::f32, Access::in), y = b.buffer("y", DType::f32, Access::out);
  const Param n = b.param("n");
  b.lanes(
      n,
      [&](Counter c) {
        const auto sum = b.steps(Form(c) + 1, {b.constant(DType::f32, 0)}, [&](Counter t, std::span<const Var> s) {
          return std::vector{b.compute(Op::add, {s[0], b.load(x, t)})};
        });
        b.store(y, c, sum[0]);
      },
      4);
  const Program program = std::move(b).finish(true);
  expect_same(program, {random_bytes(DType::f32, 40, random_), Bytes(160)}, {40});
}

TEST_F(CpuKernels, WhatLanesShareAndNumbersOfCounters) {
  Builder b("shared");
  const BufferId a = b.buffer("a", DType::f32, Access::in), y = b.buffer("y", DType::f32, Access::out),
                 z = b.buffer("z", DType::i64, Access::out);
  const Param T = b.param("T"), C = b.param("C"), last = b.param("last");
  b.lanes(
      C,
      [&](Counter c) {
        // A state that lanes share, one that they share at first, and one that changes places with it.
        const Var one = b.constant(DType::f32, 1);
        const Var zero = b.constant(DType::f32, 0);
        const auto after = b.steps(T, {one, one, zero}, [&](Counter t, std::span<const Var> s) {
          const Var shared = b.compute(Op::multiply, {s[0], b.load(a, t)});
          const Var own = b.cast(b.number(t * 3 + 2 * Form(c) * C - 7), DType::f32);
          b.store(y, t * C + c, b.compute(Op::add, {shared, s[2]}));
          return std::vector{shared, b.compute(Op::add, {s[1], own}), s[1]};
        });
        b.store(z, c, b.number(C - 2 * Form(c)));
        b.store(y, last + c, after[2]);
      },
      2);
  const Program program = std::move(b).finish(true);
  for (const std::int64_t count : {1, 16, 35})
    expect_same(program,
                {random_bytes(DType::f32, 6, random_), Bytes(static_cast<std::size_t>(28 * count)),
                 Bytes(static_cast<std::size_t>(8 * count))},
                {6, count, 6 * count});
}

}  // namespace
}  // namespace pawl::cpu
