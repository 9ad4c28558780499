#include "ops/mixed_radix.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pawl::ops {
namespace {

/// exp(2πi·k/n) for 0 <= k < n, from an angle of an eighth of a turn at most.
std::complex<double> root_of_unity(std::int64_t k, std::int64_t n) {
  const double unit = 2 * std::numbers::pi / (8 * static_cast<double>(n));
  std::int64_t x = 8 * k;
  const bool lower = x > 4 * n;
  if (lower) x = 8 * n - x;
  const bool left = x > 2 * n;
  if (left) x = 4 * n - x;
  const bool steep = x > n;
  if (steep) x = 2 * n - x;
  double real = std::cos(unit * static_cast<double>(x)), imaginary = std::sin(unit * static_cast<double>(x));
  if (steep) std::swap(real, imaginary);
  return {left ? -real : real, lower ? -imaginary : imaginary};
}

template <class T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Fours first, then the rest from small to large; a single 2 leads.
std::vector<std::int64_t> factors_of(std::int64_t n) {
  std::vector<std::int64_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  if (n % 2 == 0) factors.insert(factors.begin(), 2), n /= 2;
  for (std::int64_t factor = 3; factor * factor <= n; factor += 2)
    for (; n % factor == 0; n /= factor) factors.push_back(factor);
  if (n > 1) factors.push_back(n);
  return factors;
}

}  // namespace

std::vector<std::complex<double>> roots_of_unity(std::int64_t n, int sign) {
  std::vector<std::complex<double>> roots(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) {
    const std::complex<double> root = root_of_unity(k, n);
    roots[static_cast<std::size_t>(k)] = sign < 0 ? std::conj(root) : root;
  }
  return roots;
}

std::int64_t largest_factor(std::int64_t n) {
  std::int64_t largest = 1;
  for (std::int64_t factor = 2; factor * factor <= n; ++factor)
    for (; n % factor == 0; n /= factor) largest = factor;
  return std::max(largest, n);
}

template <class T>
MixedRadix<T>::MixedRadix(std::int64_t n, int sign) : n_(n), sign_(static_cast<T>(sign)), factors_(factors_of(n)) {
  for (const std::complex<double> root : roots_of_unity(n, sign))
    roots_.emplace_back(static_cast<T>(root.real()), static_cast<T>(root.imag()));
  scratch_.resize(roots_.size());
  const auto widest = static_cast<std::size_t>(std::max<std::int64_t>(4, largest_factor(n)));
  x_.resize(widest);
  u_.resize(widest);
}

template <class T>
void MixedRadix<T>::odd_butterfly(std::int64_t radix, const Complex* x, Complex* u) const {
  const std::int64_t turn = n_ / radix;
  u[0] = x[0];
  for (std::int64_t j = 1; 2 * j < radix; ++j) u[0] += x[j] + x[radix - j];
  for (std::int64_t m = 1; 2 * m < radix; ++m) {
    Complex even = x[0], odd = 0;
    for (std::int64_t j = 1; 2 * j < radix; ++j) {
      const Complex root = roots_[static_cast<std::size_t>(j * m % radix * turn)];
      even += root.real() * (x[j] + x[radix - j]);
      const Complex difference = root.imag() * (x[j] - x[radix - j]);
      odd += Complex(-difference.imag(), difference.real());
    }
    u[m] = even + odd;
    u[radix - m] = even - odd;
  }
}

template <class T>
void MixedRadix<T>::butterfly(std::int64_t radix, const Complex* x, Complex* u) const {
  if (radix == 2) {
    u[0] = x[0] + x[1];
    u[1] = x[0] - x[1];
  } else if (radix == 4) {
    const Complex even = x[0] + x[2], middle = x[0] - x[2], odd = x[1] + x[3], turned = sign_ * (x[1] - x[3]);
    const Complex rest(-turned.imag(), turned.real());
    u[0] = even + odd;
    u[1] = middle + rest;
    u[2] = even - odd;
    u[3] = middle - rest;
  } else {
    odd_butterfly(radix, x, u);
  }
}

template <class T>
void MixedRadix<T>::pass(std::int64_t radix, std::int64_t before, const Complex* from, Complex* to) {
  const std::int64_t after = n_ / (before * radix);
  for (std::int64_t k = 0; k < before; ++k)
    for (std::int64_t i = 0; i < after; ++i) {
      for (std::int64_t j = 0; j < radix; ++j) x_[static_cast<std::size_t>(j)] = from[i + after * (j + radix * k)];
      butterfly(radix, x_.data(), u_.data());
      for (std::int64_t m = 0; m < radix; ++m) {
        const Complex u = u_[static_cast<std::size_t>(m)];
        to[i + after * (k + before * m)] =
            i * m == 0 ? u : product(u, roots_[static_cast<std::size_t>(i * m * before)]);
      }
    }
}

template <class T>
void MixedRadix<T>::run(std::vector<Complex>& values) {
  std::int64_t before = 1;
  for (const std::int64_t factor : factors_) {
    pass(factor, before, values.data(), scratch_.data());
    values.swap(scratch_);
    before *= factor;
  }
}

template class MixedRadix<float>;
template class MixedRadix<double>;

}  // namespace pawl::ops
