// The discrete Fourier transform by factors of its length, in the precision of T.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace pawl::ops {

/// exp(sign·2πi·k/n) for k = 0 … n-1, each to the last bit but one; quarters of a turn are exact.
std::vector<std::complex<double>> roots_of_unity(std::int64_t n, int sign);

/// The greatest prime factor of n; 1 for 1.
std::int64_t largest_factor(std::int64_t n);

/// y[m] = Σ x[k]·exp(sign·2πi·k·m/n). Time n·(sum of the factors): for lengths whose factors are small.
///   Source: Stockham's form of the mixed-radix transform; Temperton 1983. An error of a few ulp times log n.
template <class T>
class MixedRadix {
 public:
  MixedRadix(std::int64_t n, int sign);

  /// Transforms `values` in place; n of them.
  void run(std::vector<std::complex<T>>& values);

 private:
  using Complex = std::complex<T>;
  /// One factor: `before` is the product of those that are done.
  void pass(std::int64_t radix, std::int64_t before, const Complex* from, Complex* to);
  /// x to its transform of length `radix`, in u.
  void butterfly(std::int64_t radix, const Complex* x, Complex* u) const;
  void odd_butterfly(std::int64_t radix, const Complex* x, Complex* u) const;

  std::int64_t n_;
  T sign_;
  std::vector<std::int64_t> factors_;
  std::vector<Complex> roots_, scratch_, x_, u_;
};

extern template class MixedRadix<float>;
extern template class MixedRadix<double>;

}  // namespace pawl::ops
