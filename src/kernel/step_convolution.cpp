// Conv, as sums over the places of its filters.
#include <algorithm>
#include <cmath>
#include <span>

#include "kernel/step_builder.h"
#include "ops/window.h"

namespace pawl::kernel {

using expr::Op;

bool is_sum_of_taps(const graph::OpCall& conv, const Type& weights) {
  constexpr std::int64_t kMost = 16;
  const std::optional<Dims> shape = weights.static_shape();
  const std::string pad = conv.attributes.text("auto_pad", "NOTSET");
  if (!shape || shape->size() < 3 || (*shape)[1] != 1 || conv.attributes.integer("group", 1) != (*shape)[0])
    return false;
  for (const std::int64_t each : conv.attributes.integers("pads"))
    if (each != 0) return false;
  std::int64_t taps = 1;
  for (std::size_t axis = 2; axis < shape->size(); ++axis) {
    taps *= std::clamp<std::int64_t>((*shape)[axis], 0, kMost + 1);
    if (taps < 1 || taps > kMost) return false;
  }
  return pad == "NOTSET" || pad == "VALID";
}

namespace {

/// By spatial axis; nothing where the node does not fit what it reads.
std::optional<std::vector<ops::WindowAxis>> windows_of(const graph::OpCall& conv, const Dims& input,
                                                       const Dims& filter) {
  const Dims kernel(std::span(filter.begin() + 2, filter.end()));
  const Result<ops::Windows> windows = ops::read_windows(conv.attributes, kernel.size(), kernel);
  if (!windows.ok()) return std::nullopt;
  std::vector<ops::WindowAxis> axes;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const Result<ops::WindowAxis> axis = windows->place(i, input[2 + i]);
    if (!axis.ok()) return std::nullopt;
    axes.push_back(*axis);
  }
  return axes;
}

/// Of one element of the result; more than 2^31: that.
std::int64_t products_of(const Dims& filter) {
  std::int64_t count = 1;
  for (std::size_t axis = 1; axis < filter.size(); ++axis)
    count = std::min<std::int64_t>(count, std::int64_t{1} << 31) *
            std::min<std::int64_t>(filter[axis], std::int64_t{1} << 31);
  return count;
}

/// Whether zeros may be multiplied by these numbers and stay zeros.
bool is_finite(const Tensor* weights) {
  if (weights == nullptr || weights->dtype() != DType::f32 || !weights->dense() || !weights->aligned()) return false;
  const std::span<const float> all = weights->values<float>();
  return std::all_of(all.begin(), all.end(), [](float x) { return std::isfinite(x); });
}

}  // namespace

StepId StepBuilder::padded(StepId x, std::size_t axis, std::int64_t before, std::int64_t after) {
  const auto zeros = [&](std::int64_t extent) {
    Dims shape = at(x).shape;
    shape[axis] = extent;
    return view(number(at(x).dtype, 0), std::move(shape), {});
  };
  StepValue made;
  made.kind = StepValue::Kind::join;
  made.name = at(x).name;
  made.dtype = at(x).dtype;
  made.shape = at(x).shape;
  made.shape[axis] += before + after;
  made.axis = axis;
  if (before > 0) made.operands.push_back(zeros(before));
  if (at(x).shape[axis] > 0) made.operands.push_back(x);
  if (after > 0) made.operands.push_back(zeros(after));
  return made.operands.size() < 2 ? x : add(std::move(made));
}

StepId StepBuilder::conv(const Node& node, const OpCall& call, std::size_t) {
  const StepId x = value(node.inputs[0]), weights = value(node.inputs[1]);
  if (!x.valid() || !weights.valid()) return {};
  const DType dtype = fact(node.outputs[0]).type.dtype, wide = sum_type(dtype);
  const Dims own = shape(node.outputs[0]), filter = at(weights).shape, given = at(x).shape;
  if (filter.size() < 3 || own.size() != filter.size() || given.size() != own.size()) return {};
  const std::size_t spatial = filter.size() - 2;
  const std::int64_t groups = call.attributes.integer("group", 1), channels = filter[1];
  const bool by_channel = groups == filter[0] && channels == 1;
  const auto windows = windows_of(call, given, filter);
  constexpr std::int64_t kMostProducts = 4096;
  if ((!by_channel && groups != 1) || !windows || products_of(filter) > kMostProducts)
    return refuse(fmt::format("{} has no form in kernels", node.label));
  const bool pads =
      std::any_of(windows->begin(), windows->end(), [](const ops::WindowAxis& w) { return w.before + w.after > 0; });
  // The evaluator's sums leave out what is padded, and have an order of their own.
  if (exact_ && (spatial > 1 || !by_channel || pads)) return {};
  if (pads && !is_finite(fact(node.inputs[1]).tensor())) return {};
  StepId source = cast(x, wide);
  for (std::size_t i = 0; i < spatial; ++i) source = padded(source, 2 + i, (*windows)[i].before, (*windows)[i].after);
  // Elements of the result, and inside of them the channels and the places of the filter.
  Dims all = own;
  Indices of_x = {{0, {{1, 0}}}, {0, {{1, 1}}}}, of_weights = {{0, {{1, 1}}}, {}};
  std::vector<std::size_t> summed;
  if (!by_channel) {
    summed.push_back(all.size());
    of_x[1] = of_weights[1] = {0, {{1, all.size()}}};
    all.push_back(channels);
  }
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::size_t along = 2 + i, tap = all.size();
    all.push_back(filter[2 + i]);
    of_x.push_back({0, {{(*windows)[i].stride, along}, {(*windows)[i].dilation, tap}}});
    of_weights.push_back({0, {{1, tap}}});
    summed.push_back(tap);
  }
  const StepId products =
      product(view(source, all, std::move(of_x)), view(cast(weights, wide), all, std::move(of_weights)));
  StepId sum = reduce(products, std::move(summed), Fold::sum, 0);
  if (node.inputs.size() > 2 && node.inputs[2].valid()) {
    const StepId bias = value(node.inputs[2]);
    if (!bias.valid()) return {};
    Dims beside(own.size(), 1);
    beside[1] = own[1];
    sum = op(Op::add, {sum, view(cast(bias, wide), std::move(beside), {{0, {{1, 1}}}})});
  }
  return cast(sum, dtype);
}

}  // namespace pawl::kernel
