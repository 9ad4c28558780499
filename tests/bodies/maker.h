// What everything that makes random models draws from, and how it writes types of int64.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace pawl::tests {

using Shape = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

inline std::string list(const Shape& shape) { return fmt::format("{}", fmt::join(shape, ",")); }
/// As the text syntax has it: int64[2,3], or int64 of a scalar.
inline std::string typed(const Shape& shape) { return shape.empty() ? "int64" : fmt::format("int64[{}]", list(shape)); }
inline Shape inserted(Shape shape, std::int64_t axis, std::int64_t extent) {
  shape.insert(shape.begin() + axis, extent);
  return shape;
}

/// The same seed makes the same model.
class Maker {
 protected:
  explicit Maker(std::uint32_t seed) : random_(seed) {}

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  template <class T>
  void shuffle(std::vector<T>& values) {
    std::shuffle(values.begin(), values.end(), random_);
  }
  /// A name that nothing has.
  std::string fresh(const char* base) { return fmt::format("{}{}", base, ++names_); }

  int names_ = 0;

 private:
  std::mt19937 random_;
};

}  // namespace pawl::tests
