// Numbers that depend on extents, found from what they are at a few of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/wgsl/passes.h"

namespace pawl::package {

/// A sum of products of unknowns with integer factors.
struct Polynomial {
  /// By the exponents of the unknowns; without factors of 0.
  std::map<std::vector<int>, std::int64_t> terms;

  [[nodiscard]] std::int64_t at(std::span<const std::int64_t> unknowns) const;
  [[nodiscard]] wgsl::Count count(const std::vector<std::string>& names) const;
};

/// Points at which numbers are looked at: a grid that a polynomial of degree 2 in each unknown is found from (of degree
/// 1 in many unknowns), and two more that it must hold at.
class Points {
 public:
  explicit Points(std::size_t unknowns);

  [[nodiscard]] const std::vector<std::vector<std::int64_t>>& all() const { return all_; }
  /// The polynomial that has these numbers, one per point; nothing where there is none.
  [[nodiscard]] std::optional<Polynomial> fit(std::span<const std::int64_t> numbers) const;
  /// An unknown along which alone the numbers differ from the first point's, or the first one.
  [[nodiscard]] std::size_t blamed(const std::vector<bool>& same) const;

 private:
  std::vector<std::vector<std::int64_t>> along_;  ///< by unknown: its values in the grid
  std::vector<std::vector<std::int64_t>> all_;
  std::size_t grid_ = 1;  ///< points of it, first in `all_`, the last unknown fastest
};

}  // namespace pawl::package
