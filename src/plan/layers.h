// Where the boxes of a drawing stand whose arrows all point to a later column.
#pragma once

#include <cstddef>
#include <vector>

namespace pawl::plan {

struct Arrow {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// Heights in pixels.
struct LayerSizes {
  int box = 30;
  int lane = 6;      ///< what an arrow takes up that passes a column
  int gap = 14;      ///< between two boxes of a column
  int lane_gap = 8;  ///< between anything else
};

struct Layers {
  std::vector<int> center;  ///< by box: from the top of the drawing
  /// By arrow: the heights at which it passes the columns between its ends, from the first to the last. Arrows from one
  /// box share a lane.
  std::vector<std::vector<int>> lanes;
  int height = 0;
};

/// Orders and places the boxes of each column so that arrows are short and cross little.
///   columns : by box
Layers place_in_layers(const std::vector<int>& columns, const std::vector<Arrow>& arrows, const LayerSizes& sizes = {});

}  // namespace pawl::plan
