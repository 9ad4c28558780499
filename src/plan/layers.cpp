#include "plan/layers.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace pawl::plan {
namespace {

/// A box, or a place where arrows from one box pass a column.
struct Item {
  int column = 0;
  bool is_box = true;
  double y = 0;
  std::vector<std::size_t> before = {};  ///< items of the column before, by arrow
  std::vector<std::size_t> after = {};
};

class Placing {
 public:
  Placing(const std::vector<int>& columns, const std::vector<Arrow>& arrows, const LayerSizes& sizes) : sizes_(sizes) {
    for (const int column : columns) items_.push_back({column});
    for (const Arrow& arrow : arrows) connect(arrow);
    for (std::size_t i = 0; i < items_.size(); ++i) columns_[items_[i].column].push_back(i);
  }

  Layers run(const std::vector<Arrow>& arrows, std::size_t boxes) {
    for (auto& [column, members] : columns_) stack(members);
    constexpr int kSweeps = 6;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (auto& [column, members] : columns_) arrange(members, true);
      for (auto at = columns_.rbegin(); at != columns_.rend(); ++at) arrange(at->second, false);
    }
    for (auto& [column, members] : columns_) arrange(members, true);
    return result(arrows, boxes);
  }

 private:
  /// Splits an arrow at the columns that it passes.
  void connect(const Arrow& arrow) {
    std::size_t last = arrow.from;
    for (int column = items_[arrow.from].column + 1; column < items_[arrow.to].column; ++column) {
      const auto [at, is_new] = lanes_.try_emplace({arrow.from, column}, items_.size());
      if (is_new) {
        items_.push_back({column, false});
        link(last, at->second);
      }
      last = at->second;
    }
    link(last, arrow.to);
  }

  void link(std::size_t from, std::size_t to) {
    items_[from].after.push_back(to);
    items_[to].before.push_back(from);
  }

  /// The least distance between the centers of two items that stand below each other.
  [[nodiscard]] double distance(std::size_t above, std::size_t below) const {
    const auto half = [&](std::size_t i) { return (items_[i].is_box ? sizes_.box : sizes_.lane) / 2.0; };
    const bool boxes = items_[above].is_box && items_[below].is_box;
    return half(above) + half(below) + (boxes ? sizes_.gap : sizes_.lane_gap);
  }

  void stack(const std::vector<std::size_t>& members) {
    for (std::size_t i = 1; i < members.size(); ++i)
      items_[members[i]].y = items_[members[i - 1]].y + distance(members[i - 1], members[i]);
  }

  /// Where an item would stand if it were alone: in the middle of what it is connected with.
  [[nodiscard]] double wanted(std::size_t i, bool by_before) const {
    const std::vector<std::size_t>& others = by_before ? items_[i].before : items_[i].after;
    if (others.empty()) return items_[i].y;
    double sum = 0;
    for (const std::size_t other : others) sum += items_[other].y;
    return sum / static_cast<double>(others.size());
  }

  void arrange(std::vector<std::size_t>& members, bool by_before) {
    std::vector<double> want(items_.size(), 0);
    for (const std::size_t i : members) want[i] = wanted(i, by_before);
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) { return want[a] < want[b]; });
    double moved = 0;
    for (std::size_t n = 0; n < members.size(); ++n) {
      Item& item = items_[members[n]];
      item.y = want[members[n]];
      if (n > 0) item.y = std::max(item.y, items_[members[n - 1]].y + distance(members[n - 1], members[n]));
      moved += item.y - want[members[n]];
    }
    // What had to give way went down: the column goes up by as much, on the average.
    for (const std::size_t i : members) items_[i].y -= moved / static_cast<double>(members.size());
  }

  Layers result(const std::vector<Arrow>& arrows, std::size_t boxes) const {
    double top = 0;
    double bottom = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      top = i == 0 ? items_[i].y : std::min(top, items_[i].y);
      bottom = i == 0 ? items_[i].y : std::max(bottom, items_[i].y);
    }
    const auto height_of = [&](std::size_t i) {
      return static_cast<int>(std::lround(items_[i].y - top)) + sizes_.box / 2;
    };
    Layers made;
    for (std::size_t i = 0; i < boxes; ++i) made.center.push_back(height_of(i));
    for (const Arrow& arrow : arrows) {
      std::vector<int>& passed = made.lanes.emplace_back();
      for (int column = items_[arrow.from].column + 1; column < items_[arrow.to].column; ++column)
        passed.push_back(height_of(lanes_.at({arrow.from, column})));
    }
    made.height = static_cast<int>(std::lround(bottom - top)) + sizes_.box;
    return made;
  }

  const LayerSizes sizes_;
  std::vector<Item> items_;
  std::map<std::pair<std::size_t, int>, std::size_t> lanes_;  ///< by source and column
  std::map<int, std::vector<std::size_t>> columns_;           ///< from top to bottom
};

}  // namespace

Layers place_in_layers(const std::vector<int>& columns, const std::vector<Arrow>& arrows, const LayerSizes& sizes) {
  return Placing(columns, arrows, sizes).run(arrows, columns.size());
}

}  // namespace pawl::plan
