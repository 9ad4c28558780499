#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tensor/scalar.h"

namespace pawl {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Case {
  DType dtype;
  int bits;
  double largest;
  double smallest;  ///< the smallest positive number
};

// From the tables of ONNX's technical pages on float8, float6 and float4; IEEE 754 for the halves.
constexpr Case kCases[] = {
    {DType::f16, 16, 65504, 0x1p-24},   {DType::bf16, 16, 0x1.FEp127, 0x1p-133},
    {DType::f8e4m3fn, 8, 448, 0x1p-9},  {DType::f8e4m3fnuz, 8, 240, 0x1p-10},
    {DType::f8e5m2, 8, 57344, 0x1p-16}, {DType::f8e5m2fnuz, 8, 57344, 0x1p-17},
    {DType::f6e2m3, 6, 7.5, 0.125},     {DType::f6e3m2, 6, 28, 0.0625},
    {DType::f4e2m1, 4, 6, 0.5},
};

std::vector<std::uint16_t> codes(int bits) {
  std::vector<std::uint16_t> all(std::size_t{1} << bits);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  return all;
}

/// All finite non-negative numbers with their codes, ascending.
std::vector<std::pair<double, std::uint16_t>> positive_numbers(const Case& format) {
  std::vector<std::pair<double, std::uint16_t>> numbers;
  for (const std::uint16_t code : codes(format.bits)) {
    const float value = decode_float(format.dtype, code);
    if (std::isfinite(value) && !std::signbit(value)) numbers.emplace_back(value, code);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(SmallFloat, EveryCodeSurvivesARoundTrip) {
  for (const Case& format : kCases) {
    for (const std::uint16_t code : codes(format.bits)) {
      const float value = decode_float(format.dtype, code);
      const std::uint16_t back = encode_float(format.dtype, value, Overflow::propagate);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(decode_float(format.dtype, back))) << name(format.dtype) << " " << code;
        EXPECT_EQ(std::signbit(value), std::signbit(decode_float(format.dtype, back)))
            << name(format.dtype) << " " << code;
      } else {
        EXPECT_EQ(back, code) << name(format.dtype);
      }
    }
  }
}

TEST(SmallFloat, RangesAreThoseOfTheStandard) {
  for (const Case& format : kCases) {
    const auto numbers = positive_numbers(format);
    EXPECT_EQ(numbers[0].first, 0) << name(format.dtype);
    EXPECT_EQ(numbers[1].first, format.smallest) << name(format.dtype);
    EXPECT_EQ(numbers.back().first, format.largest) << name(format.dtype);
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i].second, i);
  }
}

TEST(SmallFloat, RoundsToNearestTiesToEven) {
  for (const Case& format : kCases) {
    const auto numbers = positive_numbers(format);
    for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
      // Exact in double: both ends have at most 11 bits.
      const double middle = (numbers[i].first + numbers[i + 1].first) / 2;
      const std::uint16_t low = numbers[i].second;
      const std::uint16_t high = numbers[i + 1].second;
      EXPECT_EQ(encode_float(format.dtype, middle, Overflow::propagate), low % 2 == 0 ? low : high);
      EXPECT_EQ(encode_float(format.dtype, std::nextafter(middle, 0.0), Overflow::propagate), low);
      EXPECT_EQ(encode_float(format.dtype, std::nextafter(middle, 1e300), Overflow::propagate), high);
      const auto near = static_cast<float>(middle);
      EXPECT_EQ(encode_float(format.dtype, std::nextafter(near, 0.0F), Overflow::saturate), low);
      EXPECT_EQ(encode_float(format.dtype, std::nextafter(near, kInf), Overflow::saturate), high);
    }
  }
}

TEST(SmallFloat, RandomDoublesGoToTheNearestNumber) {
  std::mt19937_64 random(7);
  for (const Case& format : kCases) {
    const auto numbers = positive_numbers(format);
    std::uniform_real_distribution<double> exponent(std::log2(format.smallest) - 2, std::log2(format.largest));
    for (int i = 0; i < 2000; ++i) {
      const double value = std::min(std::exp2(exponent(random)), format.largest);
      const double got = decode_float(format.dtype, encode_float(format.dtype, value, Overflow::propagate));
      const auto above = std::lower_bound(numbers.begin(), numbers.end(), std::pair<double, std::uint16_t>(value, 0));
      ASSERT_NE(above, numbers.end());
      const double upper = above->first;
      const double lower = above == numbers.begin() ? 0 : (above - 1)->first;
      EXPECT_EQ(got, value - lower < upper - value ? lower : upper) << name(format.dtype) << " " << value;
      const double negative = decode_float(format.dtype, encode_float(format.dtype, -value, Overflow::propagate));
      EXPECT_EQ(negative, -got);
    }
  }
}

TEST(SmallFloat, DoublesAreRoundedOnce) {
  // 1 + 2^-11 is a tie of float16, and 2^-40 above it; through float the difference would be lost.
  EXPECT_EQ(encode_float(DType::f16, 1 + 0x1p-11 + 0x1p-40, Overflow::propagate), 0x3C01);
  EXPECT_EQ(encode_float(DType::f16, 1 + 0x1p-11, Overflow::propagate), 0x3C00);
  EXPECT_EQ(encode_float(DType::f16, 5e-324, Overflow::propagate), 0);
  EXPECT_EQ(encode_float(DType::bf16, -1e-300, Overflow::propagate), 0x8000);
}

struct Special {
  DType dtype;
  std::uint16_t zero, minus_zero, nan, inf, minus_inf, huge, minus_huge;
};

void expect_special(const Special& row, Overflow overflow) {
  const auto encode = [&](float value) { return encode_float(row.dtype, value, overflow); };
  EXPECT_EQ(encode(0.0F), row.zero) << name(row.dtype);
  EXPECT_EQ(encode(-0.0F), row.minus_zero) << name(row.dtype);
  EXPECT_EQ(encode(std::copysign(kNan, 1.0F)), row.nan) << name(row.dtype);
  EXPECT_EQ(encode(kInf), row.inf) << name(row.dtype);
  EXPECT_EQ(encode(-kInf), row.minus_inf) << name(row.dtype);
  EXPECT_EQ(encode(3e38F), row.huge) << name(row.dtype);
  EXPECT_EQ(encode(-3e38F), row.minus_huge) << name(row.dtype);
}

// Source: the two tables of Cast-19 … Cast-28.
TEST(SmallFloat, SpecialValuesWithSaturation) {
  constexpr Special kRows[] = {
      {DType::f8e4m3fn, 0, 0x80, 0x7f, 0x7e, 0xfe, 0x7e, 0xfe},
      {DType::f8e4m3fnuz, 0, 0, 0x80, 0x7f, 0xff, 0x7f, 0xff},
      {DType::f8e5m2, 0, 0x80, 0x7e, 0x7b, 0xfb, 0x7b, 0xfb},
      {DType::f8e5m2fnuz, 0, 0, 0x80, 0x7f, 0xff, 0x7f, 0xff},
      {DType::f4e2m1, 0, 8, 8, 7, 0xf, 7, 0xf},
      {DType::f6e2m3, 0, 0x20, 0x20, 0x1f, 0x3f, 0x1f, 0x3f},
      {DType::f6e3m2, 0, 0x20, 0x20, 0x1f, 0x3f, 0x1f, 0x3f},
  };
  for (const Special& row : kRows) expect_special(row, Overflow::saturate);
}

TEST(SmallFloat, SpecialValuesWithoutSaturation) {
  constexpr Special kRows[] = {
      {DType::f8e4m3fn, 0, 0x80, 0x7f, 0x7f, 0xff, 0x7f, 0xff},
      {DType::f8e4m3fnuz, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80},
      {DType::f8e5m2, 0, 0x80, 0x7e, 0x7c, 0xfc, 0x7c, 0xfc},
      {DType::f8e5m2fnuz, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80},
      {DType::f4e2m1, 0, 8, 8, 7, 0xf, 7, 0xf},
      {DType::f6e2m3, 0, 0x20, 0x20, 0x1f, 0x3f, 0x1f, 0x3f},
      {DType::f16, 0, 0x8000, 0x7e00, 0x7c00, 0xfc00, 0x7c00, 0xfc00},
  };
  for (const Special& row : kRows) expect_special(row, Overflow::propagate);
  EXPECT_EQ(encode_float(DType::bf16, kInf, Overflow::propagate), 0x7f80);
  EXPECT_EQ(encode_float(DType::bf16, -3.4028235e38F, Overflow::propagate), 0xff80);
  EXPECT_EQ(encode_float(DType::bf16, std::copysign(kNan, 1.0F), Overflow::propagate), 0x7fc0);
}

TEST(SmallFloat, TheFirstNumberThatOverflows) {
  EXPECT_EQ(encode_float(DType::f16, 65519.9, Overflow::propagate), 0x7bff);
  EXPECT_EQ(encode_float(DType::f16, 65520.0, Overflow::propagate), 0x7c00);
  EXPECT_EQ(encode_float(DType::f8e4m3fn, 464.0, Overflow::propagate), 0x7e);
  EXPECT_EQ(encode_float(DType::f8e4m3fn, 464.1, Overflow::propagate), 0x7f);
  EXPECT_EQ(encode_float(DType::f8e4m3fnuz, 247.9, Overflow::propagate), 0x7f);
  EXPECT_EQ(encode_float(DType::f8e4m3fnuz, 248.0, Overflow::propagate), 0x80);
}

TEST(SmallFloat, PowersOfTwo) {
  for (int code = 0; code < 255; ++code) {
    const float value = decode_float(DType::f8e8m0, static_cast<std::uint16_t>(code));
    EXPECT_EQ(static_cast<double>(value), std::ldexp(1.0, code - 127));
    for (const PowerRounding rounding : {PowerRounding::up, PowerRounding::down, PowerRounding::nearest})
      EXPECT_EQ(encode_e8m0(value, rounding, Overflow::propagate), code);
  }
  EXPECT_TRUE(std::isnan(decode_float(DType::f8e8m0, 0xff)));
}

// Source: the table and `round_mode` of Cast-24.
TEST(SmallFloat, RoundingToPowersOfTwo) {
  const auto encode = [](double value, PowerRounding rounding) {
    return encode_e8m0(value, rounding, Overflow::saturate);
  };
  EXPECT_EQ(encode(1.1, PowerRounding::up), 128);
  EXPECT_EQ(encode(1.9, PowerRounding::down), 127);
  EXPECT_EQ(encode(1.5, PowerRounding::nearest), 128);
  EXPECT_EQ(encode(1.4999, PowerRounding::nearest), 127);
  EXPECT_EQ(encode(0.124, PowerRounding::up), 0x7c);
  EXPECT_EQ(encode(0, PowerRounding::up), 0);
  EXPECT_EQ(encode(1e-45, PowerRounding::up), 0);
  EXPECT_EQ(encode(kInf, PowerRounding::up), 0xfe);
  EXPECT_EQ(encode(3e38, PowerRounding::up), 0xfe);
  EXPECT_EQ(encode(kNan, PowerRounding::up), 0xff);
  EXPECT_EQ(encode(-2, PowerRounding::up), 0xff);
  for (const double outside : {0.0, 1e-45, static_cast<double>(kInf), 3e38, static_cast<double>(kNan)})
    EXPECT_EQ(encode_e8m0(outside, PowerRounding::nearest, Overflow::propagate), 0xff) << outside;
}

TEST(SmallInt, KeepsTheLowBits) {
  EXPECT_EQ(I4(-9).value, 7);
  EXPECT_EQ(I4(15).value, -1);
  EXPECT_EQ(U4(-9).value, 7);
  EXPECT_EQ(U4(16).value, 0);
  EXPECT_EQ(I2(2).value, -2);
  EXPECT_EQ(I2(-3).value, 1);
  EXPECT_EQ(U2(-1).value, 3);
}

}  // namespace
}  // namespace pawl
