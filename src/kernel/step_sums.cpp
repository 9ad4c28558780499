// Operators that sum, and those that are made of sums. Formulas as in the operators' evaluation, in the type that sums
// are kept in.
#include <algorithm>
#include <limits>
#include <span>

#include "expr/types.h"
#include "kernel/step_builder.h"
#include "ops/equation.h"
#include "ops/extents.h"

namespace pawl::kernel {

using expr::Op;

namespace {

/// -0 is the neutral element that keeps the sign of zeros; the sum of no elements is +0.
double sum_start(std::int64_t count) { return count == 0 ? 0.0 : -0.0; }

std::int64_t count_of(const Dims& shape, const std::vector<std::size_t>& axes) {
  std::int64_t count = 1;
  for (const std::size_t axis : axes) count *= shape[axis];
  return count;
}

}  // namespace

std::optional<std::vector<std::size_t>> StepBuilder::reduced_axes(const Node& node, const OpCall& call) const {
  const std::size_t rank = shape(node.inputs[0]).size();
  Dims listed;
  if (node.inputs.size() > 1 && node.inputs[1].valid()) {
    const Tensor* constant = fact(node.inputs[1]).tensor();
    if (constant == nullptr) return std::nullopt;
    const Result<Dims> read = ops::integers_of(*constant);
    if (!read.ok()) return std::nullopt;
    listed = *read;
  } else {
    listed = Dims(call.attributes.integers("axes"));
  }
  std::vector<std::size_t> axes;
  if (listed.empty() && call.attributes.integer("noop_with_empty_axes", 0) == 0) {
    for (std::size_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
    return axes;
  }
  for (const std::int64_t each : listed) {
    const Result<std::size_t> axis = ops::resolve_axis(each, rank);
    if (!axis.ok()) return std::nullopt;
    axes.push_back(*axis);
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

StepId StepBuilder::reduction(const Node& node, const OpCall& call, std::size_t) {
  const StepId operand = value(node.inputs[0]);
  if (!operand.valid()) return {};
  const auto axes = reduced_axes(node, call);
  if (!axes) return {};
  const std::string_view op = call.def->name;
  const DType dtype = at(operand).dtype;
  const Dims from = at(operand).shape;
  const bool keeps = call.attributes.integer("keepdims", 1) != 0;
  const bool is_real = expr::is_float(dtype) || expr::is_stored(dtype);
  const auto finish = [&](StepId result) {
    if (result.valid() && keeps) result = keep_axes(result, from, *axes);
    return cast(result, dtype);
  };
  if (op == "ReduceMax" || op == "ReduceMin") {
    if (count_of(from, *axes) == 0 || dtype == DType::boolean) return {};
    // Of 16-bit floats the greatest one is one of them; they are carried as f32.
    const StepId wide = expr::is_stored(dtype) ? cast(operand, DType::f32) : operand;
    return finish(reduce(wide, *axes, op == "ReduceMax" ? Fold::most : Fold::least, 0));
  }
  if (dtype == DType::boolean) return {};
  const std::int64_t count = count_of(from, *axes);
  const DType wide = sum_type(dtype);
  const StepId x = cast(operand, wide);
  if (op == "ReduceProd") return finish(reduce(x, *axes, Fold::product, 1));
  if (op == "ReduceSum") return finish(reduce(x, *axes, Fold::sum, sum_start(count)));
  if (op == "ReduceSumSquare") return finish(reduce(product(x, x), *axes, Fold::sum, sum_start(count)));
  if (!is_real) return {};
  if (op == "ReduceL1") return finish(reduce(this->op(Op::absolute, {x}), *axes, Fold::sum, sum_start(count)));
  if (op == "ReduceL2") return finish(this->op(Op::sqrt, {reduce(product(x, x), *axes, Fold::sum, sum_start(count))}));
  if (op == "ReduceMean")
    return finish(this->op(Op::divide,
                           {reduce(x, *axes, Fold::sum, sum_start(count)), number(wide, static_cast<double>(count))}));
  if (op == "ReduceLogSum") return finish(this->op(Op::log, {reduce(x, *axes, Fold::sum, sum_start(count))}));
  if (count == 0) return {};
  // m + log(sum(exp(x - m))); an infinite greatest element is the answer itself.
  const StepId most = reduce(x, *axes, Fold::most, 0);
  const StepId shifted = this->op(Op::subtract, {x, keep_axes(most, from, *axes)});
  const StepId sum = reduce(this->op(Op::exp, {shifted}), *axes, Fold::sum, 0);
  const StepId whole = this->op(Op::add, {most, this->op(Op::log, {sum})});
  const StepId size = this->op(Op::absolute, {most});
  const StepId finite = this->op(Op::less, {size, number(wide, std::numeric_limits<double>::infinity())});
  return finish(this->op(Op::select, {finite, whole, most}));
}

StepId StepBuilder::extreme_index(const Node& node, const OpCall& call, std::size_t) {
  const StepId operand = value(node.inputs[0]);
  if (!operand.valid()) return {};
  const Dims from = at(operand).shape;
  const Result<std::size_t> axis = ops::resolve_axis(call.attributes.integer("axis", 0), from.size());
  const DType dtype = at(operand).dtype;
  if (!axis.ok() || from[*axis] == 0 || from[*axis] > INT32_MAX || dtype == DType::boolean) return {};
  const bool last = call.attributes.integer("select_last_index", 0) != 0, greatest = call.def->name == "ArgMax";
  const Fold fold = greatest ? (last ? Fold::last_most : Fold::first_most)
                    : last   ? Fold::last_least
                             : Fold::first_least;
  const StepId x = expr::is_stored(dtype) ? cast(operand, DType::f32) : operand;
  StepId made = reduce(x, {*axis}, fold, 0);
  if (call.attributes.integer("keepdims", 1) != 0) made = keep_axes(made, from, {*axis});
  return cast(made, DType::i64);
}

StepId StepBuilder::softmax(const Node& node, const OpCall& call, std::size_t) {
  const StepId operand = value(node.inputs[0]);
  if (!operand.valid()) return {};
  const DType dtype = at(operand).dtype;
  // The standard's function body rounds each of its operators' results to 16 bits.
  if (expr::is_stored(dtype)) return {};
  const Dims from = at(operand).shape;
  const bool is_old = call.schema->since < 13;
  const Result<std::size_t> axis = ops::resolve_axis(call.attributes.integer("axis", is_old ? 1 : -1), from.size());
  if (!axis.ok()) return {};
  std::vector<std::size_t> axes;
  for (std::size_t i = *axis; i < (is_old ? from.size() : *axis + 1); ++i) axes.push_back(i);
  if (count_of(from, axes) == 0) return {};
  const StepId x = cast(operand, sum_type(dtype));
  const StepId most = keep_axes(reduce(x, axes, Fold::most, 0), from, axes);
  const StepId shifted = op(Op::subtract, {x, most});
  const StepId powers = op(Op::exp, {shifted});
  const StepId sum = keep_axes(reduce(powers, axes, Fold::sum, 0), from, axes);
  if (call.def->name == "LogSoftmax") return cast(op(Op::subtract, {shifted, op(Op::log, {sum})}), dtype);
  return cast(op(Op::divide, {powers, sum}), dtype);
}

StepId StepBuilder::contract(const std::vector<StepId>& operands, const std::vector<std::vector<int>>& labels,
                             const std::vector<int>& result) {
  std::vector<int> all = result;
  const auto place = [&](int label) {
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), label) - all.begin());
  };
  for (const std::vector<int>& each : labels)
    for (const int label : each)
      if (place(label) == all.size()) all.push_back(label);
  Dims extents;
  for (std::size_t i = 0; i < all.size(); ++i) extents.push_back(1);
  for (std::size_t i = 0; i < operands.size(); ++i)
    for (std::size_t axis = 0; axis < labels[i].size(); ++axis)
      if (at(operands[i]).shape[axis] != 1) extents[place(labels[i][axis])] = at(operands[i]).shape[axis];
  const DType dtype = at(operands[0]).dtype;
  StepId whole;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Indices indices;
    for (const int label : labels[i]) indices.push_back({0, {{1, place(label)}}});
    const StepId factor = view(cast(operands[i], sum_type(dtype)), extents, std::move(indices));
    whole = i == 0 ? factor : product(whole, factor);
  }
  std::vector<std::size_t> summed;
  for (std::size_t i = result.size(); i < all.size(); ++i) summed.push_back(i);
  if (exact_ && summed.size() > 1) return {};
  return reduce(whole, std::move(summed), Fold::sum, 0);
}

StepId StepBuilder::matmul(const Node& node, const OpCall&, std::size_t) {
  const StepId a = value(node.inputs[0]), b = value(node.inputs[1]);
  if (!a.valid() || !b.valid()) return {};
  return cast(multiply(a, b), fact(node.outputs[0]).type.dtype);
}

StepId StepBuilder::multiply(StepId a, StepId b) {
  const Dims &left = at(a).shape, &right = at(b).shape;
  constexpr int kRow = -1, kColumn = -2, kSum = -3;
  const std::size_t batch_a = left.size() < 2 ? 0 : left.size() - 2, batch_b = right.size() < 2 ? 0 : right.size() - 2;
  const std::size_t batch = std::max(batch_a, batch_b);
  std::vector<int> labels_a, labels_b, result;
  for (std::size_t i = 0; i < batch; ++i) {
    const int label = static_cast<int>(i);
    result.push_back(label);
    if (i + batch_a >= batch) labels_a.push_back(label);
    if (i + batch_b >= batch) labels_b.push_back(label);
  }
  if (left.size() > 1) labels_a.push_back(kRow), result.push_back(kRow);
  labels_a.push_back(kSum);
  labels_b.push_back(kSum);
  if (right.size() > 1) labels_b.push_back(kColumn), result.push_back(kColumn);
  return contract({a, b}, {labels_a, labels_b}, result);
}

StepId StepBuilder::gemm(const Node& node, const OpCall& call, std::size_t) {
  const StepId a = value(node.inputs[0]), b = value(node.inputs[1]);
  if (!a.valid() || !b.valid()) return {};
  const DType dtype = fact(node.outputs[0]).type.dtype;
  if (!expr::is_float(dtype) && !expr::is_stored(dtype)) return {};
  const auto matrix = [&](std::string_view transposed, int row, int column) {
    return call.attributes.integer(transposed, 0) != 0 ? std::vector{column, row} : std::vector{row, column};
  };
  StepId sum = contract({a, b}, {matrix("transA", 0, 2), matrix("transB", 2, 1)}, {0, 1});
  const DType wide = sum_type(dtype);
  const auto scaled = [&](StepId x, double by) { return by == 1 ? x : op(Op::multiply, {number(wide, by), x}); };
  sum = scaled(sum, call.attributes.real("alpha", 1));
  if (node.inputs.size() > 2 && node.inputs[2].valid()) {
    const StepId c = cast(value(node.inputs[2]), wide);
    sum = op(Op::add, {sum, scaled(c, call.attributes.real("beta", 1))});
  }
  return cast(sum, dtype);
}

StepId StepBuilder::einsum(const Node& node, const OpCall& call, std::size_t) {
  const Result<ops::Equation> equation = ops::parse_equation(call.attributes.text("equation", ""));
  if (!equation.ok() || equation->inputs.size() != node.inputs.size() || node.inputs.size() > 2) return {};
  std::vector<StepId> operands;
  std::vector<std::vector<int>> labels;
  std::size_t most = SIZE_MAX;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    operands.push_back(value(node.inputs[i]));
    if (!operands[i].valid()) return {};
    const std::size_t rank = at(operands[i]).shape.size();
    const ops::Term& term = equation->inputs[i];
    if (rank < term.letters.size()) return {};
    const std::size_t dots = rank - term.letters.size();
    if (dots > 0 && term.ellipsis < 0) return {};
    // Axes of an ellipsis are counted from the last one: of unlike ranks they would need other labels.
    if (term.ellipsis >= 0 && most != SIZE_MAX && most != dots) return {};
    if (term.ellipsis >= 0) most = dots;
    labels.push_back(term.labels(dots));
    std::vector<int> sorted = labels[i];
    std::sort(sorted.begin(), sorted.end());
    // A diagonal.
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return {};
  }
  if (most == SIZE_MAX) most = 0;
  const DType dtype = fact(node.outputs[0]).type.dtype;
  if (!expr::is_float(dtype) && !expr::is_stored(dtype)) return {};
  return cast(contract(operands, labels, equation->output.labels(most)), dtype);
}

}  // namespace pawl::kernel
