// Casts of kernels against those of operators, over all types.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "backend/reference/kernel_interpreter.h"
#include "expr/types.h"
#include "kernel/builder.h"
#include "ops/convert.h"
#include "tensor/dispatch.h"

namespace pawl::reference {
namespace {

using kernel::Access;
using kernel::BufferId;
using kernel::Builder;
using kernel::Counter;

constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,  DType::i16,    DType::i32,
                            DType::i64, DType::u8,  DType::u16, DType::u32,  DType::u64, DType::boolean};

/// Corners and random bits of a type.
Tensor samples(DType dtype) {
  constexpr double kCorners[] = {0,     -0.0,   0.5,     -0.5,    1,      -1,     1.5,    2.5,
                                 127,   128,    -128.7,  255,     256,    32768,  65504,  65520,
                                 65535, 0x1p31, -0x1p31, 0x1p32,  0x1p53, 0x1p63, 0x1p64, -0x1p63,
                                 2049,  2051,   257,     1 / 3.0, 1e-8,   1e30,   1e300,  0x1p24 + 1};
  std::vector<double> reals(std::begin(kCorners), std::end(kCorners));
  for (const double special : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    reals.push_back(special);
    reals.push_back(-special);
  }
  std::mt19937_64 random(static_cast<unsigned>(dtype));
  constexpr std::int64_t kRandom = 200;
  const auto corners = static_cast<std::int64_t>(reals.size());
  Tensor wide = *Tensor::allocate(DType::f64, {corners});
  std::copy(reals.begin(), reals.end(), wide.mutable_data<double>());
  const Tensor narrow = *ops::convert(wide, dtype);
  Tensor all = *Tensor::allocate(dtype, {corners + kRandom});
  const std::size_t size = size_of(dtype);
  std::memcpy(all.mutable_bytes(), narrow.bytes(), static_cast<std::size_t>(corners) * size);
  for (std::int64_t i = corners; i < corners + kRandom; ++i) {
    std::uint64_t bits = random() >> (random() % 64);
    if (dtype == DType::boolean) bits &= 1;
    std::memcpy(all.mutable_bytes() + i * static_cast<std::int64_t>(size), &bits, size);
  }
  return all;
}

bool is_nan(DType dtype, const std::byte* element) {
  if (dtype == DType::f32) return std::isnan(*reinterpret_cast<const float*>(element));
  if (dtype == DType::f64) return std::isnan(*reinterpret_cast<const double*>(element));
  return expr::is_stored(dtype) && std::isnan(decode_float(dtype, *reinterpret_cast<const std::uint16_t*>(element)));
}

TEST(KernelCasts, AreThoseOfOperators) {
  for (const DType from : kTypes) {
    const Tensor x = samples(from);
    for (const DType to : kTypes) {
      if (expr::is_stored(from) && expr::is_stored(to)) continue;
      Builder b("casts");
      const BufferId source = b.buffer("x", from, Access::in);
      const BufferId target = b.buffer("y", to, Access::out);
      b.lanes(b.param("n"), [&](Counter c) { b.store(target, c, b.cast(b.load(source, c), to)); });
      Tensor y = *Tensor::allocate(to, x.shape());
      const Memory buffers[] = {{const_cast<std::byte*>(x.bytes()), x.size()}, {y.mutable_bytes(), y.size()}};
      const std::int64_t params[] = {x.size()};
      ASSERT_TRUE(run_kernel(std::move(b).finish(), buffers, params).ok());
      const Tensor want = *ops::convert(x, to);
      const std::size_t size = size_of(to);
      for (std::int64_t i = 0; i < x.size(); ++i) {
        const std::byte* got_element = y.bytes() + i * static_cast<std::int64_t>(size);
        const std::byte* want_element = want.bytes() + i * static_cast<std::int64_t>(size);
        if (is_nan(to, got_element) && is_nan(to, want_element)) continue;
        EXPECT_EQ(std::memcmp(got_element, want_element, size), 0)
            << name(from) << " to " << name(to) << ", element " << i;
      }
    }
  }
}

}  // namespace
}  // namespace pawl::reference
