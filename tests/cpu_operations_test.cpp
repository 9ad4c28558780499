// Every operation of every type as machine code, one lane and many, against the interpreter.
#include <gtest/gtest.h>

#include <cstring>

#include "cpu_kernel_run.h"
#include "expr/scalar.h"
#include "kernel/builder.h"

namespace pawl::cpu {
namespace {

using expr::Op;
using kernel::Access;
using kernel::BufferId;
using kernel::Builder;
using kernel::Counter;
using kernel::Param;
using kernel::Program;
using kernel::Var;

constexpr std::array kComputed = {DType::f32, DType::f64, DType::i8,  DType::i16, DType::i32,    DType::i64,
                                  DType::u8,  DType::u16, DType::u32, DType::u64, DType::boolean};

class CpuOperations : public CompilingTest {
 protected:
  std::mt19937 random_{21};
};

/// y[i] = op(a[i], …); an operand with a value takes that in all lanes.
Program apply(Op op, const std::vector<DType>& types, DType result, std::optional<std::int64_t> last = std::nullopt) {
  Builder b("apply");
  std::vector<BufferId> from;
  for (std::size_t i = 0; i < types.size(); ++i)
    from.push_back(b.buffer(std::string(1, static_cast<char>('a' + i)), types[i], Access::in));
  const BufferId y = b.buffer("y", result, Access::out);
  const Param n = b.param("n");
  b.lanes(n, [&](Counter c) {
    std::vector<Var> operands;
    for (std::size_t i = 0; i < types.size(); ++i)
      operands.push_back(last && i + 1 == types.size() ? b.integer(types[i], *last) : b.load(from[i], c));
    b.store(y, c, b.compute(op, operands, op == Op::cast || op == Op::bits ? result : DType::undefined));
  });
  return std::move(b).finish();
}

void expect_operation(Op op, const std::vector<DType>& types, DType to, std::mt19937& random,
                      std::optional<std::int64_t> last = std::nullopt) {
  const DType result = expr::result_type(op, types, to);
  if (result == DType::undefined) return;
  const Program program = apply(op, types, result, last);
  constexpr std::int64_t kCount = 1003;
  std::vector<Bytes> buffers;
  for (const DType dtype : types) buffers.push_back(random_bytes(dtype, kCount, random));
  buffers.emplace_back(kCount * size_of(result));
  if (op == Op::fma) {
    // What a target lacks is refused, not computed in another way.
    const auto want = run_interpreted(program, buffers, {kCount});
    for (const Target& target : targets_here()) {
      const auto got = run_compiled(program, target, buffers, {kCount});
      ASSERT_EQ(got.ok(), target.fused_multiply_add);
      if (got.ok())
        ASSERT_FALSE(difference(program, *got, *want));
      else
        EXPECT_EQ(got.error().code, Code::unsupported);
    }
    return;
  }
  expect_same(program, buffers, {kCount});
}

TEST_F(CpuOperations, ComputeEveryType) {
  for (int i = 0; i < expr::kOps; ++i) {
    const auto op = static_cast<Op>(i);
    if (expr::facts_of(op).is_function || op == Op::cast || op == Op::bits || op == Op::shift_left ||
        op == Op::shift_right)
      continue;
    for (const DType dtype : kComputed) {
      std::vector<DType> types(static_cast<std::size_t>(expr::facts_of(op).arity), dtype);
      if (op == Op::select) types[0] = DType::boolean;
      const bool integer = dtype != DType::f32 && dtype != DType::f64;
      if (op == Op::divide && integer) {
        for (const std::int64_t divisor : {-1, 1, 3, -7, 100}) expect_operation(op, types, dtype, random_, divisor);
      } else {
        expect_operation(op, types, dtype, random_);
      }
    }
  }
}

template <class T>
std::vector<T> numbers_of(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The bits of the same formula in C++; where a target lacks an operation of it, it is refused.
template <class T>
void expect_function(Op op, DType dtype, std::mt19937& random) {
  const Program program =
      apply(op, std::vector<DType>(static_cast<std::size_t>(expr::facts_of(op).arity), dtype), dtype);
  constexpr std::int64_t kCount = 3001;
  std::vector<Bytes> buffers(program.buffers.size());
  for (Bytes& buffer : buffers) buffer = random_bytes(dtype, kCount, random);
  const std::vector<T> x = numbers_of<T>(buffers[0]), y = numbers_of<T>(buffers[buffers.size() - 2]);
  std::vector<T> results(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) results[i] = expr::function_of(op, x[i], y[i]);
  std::vector<Bytes> want = buffers;
  want.back() = bytes_of(results);
  for (const Target& target : targets_here()) {
    const auto got = run_compiled(program, target, buffers, {kCount});
    ASSERT_TRUE(got.ok() || got.error().code == Code::unsupported) << got.error().to_string();
    ASSERT_TRUE(got.ok() || !target.fused_multiply_add) << got.error().to_string();
    const auto wrong = got.ok() ? difference(program, *got, want) : std::nullopt;
    ASSERT_FALSE(wrong) << target.name << " " << expr::facts_of(op).name << ": " << *wrong;
  }
}

TEST_F(CpuOperations, ComputeFunctions) {
  for (int i = 0; i < expr::kOps; ++i) {
    const auto op = static_cast<Op>(i);
    if (!expr::facts_of(op).is_function) continue;
    expect_function<float>(op, DType::f32, random_);
    expect_function<double>(op, DType::f64, random_);
  }
}

TEST_F(CpuOperations, Shift) {
  for (const Op op : {Op::shift_left, Op::shift_right})
    for (const DType dtype : kComputed)
      for (const std::int64_t by : {0, 1, 7}) expect_operation(op, {dtype, dtype}, dtype, random_, by);
}

TEST_F(CpuOperations, CastEveryTypeToEvery) {
  std::vector<DType> all(kComputed.begin(), kComputed.end());
  all.push_back(DType::f16);
  all.push_back(DType::bf16);
  for (const DType from : all)
    for (const DType to : all) {
      expect_operation(Op::cast, {from}, to, random_);
      expect_operation(Op::bits, {from}, to, random_);
    }
}

/// Every number of 16 bits.
TEST_F(CpuOperations, ReadEverySmallFloat) {
  std::vector<std::uint16_t> codes(65536);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
  for (const DType from : {DType::f16, DType::bf16})
    for (const DType to : {DType::f32, DType::f64, DType::i32})
      expect_same(apply(Op::cast, {from}, to), {bytes_of(codes), Bytes(codes.size() * size_of(to))}, {65536});
}

/// What lies between two small floats, and on the middle.
TEST_F(CpuOperations, RoundToSmallFloatsOnce) {
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::int64_t> integers;
  std::vector<std::uint64_t> counts;
  for (std::uint32_t high = 0; high < 65536; high += 3)
    for (const std::uint32_t low : {0U, 0x0FFFU, 0x1000U, 0x1001U, 0x7FFFU, 0x8000U, 0x8001U, 0x3000U, 0xFFFFU}) {
      floats.push_back(std::bit_cast<float>((high << 16) | low));
      const double wide = static_cast<double>(floats.back());
      for (const std::uint64_t off : {0U, 1U, ~0U})
        doubles.push_back(std::bit_cast<double>(
            std::bit_cast<std::uint64_t>(wide) +
            static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(off)))));
    }
  for (int shift = 8; shift < 63; ++shift)
    for (const std::uint64_t base : {0x101U, 0x103U, 0x1FFU, 0x81U})
      for (const std::int64_t off : {-1, 0, 1}) {
        counts.push_back((base << (shift - 8)) + static_cast<std::uint64_t>(off));
        integers.push_back(static_cast<std::int64_t>(counts.back()));
        integers.push_back(-integers.back());
      }
  const auto check = [](DType from, const Bytes& values) {
    const auto count = static_cast<std::int64_t>(values.size() / size_of(from));
    for (const DType to : {DType::f16, DType::bf16})
      expect_same(apply(Op::cast, {from}, to), {values, Bytes(static_cast<std::size_t>(2 * count))}, {count});
  };
  check(DType::f32, bytes_of(floats));
  check(DType::f64, bytes_of(doubles));
  check(DType::i64, bytes_of(integers));
  check(DType::u64, bytes_of(counts));
}

}  // namespace
}  // namespace pawl::cpu
