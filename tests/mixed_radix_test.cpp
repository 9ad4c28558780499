// The transform by factors, against the sum that defines it, in long double.
#include "ops/mixed_radix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace pawl::ops {
namespace {

using Wide = std::complex<long double>;

std::vector<Wide> by_definition(const std::vector<Wide>& x, int sign) {
  const std::size_t n = x.size();
  std::vector<Wide> y(n);
  for (std::size_t m = 0; m < n; ++m)
    for (std::size_t k = 0; k < n; ++k) {
      const long double angle = static_cast<long double>(sign) * 2 * std::numbers::pi_v<long double> *
                                static_cast<long double>(k * m % n) / static_cast<long double>(n);
      y[m] += x[k] * Wide(std::cos(angle), std::sin(angle));
    }
  return y;
}

/// The error's norm over the result's, in units of T's last place.
template <class T>
long double error_of(std::size_t n, int sign, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::complex<T>> values(n);
  std::vector<Wide> exact(n);
  for (std::size_t k = 0; k < n; ++k) {
    values[k] = {static_cast<T>(uniform(random)), static_cast<T>(uniform(random))};
    exact[k] = Wide(values[k].real(), values[k].imag());
  }
  exact = by_definition(exact, sign);
  MixedRadix<T>(static_cast<std::int64_t>(n), sign).run(values);
  long double error = 0, norm = 0;
  for (std::size_t k = 0; k < n; ++k) {
    error += std::norm(Wide(values[k].real(), values[k].imag()) - exact[k]);
    norm += std::norm(exact[k]);
  }
  return std::sqrt(error / norm) / static_cast<long double>(std::numeric_limits<T>::epsilon());
}

TEST(MixedRadix, IsTheSumThatDefinesIt) {
  std::mt19937 random(1);
  for (const std::size_t n : {1U,  2U,  3U,  4U,  5U,  6U,  7U,  8U,  9U,  10U,  12U,  15U,  16U,  20U,  25U, 27U,
                              30U, 32U, 35U, 36U, 49U, 60U, 61U, 64U, 90U, 100U, 121U, 128U, 210U, 256U, 360U})
    for (const int sign : {-1, 1}) {
      EXPECT_LT(error_of<double>(n, sign, random), 2.0L) << n;
      EXPECT_LT(error_of<float>(n, sign, random), 2.0L) << n;
    }
}

TEST(MixedRadix, RootsOfUnityAreExactAtQuarters) {
  for (const std::int64_t n : {4, 12, 100}) {
    const auto roots = roots_of_unity(n, -1);
    const auto at = [&](std::int64_t quarters) { return roots[static_cast<std::size_t>(quarters * n / 4)]; };
    EXPECT_EQ(at(0), std::complex<double>(1, 0));
    EXPECT_EQ(at(1), std::complex<double>(0, -1));
    EXPECT_EQ(at(2), std::complex<double>(-1, 0));
    EXPECT_EQ(at(3), std::complex<double>(0, 1));
  }
}

}  // namespace
}  // namespace pawl::ops
