// NonMaxSuppression: boxes by descending score, without those that overlap a better one too much.
#include <algorithm>
#include <cmath>

#include "ops/extents.h"
#include "ops/families.h"

namespace pawl::ops {
namespace {

Result<void> infer_suppression(InferContext& context) {
  context.set_shape(0, {Dim(), Dim(3)});
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (context.shape(i) != nullptr && context.shape(i)->size() != 3)
      return fail(Code::bad_shape, "boxes and scores have rank 3, and {} does not", to_string(*context.shape(i)));
  }
  return {};
}

/// A box by its least and its greatest corner.
struct Box {
  float left = 0;
  float right = 0;
  float top = 0;
  float bottom = 0;
};

/// From [y1, x1, y2, x2], any two opposite corners, or from [x, y, width, height] around a center.
Box box_of(const float* numbers, bool centered) {
  if (!centered) {
    const auto [left, right] = std::minmax(numbers[1], numbers[3]);
    const auto [top, bottom] = std::minmax(numbers[0], numbers[2]);
    return {left, right, top, bottom};
  }
  const float across = numbers[2] / 2;
  const float down = numbers[3] / 2;
  return {numbers[0] - across, numbers[0] + across, numbers[1] - down, numbers[1] + down};
}

float area(const Box& box) { return (box.right - box.left) * (box.bottom - box.top); }

/// The common area of two boxes over the area of both; 0 when they have none in common.
float overlap(const Box& a, const Box& b) {
  const Box common{std::max(a.left, b.left), std::min(a.right, b.right), std::max(a.top, b.top),
                   std::min(a.bottom, b.bottom)};
  if (!(common.left < common.right && common.top < common.bottom)) return 0;
  const float whole = area(a) + area(b) - area(common);
  return area(a) > 0 && area(b) > 0 && whole > 0 ? area(common) / whole : 0;
}

struct Thresholds {
  std::int64_t most_boxes = 0;  ///< per class and batch
  float overlap = 0;
  std::optional<float> score;
};

Result<float> real_scalar(const Tensor& tensor, std::string_view what) {
  if (tensor.size() != 1)
    return fail(Code::bad_shape, "{} must be one number, and has shape {}", what, to_string(tensor.shape()));
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  return dense.data<float>()[0];
}

Result<Thresholds> thresholds(const EvalContext& context) {
  Thresholds result;
  if (context.has_input(2)) {
    TRY_ASSIGN(result.most_boxes, integer_scalar(context, 2, "max_output_boxes_per_class"));
  }
  if (context.has_input(3)) {
    TRY_ASSIGN(result.overlap, real_scalar(context.tensor(3), "iou_threshold"));
  }
  if (context.has_input(4)) {
    TRY_ASSIGN(result.score, real_scalar(context.tensor(4), "score_threshold"));
  }
  if (!(result.overlap >= 0 && result.overlap <= 1))
    return fail(Code::bad_value, "an iou_threshold of {}", result.overlap);
  return result;
}

/// Indices of the boxes that stay, in the order in which they were chosen. Of equal scores the first box goes first.
std::vector<std::int64_t> select(std::span<const Box> boxes, const float* scores, const Thresholds& limits) {
  std::vector<std::int64_t> candidates;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (!limits.score || scores[i] > *limits.score) candidates.push_back(static_cast<std::int64_t>(i));
  const auto rank = [&](std::int64_t i) {
    return std::isnan(scores[i]) ? -std::numeric_limits<float>::infinity() : scores[i];
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](std::int64_t a, std::int64_t b) { return rank(a) > rank(b); });
  std::vector<std::int64_t> selected;
  for (const std::int64_t candidate : candidates) {
    if (static_cast<std::int64_t>(selected.size()) >= limits.most_boxes) break;
    const bool suppressed = std::any_of(selected.begin(), selected.end(), [&](std::int64_t other) {
      return overlap(boxes[static_cast<std::size_t>(candidate)], boxes[static_cast<std::size_t>(other)]) >
             limits.overlap;
    });
    if (!suppressed) selected.push_back(candidate);
  }
  return selected;
}

Result<void> eval_suppression(EvalContext& context) {
  TRY_ASSIGN(const Tensor boxes, context.dense(0));
  TRY_ASSIGN(const Tensor scores, context.dense(1));
  TRY_ASSIGN(const Thresholds limits, thresholds(context));
  const Dims& b = boxes.shape();
  const Dims& s = scores.shape();
  if (b.size() != 3 || s.size() != 3 || b[2] != 4 || b[0] != s[0] || b[1] != s[2])
    return fail(Code::bad_shape, "boxes of {} and scores of {} do not fit together", to_string(b), to_string(s));
  const bool centered = context.attributes.integer("center_point_box", 0) != 0;
  std::vector<std::int64_t> chosen;
  for (std::int64_t batch = 0; batch < b[0] && scores.size() > 0; ++batch) {
    std::vector<Box> candidates;
    for (std::int64_t i = 0; i < b[1]; ++i)
      candidates.push_back(box_of(boxes.data<float>() + (batch * b[1] + i) * 4, centered));
    for (std::int64_t kind = 0; kind < s[1]; ++kind) {
      const float* row = scores.data<float>() + (batch * s[1] + kind) * s[2];
      for (const std::int64_t i : select(candidates, row, limits)) chosen.insert(chosen.end(), {batch, kind, i});
    }
  }
  const auto rows = static_cast<std::int64_t>(chosen.size() / 3);
  context.outputs[0] = Tensor::of<std::int64_t>({rows, 3}, std::span<const std::int64_t>(chosen));
  return {};
}

}  // namespace

std::span<const OpDef> non_max_suppression_ops() {
  static const OpDef rows[] = {
      {.name = "NonMaxSuppression",
       .since = {10, 11},
       .infer = infer_suppression,
       .eval = eval_suppression,
       .axes = kOpaqueAxes},
  };
  return rows;
}

}  // namespace pawl::ops
