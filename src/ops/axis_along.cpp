// Axis rules of the operators that work along some axes and keep the others apart.
#include <algorithm>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

std::int64_t shifted(std::int64_t axis) { return axis < 0 ? axis : axis + 1; }

/// One output of the shape of input 0, every axis tied to the same one, but those that `touched` marks.
Ties tie_all_but(const NodeFacts& node, const std::vector<bool>& touched) {
  Ties ties;
  for (std::size_t output = 0; output < node.outputs.size(); ++output)
    for (std::size_t axis = 0; axis < touched.size(); ++axis) {
      if (touched[axis]) continue;
      Tie tie{output, axis, std::vector<int>(node.inputs.size(), -1)};
      tie.inputs[0] = static_cast<int>(axis);
      ties.list.push_back(std::move(tie));
    }
  return ties;
}

Ties tie_all_but(const NodeFacts& node, std::span<const std::int64_t> axes) {
  const Result<std::vector<bool>> marked = mark_axes(axes, node.rank(0));
  return marked.ok() ? tie_all_but(node, *marked) : Ties();
}

Ties tie_all_but_last(const NodeFacts& node, std::size_t count) {
  std::vector<bool> touched(node.rank(0), false);
  for (std::size_t i = touched.size(); i > 0 && count > 0; --count) touched[--i] = true;
  return tie_all_but(node, touched);
}

constexpr std::string_view kParameterDiffers = "a parameter differs from step to step";

}  // namespace

template <std::int64_t Default>
Batching batch_along(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse(kParameterDiffers);
  return b.done(b.again(b.inputs(), with(node.attributes, "axis", shifted(node.attributes.integer("axis", Default)))));
}
template Batching batch_along<-1>(const NodeFacts&, std::span<const bool>);

template <std::int64_t Default>
Ties relate_along(const NodeFacts& node) {
  const std::int64_t axis[] = {node.attributes.integer("axis", Default)};
  return tie_all_but(node, axis);
}
template Ties relate_along<-1>(const NodeFacts&);

Batching batch_softmax(const NodeFacts& node, std::span<const bool> batched) {
  return node.since() < 13 ? batch_along<1>(node, batched) : batch_along<-1>(node, batched);
}

Ties relate_softmax(const NodeFacts& node) {
  if (node.since() >= 13) return relate_along<-1>(node);
  // All axes from the given one on are taken together.
  std::int64_t axis = node.attributes.integer("axis", 1);
  if (axis < 0) axis += static_cast<std::int64_t>(node.rank(0));
  std::vector<bool> touched(node.rank(0), false);
  for (std::size_t i = 0; i < touched.size(); ++i) touched[i] = static_cast<std::int64_t>(i) >= axis;
  return tie_all_but(node, touched);
}

Batching batch_one_hot(const NodeFacts& node, std::span<const bool> batched) { return batch_along<-1>(node, batched); }

Ties relate_one_hot(const NodeFacts& node) {
  Ties ties;
  const Result<std::size_t> added = resolve_axis(node.attributes.integer("axis", -1), node.rank(0) + 1);
  for (std::size_t i = 0; added.ok() && i < node.rank(0); ++i) {
    Tie tie{0, i < *added ? i : i + 1, std::vector<int>(node.inputs.size(), -1)};
    tie.inputs[0] = static_cast<int>(i);
    ties.list.push_back(std::move(tie));
  }
  return ties;
}

/// CumSum, CumProd, DFT: the axis is a constant input, or an attribute in DFT-17.
template <std::size_t Input>
Batching batch_axis_input(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse(kParameterDiffers);
  if (node.schema.attribute("axis") != nullptr) return batch_along<1>(node, batched);
  if (!node.has_input(Input)) return b.done(b.again(b.inputs()));
  const std::optional<Dims> axis = node.integers(Input);
  if (!axis || axis->size() != 1) return b.refuse("the axis is not known");
  std::vector<Operand> operands = b.inputs();
  operands[Input] = Batcher::constant(Tensor::scalar(shifted((*axis)[0])));
  return b.done(b.again(std::move(operands)));
}
template Batching batch_axis_input<1>(const NodeFacts&, std::span<const bool>);
template Batching batch_axis_input<2>(const NodeFacts&, std::span<const bool>);

Ties relate_cumulative(const NodeFacts& node) {
  const std::optional<Dims> axis = node.integers(1);
  return axis ? tie_all_but(node, *axis) : Ties();
}

Ties relate_dft(const NodeFacts& node) {
  std::optional<Dims> axes = Dims{node.attributes.integer("axis", node.schema.attribute("axis") != nullptr ? 1 : -2)};
  if (node.has_input(2)) axes = node.integers(2);
  if (!axes) return {};
  axes->push_back(-1);  // real and imaginary parts
  return tie_all_but(node, *axes);
}

/// LayerNormalization, RMSNormalization: axes from `axis` on are taken together; scale and bias are broadcast to X.
Batching batch_layer(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  std::vector<Operand> operands = {b.lifted(0)};
  for (std::size_t i = 1; i < node.inputs.size(); ++i) operands.push_back(b.aligned(i, node.rank(0)));
  return b.done(
      b.again(std::move(operands), with(node.attributes, "axis", shifted(node.attributes.integer("axis", -1)))));
}

Ties relate_layer(const NodeFacts& node) {
  const Result<std::size_t> first = resolve_axis(node.attributes.integer("axis", -1), node.rank(0));
  if (!first.ok()) return {};
  std::vector<bool> touched(node.rank(0), false);
  std::fill(touched.begin() + static_cast<std::ptrdiff_t>(*first), touched.end(), true);
  Ties ties = tie_all_but(node, touched);
  for (Tie& tie : ties.list)
    for (std::size_t i = 1; i < node.inputs.size(); ++i)
      if (node.has_input(i))
        tie.inputs[i] = std::max(static_cast<int>(tie.axis + node.rank(i)) - static_cast<int>(node.rank(0)), -1);
  return ties;
}

namespace {

/// The axes over which MeanVarianceNormalization takes its statistics.
std::vector<std::int64_t> statistics_axes(const NodeFacts& node) {
  const auto given = node.attributes.integers("axes");
  return node.attributes.has("axes") ? std::vector<std::int64_t>(given.begin(), given.end())
                                     : std::vector<std::int64_t>{0, 2, 3};
}

}  // namespace

Batching batch_mean_variance(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  std::vector<std::int64_t> axes = statistics_axes(node);
  for (std::int64_t& axis : axes) axis = shifted(axis);
  return b.done(b.again(b.inputs(), with(node.attributes, "axes", axes)));
}

Ties relate_mean_variance(const NodeFacts& node) { return tie_all_but(node, statistics_axes(node)); }

Batching batch_reverse(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse("the lengths differ from step to step");
  const std::int64_t time = node.attributes.integer("time_axis", 0), rows = node.attributes.integer("batch_axis", 1);
  return b.done(
      b.again(b.inputs(), with(with(node.attributes, "time_axis", shifted(time)), "batch_axis", shifted(rows))));
}

Ties relate_reverse(const NodeFacts& node) {
  const std::int64_t time[] = {node.attributes.integer("time_axis", 0)};
  Ties ties = tie_all_but(node, time);
  const Result<std::size_t> rows = resolve_axis(node.attributes.integer("batch_axis", 1), node.rank(0));
  for (Tie& tie : ties.list)
    if (rows.ok() && tie.axis == *rows) tie.inputs[1] = 0;
  return ties;
}

/// Trilu, Det and the like: the last axes are special, whatever leads them.
Batching batch_leading(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse(kParameterDiffers);
  return b.done(b.again(b.inputs()));
}

Ties relate_matrices(const NodeFacts& node) { return tie_all_but_last(node, 2); }
Ties relate_features(const NodeFacts& node) { return tie_all_but_last(node, 1); }
Ties relate_categories(const NodeFacts& node) { return tie_all_but_last(node, 0); }

/// EyeLike: of the input only the shape counts.
Batching batch_eye(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  const Operand any =
      b.call("Gather", {b.input(0), Batcher::constant(Tensor::scalar(std::int64_t{0}))}, only("axis", std::int64_t{0}));
  // The type that it would take from the input is the same.
  return b.done({b.repeated(b.again({any}), node.outputs[0].dtype, 2)});
}

}  // namespace pawl::ops
