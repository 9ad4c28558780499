#include "random_contents.h"

#include <cstring>
#include <limits>

#include "expr/types.h"

namespace pawl::tests {

using kernel::Constant;

std::int64_t below(std::mt19937& random, std::int64_t n) {
  return n < 2 ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}
bool one_in(std::mt19937& random, int n) { return below(random, n) == 0; }

namespace {

std::uint64_t whole_word(std::mt19937& random) {
  const std::uint64_t high = random();
  return high << 32 | random();
}

double random_real(std::mt19937& random) {
  constexpr double kCorners[] = {0,
                                 -0.0,
                                 1,
                                 -1,
                                 0.5,
                                 -0.5,
                                 1.5,
                                 2.5,
                                 1e-40,
                                 1e-310,
                                 65504,
                                 65520,
                                 127.5,
                                 -128,
                                 255.5,
                                 0x1p31,
                                 -0x1p31,
                                 0x1p32,
                                 0x1p63,
                                 0x1p64,
                                 1e30,
                                 -1e300,
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};
  if (one_in(random, 3)) return kCorners[below(random, std::size(kCorners))];
  return static_cast<double>(below(random, 20001) - 10000) / (one_in(random, 2) ? 1000 : 3);
}

std::int64_t random_integer(std::mt19937& random) {
  if (one_in(random, 2)) return below(random, 21) - 10;
  const std::uint64_t bits = whole_word(random);
  return static_cast<std::int64_t>(one_in(random, 2) ? bits : bits >> below(random, 64));
}

}  // namespace

Constant random_constant(std::mt19937& random, DType dtype, Contents contents) {
  const std::int64_t sign = one_in(random, 2) ? 1 : -1;
  if (contents == Contents::exact)
    return kernel::float_constant(dtype, static_cast<double>(sign * (2 * below(random, 16) + 1)) / 8);
  if (contents == Contents::powers)
    return kernel::float_constant(dtype, static_cast<double>(sign) * static_cast<double>(1 << below(random, 3)) / 2);
  if (expr::is_float(expr::computed_type(dtype))) return kernel::float_constant(dtype, random_real(random));
  if (dtype == DType::boolean) return kernel::integer_constant(dtype, below(random, 2));
  return kernel::integer_constant(dtype, random_integer(random));
}

std::uint64_t random_bits(std::mt19937& random, DType dtype, Contents contents) {
  if (contents == Contents::any && dtype != DType::boolean && one_in(random, 8)) return whole_word(random);
  return kernel::bits_of(random_constant(random, dtype, contents));
}

std::vector<std::byte> random_elements(std::mt19937& random, DType dtype, Contents contents, std::int64_t count) {
  const std::size_t size = size_of(dtype);
  std::vector<std::byte> elements(static_cast<std::size_t>(count) * size);
  for (std::size_t at = 0; at < elements.size(); at += size) {
    const std::uint64_t bits = random_bits(random, dtype, contents);
    std::memcpy(&elements[at], &bits, size);
  }
  return elements;
}

}  // namespace pawl::tests
