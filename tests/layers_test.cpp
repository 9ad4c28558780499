// Drawings in layers: nothing stands on anything else.
#include "plan/layers.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace pawl::plan {
namespace {

struct Drawing {
  std::vector<int> columns;
  std::vector<Arrow> arrows;
};

Drawing random_drawing(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random);
  };
  Drawing made;
  const std::size_t boxes = pick(1, 70);
  for (std::size_t i = 0; i < boxes; ++i) made.columns.push_back(static_cast<int>(pick(0, 9)));
  for (std::size_t i = 0; i < 2 * boxes; ++i) {
    const std::size_t a = pick(0, boxes - 1);
    const std::size_t b = pick(0, boxes - 1);
    if (made.columns[a] < made.columns[b]) made.arrows.push_back({a, b});
  }
  return made;
}

/// By column: half the height of everything by its center. Lanes of one source are one.
std::map<int, std::set<std::pair<int, int>>> things_of(const Drawing& drawing, const Layers& layers,
                                                       const LayerSizes& sizes) {
  std::map<int, std::set<std::pair<int, int>>> things;
  for (std::size_t i = 0; i < drawing.columns.size(); ++i)
    things[drawing.columns[i]].insert({layers.center[i], sizes.box / 2});
  for (std::size_t a = 0; a < drawing.arrows.size(); ++a) {
    int column = drawing.columns[drawing.arrows[a].from];
    for (const int height : layers.lanes[a]) things[++column].insert({height, sizes.lane / 2});
  }
  return things;
}

TEST(Layers, KeepBoxesAndLanesApart) {
  const LayerSizes sizes;
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const Drawing drawing = random_drawing(seed);
    const Layers layers = place_in_layers(drawing.columns, drawing.arrows, sizes);
    ASSERT_EQ(layers.center.size(), drawing.columns.size());
    ASSERT_EQ(layers.lanes.size(), drawing.arrows.size());
    for (const auto& [column, things] : things_of(drawing, layers, sizes)) {
      int bottom = -1000;
      for (const auto& [center, half] : things) {
        EXPECT_GE(center - half, bottom + sizes.lane_gap - 2) << "seed " << seed << " column " << column;
        bottom = center + half;
        EXPECT_GE(center, 0);
        EXPECT_LE(center, layers.height);
      }
    }
  }
}

TEST(Layers, ArrowsPassEveryColumnBetween) {
  const Layers layers = place_in_layers({0, 1, 2, 3}, {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
  EXPECT_TRUE(layers.lanes[0].empty());
  ASSERT_EQ(layers.lanes[3].size(), 2U);
  EXPECT_NE(layers.lanes[3][0], layers.center[1]);
  EXPECT_EQ(place_in_layers({}, {}).center.size(), 0U);
}

}  // namespace
}  // namespace pawl::plan
