// Products of small integers: exact sums, scaled once in double, as the operators' evaluation has it.
#include <algorithm>
#include <limits>

#include "expr/types.h"
#include "kernel/step_builder.h"

namespace pawl::kernel {

using expr::Op;

namespace {

bool is_byte(DType dtype) { return dtype == DType::i8 || dtype == DType::u8; }

}  // namespace

/// x - its zero point, as i32; a zero point of one element, or none.
StepId StepBuilder::shifted(const Node& node, std::size_t x, std::size_t zero) {
  const StepId bytes = value(node.inputs[x]);
  if (!bytes.valid() || !is_byte(at(bytes).dtype)) return {};
  const StepId wide = cast(bytes, DType::i32);
  if (zero >= node.inputs.size() || !node.inputs[zero].valid()) return wide;
  const StepId minus = parameter(node, zero, at(bytes).dtype);
  return minus.valid() ? op(Op::subtract, {wide, cast(minus, DType::i32)}) : StepId();
}

/// An input of one element and that type.
StepId StepBuilder::parameter(const Node& node, std::size_t input, DType dtype) {
  const StepId made = value(node.inputs[input]);
  if (!made.valid() || at(made).dtype != dtype) return {};
  const Dims& shape = at(made).shape;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent != 1; })) return {};
  return view(made, {}, Indices(shape.size()));
}

/// `sum` by the scales of the operands over that of the result, rounded to even and cut to the type of its zero point.
/// Scales and zero points alternate from input `scale_x`, `scale_w` and `scale_y` on.
StepId StepBuilder::quantized(const Node& node, StepId sum, std::size_t scale_x, std::size_t scale_w,
                              std::size_t scale_y) {
  const DType dtype = fact(node.outputs[0]).type.dtype;
  if (!is_byte(dtype)) return {};
  const StepId x = parameter(node, scale_x, DType::f32), w = parameter(node, scale_w, DType::f32);
  const StepId y = parameter(node, scale_y, DType::f32), zero = cast(parameter(node, scale_y + 1, dtype), DType::f64);
  if (!x.valid() || !w.valid() || !y.valid() || !zero.valid()) return {};
  const StepId scale =
      op(Op::divide, {op(Op::multiply, {cast(x, DType::f64), cast(w, DType::f64)}), cast(y, DType::f64)});
  const StepId scaled = op(Op::multiply, {cast(sum, DType::f64), scale});
  const StepId rounded = op(Op::add, {op(Op::round_even, {scaled}), zero});
  const StepId known = op(Op::select, {op(Op::equal, {scaled, scaled}), rounded, zero});
  const double low = dtype == DType::i8 ? -128 : 0, high = dtype == DType::i8 ? 127 : 255;
  const StepId cut = op(Op::minimum, {op(Op::maximum, {known, number(DType::f64, low)}), number(DType::f64, high)});
  return cast(cut, dtype);
}

StepId StepBuilder::matmul_integer(const Node& node, const OpCall&, std::size_t) {
  const StepId a = shifted(node, 0, 2), b = shifted(node, 1, 3);
  if (!a.valid() || !b.valid()) return {};
  return multiply(a, b);
}

StepId StepBuilder::qlinear_matmul(const Node& node, const OpCall&, std::size_t) {
  const StepId a = shifted(node, 0, 2), b = shifted(node, 3, 5);
  // Longer sums may leave i32.
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / (255 * 255);
  if (!a.valid() || !b.valid() || at(a).shape.empty() || at(a).shape.back() > kMost) return {};
  return quantized(node, multiply(a, b), 1, 4, 6);
}

/// Filters of one place: a product over the channels.
StepId StepBuilder::qlinear_conv(const Node& node, const OpCall& call, std::size_t) {
  const auto all = [&](std::string_view name, std::int64_t wanted) {
    const auto listed = call.attributes.integers(name);
    return std::all_of(listed.begin(), listed.end(), [&](std::int64_t each) { return each == wanted; });
  };
  const StepId x = shifted(node, 0, 2), w = shifted(node, 3, 5);
  if (!x.valid() || !w.valid() || !all("strides", 1) || !all("pads", 0) || call.attributes.integer("group", 1) != 1)
    return {};
  const Dims filters = at(w).shape;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / (255 * 255);
  if (filters.size() < 3 || at(x).shape.size() != filters.size() || filters[1] > kMost ||
      std::any_of(filters.begin() + 2, filters.end(), [](std::int64_t extent) { return extent != 1; }))
    return {};
  Indices indices(filters.size());
  indices[0] = {0, {{1, 0}}};
  indices[1] = {0, {{1, 1}}};
  const StepId matrix = view(w, {filters[0], filters[1]}, std::move(indices));
  constexpr int kFilter = -1, kChannel = -2;
  std::vector<int> labels{0, kChannel}, result{0, kFilter};
  for (std::size_t axis = 2; axis < filters.size(); ++axis) {
    labels.push_back(static_cast<int>(axis));
    result.push_back(static_cast<int>(axis));
  }
  StepId sum = cast(contract({x, matrix}, {labels, {kFilter, kChannel}}, result), DType::f64);
  if (node.inputs.size() > 8 && node.inputs[8].valid()) {
    const StepId bias = value(node.inputs[8]);
    if (!bias.valid() || at(bias).dtype != DType::i32) return {};
    Dims beside(filters.size(), 1);
    beside[1] = filters[0];
    sum = op(Op::add, {sum, view(cast(bias, DType::f64), std::move(beside), {{0, {{1, 1}}}})});
  }
  return quantized(node, sum, 1, 4, 6);
}

}  // namespace pawl::kernel
