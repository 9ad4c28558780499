// RoiAlign and MaxRoiPool: rectangles of an image, each pooled to the same size.
#include <cmath>

#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/resample.h"

namespace pawl::ops {
namespace {

/// Samples that one call may take in total.
constexpr double kMaxSamples = 0x1p36;

struct Align {
  bool average = true;
  bool half_pixel = true;  ///< coordinates are shifted by half an element: since version 16
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t ratio = 0;  ///< samples per axis of a bin; 0: as many as the bin has elements
  double scale = 1;
};

Result<Align> align_of(int since, const Attributes& attributes) {
  Align align;
  const std::string mode = attributes.text("mode", "avg");
  if (mode != "avg" && mode != "max") return fail(Code::bad_value, "\"{}\" is not a mode of RoiAlign", mode);
  align.average = mode == "avg";
  const std::string transform =
      attributes.text("coordinate_transformation_mode", since < 16 ? "output_half_pixel" : "half_pixel");
  if (transform != "half_pixel" && transform != "output_half_pixel")
    return fail(Code::bad_value, "\"{}\" is not a coordinate_transformation_mode of RoiAlign", transform);
  align.half_pixel = transform == "half_pixel";
  align.height = attributes.integer("output_height", 1);
  align.width = attributes.integer("output_width", 1);
  align.ratio = attributes.integer("sampling_ratio", 0);
  align.scale = static_cast<double>(attributes.real("spatial_scale", 1.0F));
  if (align.height < 0 || align.width < 0 || align.ratio < 0)
    return fail(Code::bad_value, "an output of {} by {} with a sampling_ratio of {}", align.height, align.width,
                align.ratio);
  return align;
}

Result<void> infer_align(InferContext& context) {
  TRY_ASSIGN(const Align align, align_of(context.since(), context.attributes));
  const SymbolicShape* x = context.shape(0);
  const SymbolicShape* rois = context.shape(1);
  if (x != nullptr && x->size() != 4)
    return fail(Code::bad_shape, "an image has rank 4, and {} does not", to_string(*x));
  if (rois != nullptr && rois->size() != 2)
    return fail(Code::bad_shape, "rois must be a matrix, not {}", to_string(*rois));
  context.set_shape(0, {rois ? (*rois)[0] : Dim(), x ? (*x)[1] : Dim(), Dim(align.height), Dim(align.width)});
  return {};
}

/// A place between four elements of a plane, with their weights.
struct Place {
  std::array<std::int64_t, 4> offset{};
  std::array<double, 4> weight{};
};

/// All weights are 0 for a place outside of the plane, by more than one element.
Place place_of(double y, double x, std::int64_t height, std::int64_t width) {
  Place place;
  const bool inside = y >= -1 && y <= static_cast<double>(height) && x >= -1 && x <= static_cast<double>(width);
  if (!inside || height == 0 || width == 0) return place;
  const auto between = [](double& at, std::int64_t extent) {
    at = std::max(at, 0.0);
    const auto low = static_cast<std::int64_t>(at);
    if (low < extent - 1) return std::pair(low, low + 1);
    at = static_cast<double>(extent - 1);
    return std::pair(extent - 1, extent - 1);
  };
  const auto [top, bottom] = between(y, height);
  const auto [left, right] = between(x, width);
  const double down = y - static_cast<double>(top);
  const double across = x - static_cast<double>(left);
  place.offset = {top * width + left, top * width + right, bottom * width + left, bottom * width + right};
  place.weight = {(1 - down) * (1 - across), (1 - down) * across, down * (1 - across), down * across};
  return place;
}

/// One axis of a rectangle: where it begins, the size of its bins, and the samples in each.
struct Span {
  double start = 0;
  double bin = 0;
  std::int64_t samples = 0;
};

Result<Span> span_of(double from, double to, std::int64_t bins, const Align& align) {
  const double shift = align.half_pixel ? 0.5 : 0.0;
  Span span;
  span.start = from * align.scale - shift;
  double length = to * align.scale - shift - span.start;
  if (!align.half_pixel) length = std::max(length, 1.0);
  span.bin = length / static_cast<double>(bins);
  const double samples = align.ratio > 0 ? static_cast<double>(align.ratio) : std::ceil(span.bin);
  if (!(samples <= kMaxSamples)) return fail(Code::limit, "a region from {} to {} needs too many samples", from, to);
  span.samples = static_cast<std::int64_t>(std::max(samples, 0.0));
  return span;
}

/// Every sample of a rectangle, bin by bin.
Result<std::vector<Place>> places_of(const Span& y, const Span& x, const Align& align, const Dims& image) {
  const double count = static_cast<double>(y.samples) * static_cast<double>(x.samples) *
                       static_cast<double>(align.height) * static_cast<double>(align.width);
  if (count > 0x1p24) return fail(Code::limit, "a region with {} samples", count);
  std::vector<Place> places;
  places.reserve(static_cast<std::size_t>(count));
  const auto at = [](const Span& span, std::int64_t bin, std::int64_t i) {
    return span.start + static_cast<double>(bin) * span.bin +
           (static_cast<double>(i) + 0.5) * span.bin / static_cast<double>(span.samples);
  };
  for (std::int64_t row = 0; row < align.height; ++row)
    for (std::int64_t column = 0; column < align.width; ++column)
      for (std::int64_t i = 0; i < y.samples; ++i)
        for (std::int64_t j = 0; j < x.samples; ++j)
          places.push_back(place_of(at(y, row, i), at(x, column, j), image[2], image[3]));
  return places;
}

/// One bin of one plane. "max" is over the four weighted elements of each sample.
double pooled(const double* plane, std::span<const Place> places, bool average) {
  double sum = 0;
  double most = 0;
  bool first = true;
  for (const Place& place : places) {
    for (std::size_t k = 0; k < 4; ++k) {
      const double value = place.weight[k] == 0 ? 0 : place.weight[k] * plane[place.offset[k]];
      sum += value;
      most = first ? value : std::max(most, value);
      first = false;
    }
  }
  if (!average) return most;
  return places.empty() ? 0 : sum / static_cast<double>(places.size());
}

Result<void> eval_align(EvalContext& context) {
  TRY_ASSIGN(const Align align, align_of(context.since(), context.attributes));
  const Dims image = context.tensor(0).shape();
  const Dims& rois = context.tensor(1).shape();
  TRY_ASSIGN(const Dims batches, context.integers(2));
  const auto count = static_cast<std::int64_t>(batches.size());
  if (image.size() != 4 || rois != Dims{count, 4}) {
    return fail(Code::bad_shape, "an image of {}, rois of {} and {} batch_indices do not fit together",
                to_string(image), to_string(rois), count);
  }
  for (const std::int64_t batch : batches)
    if (batch < 0 || batch >= image[0])
      return fail(Code::bad_value, "index {} is out of range for a batch of {}", batch, image[0]);
  TRY_ASSIGN(const Tensor x, to_double(context.tensor(0)));
  TRY_ASSIGN(const Tensor regions, to_double(context.tensor(1)));
  TRY_ASSIGN(Tensor result, Tensor::allocate(DType::f64, {count, image[1], align.height, align.width}));
  auto* to = result.mutable_data<double>();
  for (std::int64_t n = 0; n < count && result.size() > 0; ++n) {
    const double* region = regions.data<double>() + n * 4;
    TRY_ASSIGN(const Span across, span_of(region[0], region[2], align.width, align));
    TRY_ASSIGN(const Span down, span_of(region[1], region[3], align.height, align));
    TRY_ASSIGN(const std::vector<Place> places, places_of(down, across, align, image));
    const std::span<const Place> all(places);
    const auto per_bin = static_cast<std::size_t>(down.samples * across.samples);
    for (std::int64_t c = 0; c < image[1]; ++c) {
      const double* plane =
          x.data<double>() + (batches[static_cast<std::size_t>(n)] * image[1] + c) * image[2] * image[3];
      for (std::size_t bin = 0; bin < static_cast<std::size_t>(align.height * align.width); ++bin)
        *to++ = pooled(plane, all.subspan(bin * per_bin, per_bin), align.average);
    }
  }
  TRY_ASSIGN(context.outputs[0], from_double(result, context.tensor(0).dtype()));
  return {};
}

/// The height and width of MaxRoiPool's result.
Result<Dims> pooled_shape(const Attributes& attributes) {
  Dims shape(attributes.integers("pooled_shape"));
  if (shape.size() != 2 || shape[0] <= 0 || shape[1] <= 0)
    return fail(Code::bad_value, "pooled_shape {} is not a height and a width", to_string(shape));
  return shape;
}

Result<void> infer_pool(InferContext& context) {
  TRY_ASSIGN(const Dims pooled_extents, pooled_shape(context.attributes));
  const SymbolicShape* x = context.shape(0);
  const SymbolicShape* rois = context.shape(1);
  if (x != nullptr && x->size() != 4)
    return fail(Code::bad_shape, "an image has rank 4, and {} does not", to_string(*x));
  if (rois != nullptr && rois->size() != 2)
    return fail(Code::bad_shape, "rois must be a matrix, not {}", to_string(*rois));
  context.set_shape(0,
                    {rois ? (*rois)[0] : Dim(), x ? (*x)[1] : Dim(), Dim(pooled_extents[0]), Dim(pooled_extents[1])});
  return {};
}

/// The elements [first, last) of a bin: at least one element wide before it is cut to the image.
std::pair<std::int64_t, std::int64_t> bin_of(double from, double to, std::int64_t bin, std::int64_t bins,
                                             std::int64_t extent) {
  const double length = std::max(to - from + 1, 1.0) / static_cast<double>(bins);
  const auto limit = static_cast<double>(extent);
  const double first = std::floor(static_cast<double>(bin) * length) + from;
  const double last = std::ceil(static_cast<double>(bin + 1) * length) + from;
  return {static_cast<std::int64_t>(std::clamp(first, 0.0, limit)),
          static_cast<std::int64_t>(std::clamp(last, 0.0, limit))};
}

/// The greatest element of a part of a plane; 0 of an empty one.
double greatest(const double* plane, std::int64_t width, std::pair<std::int64_t, std::int64_t> rows,
                std::pair<std::int64_t, std::int64_t> columns) {
  if (rows.first >= rows.second || columns.first >= columns.second) return 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::int64_t y = rows.first; y < rows.second; ++y)
    for (std::int64_t x = columns.first; x < columns.second; ++x) most = std::max(most, plane[y * width + x]);
  return most;
}

Result<void> eval_pool(EvalContext& context) {
  TRY_ASSIGN(const Dims extents, pooled_shape(context.attributes));
  const double scale = static_cast<double>(context.attributes.real("spatial_scale", 1.0F));
  const Dims image = context.tensor(0).shape();
  const Dims& rois = context.tensor(1).shape();
  if (image.size() != 4 || rois.size() != 2 || rois[1] != 5)
    return fail(Code::bad_shape, "an image of {} and rois of {} do not fit together", to_string(image),
                to_string(rois));
  TRY_ASSIGN(const Tensor x, to_double(context.tensor(0)));
  TRY_ASSIGN(const Tensor regions, to_double(context.tensor(1)));
  TRY_ASSIGN(Tensor result, Tensor::allocate(DType::f64, {rois[0], image[1], extents[0], extents[1]}));
  auto* to = result.mutable_data<double>();
  for (std::int64_t n = 0; n < rois[0] && result.size() > 0; ++n) {
    const double* region = regions.data<double>() + n * 5;
    if (!(region[0] >= 0 && region[0] < static_cast<double>(image[0])))
      return fail(Code::bad_value, "index {} is out of range for a batch of {}", region[0], image[0]);
    std::array<double, 4> corner{};
    for (std::size_t k = 0; k < 4; ++k) {
      corner[k] = std::round(region[k + 1] * scale);
      if (!std::isfinite(corner[k])) return fail(Code::bad_value, "a region with the coordinate {}", region[k + 1]);
    }
    for (std::int64_t c = 0; c < image[1]; ++c) {
      const double* plane =
          x.data<double>() + (static_cast<std::int64_t>(region[0]) * image[1] + c) * image[2] * image[3];
      for (std::int64_t row = 0; row < extents[0]; ++row) {
        const auto rows = bin_of(corner[1], corner[3], row, extents[0], image[2]);
        for (std::int64_t column = 0; column < extents[1]; ++column)
          *to++ = greatest(plane, image[3], rows, bin_of(corner[0], corner[2], column, extents[1], image[3]));
      }
    }
  }
  TRY_ASSIGN(context.outputs[0], from_double(result, context.tensor(0).dtype()));
  return {};
}

}  // namespace

std::span<const OpDef> roi_ops() {
  static const OpDef rows[] = {
      {.name = "RoiAlign", .since = {10, 16, 22}, .infer = infer_align, .eval = eval_align, .axes = kAlignAxes},
      {.name = "MaxRoiPool", .since = {1, 22}, .infer = infer_pool, .eval = eval_pool, .axes = kRegionsAxes},
  };
  return rows;
}

}  // namespace pawl::ops
