#include "package/polynomial.h"

namespace pawl::package {
namespace {

/// Extents that are no multiples of each other and of nothing that kernels are cut into.
constexpr std::int64_t kFirst = 37;
constexpr std::int64_t kApart = 42;
constexpr std::int64_t kNext = 5;

/// Newton's divided differences along one unknown, which are integers where the polynomial's factors are.
bool divide(std::vector<std::int64_t>& numbers, const std::vector<std::int64_t>& places) {
  for (std::size_t order = 1; order < places.size(); ++order)
    for (std::size_t i = places.size(); i-- > order;) {
      const std::int64_t rise = numbers[i] - numbers[i - 1], run = places[i] - places[i - order];
      if (rise % run != 0) return false;
      numbers[i] = rise / run;
    }
  return true;
}

/// From Newton's form to powers.
void expand(std::vector<std::int64_t>& numbers, const std::vector<std::int64_t>& places) {
  for (std::size_t order = places.size() - 1; order-- > 0;)
    for (std::size_t i = order; i + 1 < places.size(); ++i) numbers[i] -= places[order] * numbers[i + 1];
}

}  // namespace

std::int64_t Polynomial::at(std::span<const std::int64_t> unknowns) const {
  std::int64_t sum = 0;
  for (const auto& [exponents, factor] : terms) {
    std::int64_t product = factor;
    for (std::size_t i = 0; i < exponents.size(); ++i)
      for (int power = 0; power < exponents[i]; ++power) product *= unknowns[i];
    sum += product;
  }
  return sum;
}

wgsl::Count Polynomial::count(const std::vector<std::string>& names) const {
  wgsl::Count sum(0);
  // The highest powers first, as one writes them; what is taken away behind what is added.
  for (const bool positive : {true, false})
    for (auto term = terms.rbegin(); term != terms.rend(); ++term) {
      if ((term->second > 0) != positive) continue;
      wgsl::Count product(positive ? term->second : -term->second);
      for (std::size_t i = 0; i < term->first.size(); ++i)
        for (int power = 0; power < term->first[i]; ++power) product = product * wgsl::Count::named(names[i]);
      sum = positive ? sum + product : sum - product;
    }
  return sum;
}

Points::Points(std::size_t unknowns) {
  const std::size_t each = unknowns <= 2 ? 3 : 2;
  for (std::size_t i = 0; i < unknowns; ++i) {
    std::vector<std::int64_t> places;
    for (std::size_t k = 0; k < each; ++k)
      places.push_back(kFirst + kApart * static_cast<std::int64_t>(i) + kNext * static_cast<std::int64_t>(k));
    along_.push_back(std::move(places));
    grid_ *= each;
  }
  for (std::size_t point = 0; point < grid_; ++point) {
    std::vector<std::int64_t> place(unknowns);
    std::size_t rest = point;
    for (std::size_t i = unknowns; i-- > 0;) {
      place[i] = along_[i][rest % each];
      rest /= each;
    }
    all_.push_back(std::move(place));
  }
  if (unknowns == 0) return;
  for (const std::int64_t factor : {3, 7}) {
    std::vector<std::int64_t> place(unknowns);
    for (std::size_t i = 0; i < unknowns; ++i) place[i] = factor * along_[i][0] + 2;
    all_.push_back(std::move(place));
  }
}

std::optional<Polynomial> Points::fit(std::span<const std::int64_t> numbers) const {
  std::vector<std::int64_t> factors(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(grid_));
  std::size_t stride = grid_;
  for (const std::vector<std::int64_t>& places : along_) {
    stride /= places.size();
    for (std::size_t first = 0; first < grid_; ++first) {
      if (first / stride % places.size() != 0) continue;
      std::vector<std::int64_t> line;
      for (std::size_t k = 0; k < places.size(); ++k) line.push_back(factors[first + k * stride]);
      if (!divide(line, places)) return std::nullopt;
      expand(line, places);
      for (std::size_t k = 0; k < places.size(); ++k) factors[first + k * stride] = line[k];
    }
  }
  Polynomial made;
  for (std::size_t point = 0; point < grid_; ++point) {
    if (factors[point] == 0) continue;
    std::vector<int> exponents(along_.size());
    std::size_t rest = point;
    for (std::size_t i = along_.size(); i-- > 0;) {
      exponents[i] = static_cast<int>(rest % along_[i].size());
      rest /= along_[i].size();
    }
    made.terms.emplace(std::move(exponents), factors[point]);
  }
  for (std::size_t point = grid_; point < all_.size(); ++point)
    if (made.at(all_[point]) != numbers[point]) return std::nullopt;
  return made;
}

std::size_t Points::blamed(const std::vector<bool>& same) const {
  for (std::size_t point = 0; point < grid_; ++point) {
    if (same[point]) continue;
    std::size_t unknown = along_.size(), count = 0;
    for (std::size_t i = 0; i < along_.size(); ++i)
      if (all_[point][i] != all_[0][i]) {
        unknown = i;
        ++count;
      }
    if (count == 1) return unknown;
  }
  return 0;
}

}  // namespace pawl::package
