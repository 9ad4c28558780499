// Resize and Upsample.
#include <cmath>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/resample.h"
#include "tensor/dispatch.h"

namespace pawl::ops {
namespace {

struct Word {
  std::string_view word;
  int since;
};

/// The place of `word` in a list of words, each with the version that it came with.
template <std::size_t N>
Result<std::size_t> choice(std::string_view what, const std::string& word, int since,
                           const std::array<Word, N>& words) {
  for (std::size_t i = 0; i < N; ++i)
    if (words[i].word == word && words[i].since <= since) return i;
  return fail(Code::bad_value, "\"{}\" is not a {} of version {}", word, what, since);
}

Result<Interpolation> interpolation_of(int since, const Attributes& attributes) {
  static constexpr std::array<Word, 4> kModes{{{"nearest", 1}, {"linear", 1}, {"cubic", 11}, {"bilinear", 1}}};
  TRY_ASSIGN(const std::size_t mode, choice("mode", attributes.text("mode", "nearest"), since, kModes));
  return mode == 3 ? Interpolation::linear : static_cast<Interpolation>(mode);
}

/// Upsample, and Resize-10, which is the same with scales below 1.
Result<Resampling> plain_resampling(int since, const Attributes& attributes) {
  Resampling how;
  TRY_ASSIGN(how.interpolation, interpolation_of(since, attributes));
  how.transform = Transform::asymmetric;
  how.rounding = Rounding::by_scale;
  return how;
}

Result<Resampling> resampling(int since, const Attributes& attributes) {
  if (since < 11) return plain_resampling(since, attributes);
  static constexpr std::array<Word, 6> kTransforms{{{"half_pixel", 11},
                                                    {"half_pixel_symmetric", 19},
                                                    {"pytorch_half_pixel", 11},
                                                    {"align_corners", 11},
                                                    {"asymmetric", 11},
                                                    {"tf_crop_and_resize", 11}}};
  static constexpr std::array<Word, 4> kRoundings{
      {{"round_prefer_floor", 11}, {"round_prefer_ceil", 11}, {"floor", 11}, {"ceil", 11}}};
  Resampling how;
  TRY_ASSIGN(how.interpolation, interpolation_of(since, attributes));
  const std::string transform = attributes.text("coordinate_transformation_mode", "half_pixel");
  if (since < 13 && transform == "tf_half_pixel_for_nn") {
    how.transform = Transform::tf_half_pixel_for_nn;
  } else {
    TRY_ASSIGN(const std::size_t place, choice("coordinate_transformation_mode", transform, since, kTransforms));
    how.transform = static_cast<Transform>(place);
  }
  const std::string rounding = attributes.text("nearest_mode", "round_prefer_floor");
  TRY_ASSIGN(const std::size_t place, choice("nearest_mode", rounding, since, kRoundings));
  how.rounding = static_cast<Rounding>(place);
  how.antialias = attributes.integer("antialias", 0) != 0;
  how.exclude_outside = attributes.integer("exclude_outside", 0) != 0;
  how.cubic_a = static_cast<double>(attributes.real("cubic_coeff_a", -0.75F));
  how.extrapolation = static_cast<double>(attributes.real("extrapolation_value", 0.0F));
  if (how.antialias && how.interpolation == Interpolation::nearest)
    return fail(Code::bad_value, "antialias is for linear and cubic, not nearest");
  return how;
}

/// What says how large the result is. Lists refer to `axes`; empty ones are not given.
struct Request {
  Dims axes;
  std::vector<double> scales;
  std::optional<Dims> sizes;
  std::vector<double> region;
};

/// All elements of a float tensor.
Result<std::vector<double>> reals_of(const Tensor& tensor) {
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  return dispatch<Floats>(dense.dtype(), [&](auto tag) -> Result<std::vector<double>> {
    using T = typename decltype(tag)::type;
    std::vector<double> result;
    for (const T& value : dense.values<T>()) result.push_back(static_cast<double>(value));
    return result;
  });
}

Result<Dims> requested_axes(const Attributes& attributes, std::size_t rank) {
  if (attributes.has("axes")) return resolve_axes(attributes.integers("axes"), rank);
  Dims axes;
  for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

/// Scales that are attributes: Upsample-1 has one for each of the last two axes, Upsample-7 one for each axis.
std::vector<double> attribute_scales(int since, const Attributes& attributes, std::size_t rank) {
  std::vector<double> scales(rank, 1.0);
  if (since >= 7) {
    const auto* list = attributes.get<std::vector<float>>("scales");
    return list == nullptr ? std::vector<double>() : std::vector<double>(list->begin(), list->end());
  }
  if (rank < 2) return scales;
  scales[rank - 2] = static_cast<double>(attributes.real("height_scale", 1.0F));
  scales[rank - 1] = static_cast<double>(attributes.real("width_scale", 1.0F));
  return scales;
}

/// The tensors that go into a Request, in the order of Resize-11; null where they are not given.
struct Operands {
  const Tensor* region = nullptr;
  const Tensor* scales = nullptr;
  const Tensor* sizes = nullptr;
};

Result<Request> request_of(int since, const Attributes& attributes, std::size_t rank, const Operands& operands) {
  Request request;
  TRY_ASSIGN(request.axes, requested_axes(attributes, rank));
  const auto given = [](const Tensor* tensor) { return tensor != nullptr && tensor->size() > 0; };
  if (since < 9) request.scales = attribute_scales(since, attributes, rank);
  if (given(operands.scales)) {
    TRY_ASSIGN(request.scales, reals_of(*operands.scales));
  }
  // An empty list of sizes is one only for a scalar.
  if (given(operands.sizes)) {
    TRY_ASSIGN(request.sizes, integers_of(*operands.sizes));
  }
  if (given(operands.region)) {
    TRY_ASSIGN(request.region, reals_of(*operands.region));
  }
  const std::size_t count = request.axes.size();
  if (request.sizes && !request.scales.empty()) return fail(Code::bad_value, "both scales and sizes are given");
  if (!request.sizes && request.scales.size() != count)
    return fail(Code::bad_shape, "{} scales for {} axes", request.scales.size(), count);
  if (request.sizes && request.sizes->size() != count)
    return fail(Code::bad_shape, "{} sizes for {} axes", request.sizes->size(), count);
  for (const double scale : request.scales)
    if (!(scale > 0) || std::isinf(scale)) return fail(Code::bad_value, "a scale of {}", scale);
  return request;
}

/// One scale for all axes, so that the sizes asked for are not passed, or are at least reached.
Result<void> keep_aspect_ratio(const std::string& policy, const Dims& axes, std::vector<ResampledAxis>& resampled) {
  if (policy == "stretch" || axes.empty()) return {};
  if (policy != "not_larger" && policy != "not_smaller")
    return fail(Code::bad_value, "\"{}\" is not a keep_aspect_ratio_policy", policy);
  double scale = resampled[static_cast<std::size_t>(axes[0])].scale;
  for (const std::int64_t axis : axes) {
    const double other = resampled[static_cast<std::size_t>(axis)].scale;
    scale = policy == "not_larger" ? std::min(scale, other) : std::max(scale, other);
  }
  for (const std::int64_t axis : axes) {
    ResampledAxis& it = resampled[static_cast<std::size_t>(axis)];
    it.scale = scale;
    const double extent = std::floor(scale * static_cast<double>(it.from) + 0.5);
    if (!(extent <= static_cast<double>(kMaxElements))) return fail(Code::limit, "an axis of {}", extent);
    it.to = static_cast<std::int64_t>(extent);
  }
  return {};
}

/// Every axis with its new extent. Errors: bad_value, bad_shape, limit.
Result<std::vector<ResampledAxis>> resampled_axes(const Dims& shape, const Request& request, const Resampling& how,
                                                  const std::string& policy) {
  std::vector<ResampledAxis> axes;
  for (const std::int64_t extent : shape) axes.push_back({extent, extent, 1.0, 0.0, 1.0});
  const std::size_t count = request.axes.size();
  const bool crops = how.transform == Transform::tf_crop_and_resize;
  if (crops && request.region.size() != 2 * count)
    return fail(Code::bad_shape, "{} numbers in roi for {} axes, which need two each", request.region.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    ResampledAxis& axis = axes[static_cast<std::size_t>(request.axes[i])];
    if (crops) {
      axis.start = request.region[i];
      axis.end = request.region[count + i];
    }
    if (request.sizes) {
      axis.to = (*request.sizes)[i];
      if (axis.to < 0) return fail(Code::bad_value, "a size of {}", axis.to);
      if (axis.from > 0) axis.scale = static_cast<double>(axis.to) / static_cast<double>(axis.from);
      continue;
    }
    axis.scale = request.scales[i];
    const double extent = std::floor(static_cast<double>(axis.from) * (axis.end - axis.start) * axis.scale);
    if (!(extent <= static_cast<double>(kMaxElements))) return fail(Code::limit, "an axis of {}", extent);
    axis.to = static_cast<std::int64_t>(std::max(extent, 0.0));
  }
  if (request.sizes) TRY(keep_aspect_ratio(policy, request.axes, axes));
  return axes;
}

std::size_t region_input(int since) { return since >= 11 ? 1 : 9; }
std::size_t scales_input(int since) { return since >= 11 ? 2 : 1; }

Result<void> infer_resize(InferContext& context) {
  const int since = context.since();
  TRY_ASSIGN(const Resampling how, resampling(since, context.attributes));
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  SymbolicShape result(shape->size());
  TRY_ASSIGN(const Dims axes, requested_axes(context.attributes, shape->size()));
  TRY_ASSIGN(const std::vector<bool> touched, mark_axes(axes, shape->size()));
  for (std::size_t i = 0; i < shape->size(); ++i)
    if (!touched[i]) result[i] = (*shape)[i];
  const Operands operands{context.constant(region_input(since)), context.constant(scales_input(since)),
                          context.constant(3)};
  const auto open = [&](std::size_t i, const Tensor* constant) { return context.has_input(i) && constant == nullptr; };
  const std::optional<Dims> extents = context.inputs[0]->type.static_shape();
  const bool crops = how.transform == Transform::tf_crop_and_resize;
  if (extents && !open(scales_input(since), operands.scales) && !open(3, operands.sizes) &&
      !(crops && open(region_input(since), operands.region))) {
    TRY_ASSIGN(const Request request, request_of(since, context.attributes, shape->size(), operands));
    const std::string policy = context.attributes.text("keep_aspect_ratio_policy", "stretch");
    TRY_ASSIGN(const std::vector<ResampledAxis> resampled, resampled_axes(*extents, request, how, policy));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = Dim(resampled[i].to);
  }
  context.set_shape(0, std::move(result));
  return {};
}

Result<void> eval_resize(EvalContext& context) {
  const int since = context.since();
  TRY_ASSIGN(const Resampling how, resampling(since, context.attributes));
  const auto operand = [&](std::size_t i) { return context.has_input(i) ? &context.tensor(i) : nullptr; };
  const Tensor& data = context.tensor(0);
  const Operands operands{operand(region_input(since)), operand(scales_input(since)), operand(3)};
  TRY_ASSIGN(const Request request, request_of(since, context.attributes, data.shape().size(), operands));
  const std::string policy = context.attributes.text("keep_aspect_ratio_policy", "stretch");
  TRY_ASSIGN(const std::vector<ResampledAxis> axes, resampled_axes(data.shape(), request, how, policy));
  TRY_ASSIGN(context.outputs[0], resample(data, axes, how));
  return {};
}

}  // namespace

std::span<const OpDef> resize_ops() {
  static const OpDef rows[] = {
      {.name = "Resize",
       .since = {10, 11, 13, 18, 19},
       .infer = infer_resize,
       .eval = eval_resize,
       .axes = kResizeAxes},
      {.name = "Upsample", .since = {1, 7, 9, 10}, .infer = infer_resize, .eval = eval_resize, .axes = kResizeAxes},
  };
  return rows;
}

}  // namespace pawl::ops
