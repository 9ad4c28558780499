// Ways to combine two numbers of one type. Integers wrap around; of booleans the sum is "or", the product "and".
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace pawl::ops {

struct Sum {
  static constexpr int kIdentity = 0;
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>)
      return a || b;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
      return a + b;
  }
};

struct Product {
  static constexpr int kIdentity = 1;
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>)
      return a && b;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
      return a * b;
  }
};

/// The greater one. NaN wins on either side.
struct Most {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(a)) return a;
    return a > b ? a : b;
  }
};

/// The lesser one. NaN wins on either side.
struct Least {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(a)) return a;
    return a < b ? a : b;
  }
};

}  // namespace pawl::ops
