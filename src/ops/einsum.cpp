// Einsum: sums of products over labelled axes. Operands are contracted from left to right, floats in double (rounded
// once, at the end), integers modulo 2^n.
#include <map>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/equation.h"
#include "ops/families.h"
#include "ops/multiply.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

using Summable = Join<Floats, Integers>;

Result<Equation> equation_for(const Attributes& attributes, std::size_t operands) {
  const std::string text = attributes.text("equation", "");
  TRY_ASSIGN(Equation equation, parse_equation(text));
  if (equation.inputs.size() != operands)
    return fail(Code::bad_value, "equation \"{}\" has {} terms for {} inputs", text, equation.inputs.size(), operands);
  return equation;
}

/// How many axes "..." stands for in every operand that has it: agreed by all of known rank; nullopt when none is
/// known.
Result<std::optional<std::size_t>> ellipsis_rank(const Equation& equation,
                                                 std::span<const std::optional<std::size_t>> ranks) {
  std::optional<std::size_t> agreed;
  bool present = false;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Term& term = equation.inputs[i];
    const std::size_t letters = term.letters.size();
    present = present || term.ellipsis >= 0;
    if (!ranks[i]) continue;
    if (*ranks[i] < letters || (term.ellipsis < 0 && *ranks[i] != letters))
      return fail(Code::bad_shape, "operand {} has rank {}, but its term has {} letters", i, *ranks[i], letters);
    if (term.ellipsis < 0) continue;
    if (agreed && *agreed != *ranks[i] - letters)
      return fail(Code::bad_shape, "the ellipsis stands for {} axes, but for {} in operand {}", *agreed,
                  *ranks[i] - letters, i);
    agreed = *ranks[i] - letters;
  }
  return present ? agreed : std::optional<std::size_t>(0);
}

Result<void> infer_einsum(InferContext& context) {
  TRY_ASSIGN(const Equation equation, equation_for(context.attributes, context.inputs.size()));
  std::vector<std::optional<std::size_t>> ranks(context.inputs.size());
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (const SymbolicShape* shape = context.shape(i)) ranks[i] = shape->size();
  TRY_ASSIGN(const auto hidden, ellipsis_rank(equation, ranks));
  std::map<int, Dim> extents;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    // Of an operand of unknown rank any axis may be anything.
    const Labels labels = equation.inputs[i].labels(hidden.value_or(0));
    for (std::size_t axis = 0; axis < labels.size(); ++axis) {
      const Dim extent = ranks[i] ? (*context.shape(i))[axis] : Dim();
      const auto [known, added] = extents.emplace(labels[axis], extent);
      if (added) continue;
      const auto common = broadcast_dim(known->second, extent);
      if (!common)
        return fail(Code::bad_shape, "operand {} of shape {} has {} where another axis of the same label has {}", i,
                    to_string(*context.shape(i)), extent.value, known->second.value);
      known->second = *common;
    }
  }
  if (!hidden && equation.output.ellipsis >= 0) return {};
  SymbolicShape out;
  for (const int label : equation.output.labels(hidden.value_or(0))) {
    // An ellipsis in the output alone stands for no axes, so every label has an extent.
    out.push_back(extents[label]);
  }
  context.set_shape(0, std::move(out));
  return {};
}

/// A labelled view: each label once, with its extent and its step in elements.
template <class W>
struct Operand {
  Labels labels;
  Dims shape;
  Dims strides;
  Tensor memory;  ///< of W

  [[nodiscard]] std::optional<std::size_t> find(int label) const {
    const auto at = std::find(labels.begin(), labels.end(), label);
    return at == labels.end() ? std::nullopt
                              : std::optional<std::size_t>(static_cast<std::size_t>(at - labels.begin()));
  }
};

template <class T>
Result<Operand<Wide<T>>> widen(const Tensor& tensor, const Labels& labels) {
  using W = Wide<T>;
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  Operand<W> operand;
  if constexpr (std::is_same_v<T, W>) {
    operand.memory = dense;
  } else {
    TRY_ASSIGN(operand.memory, Tensor::allocate(dtype_of<W>, dense.shape()));
    const T* from = dense.data<T>();
    std::transform(from, from + dense.size(), operand.memory.template mutable_data<W>(),
                   [](T x) { return to_wide(x); });
  }
  for (std::size_t axis = 0; axis < labels.size(); ++axis) {
    const std::int64_t extent = dense.shape()[axis], stride = dense.strides()[axis];
    const auto earlier = operand.find(labels[axis]);
    if (!earlier) {
      operand.labels.push_back(labels[axis]);
      operand.shape.push_back(extent);
      operand.strides.push_back(stride);
    } else if (operand.shape[*earlier] == extent) {
      operand.strides[*earlier] += stride;  // a step along the diagonal
    } else {
      return fail(Code::bad_shape, "shape {} has no diagonal along two axes of the same label: {} and {}",
                  to_string(dense.shape()), operand.shape[*earlier], extent);
    }
  }
  return operand;
}

/// Extent and step of `label` in an operand; one that it lacks, or has with extent 1, does not move.
template <class W>
std::pair<std::int64_t, std::int64_t> step_along(const Operand<W>& operand, int label) {
  const auto at = operand.find(label);
  if (!at) return {1, 0};
  return {operand.shape[*at], operand.shape[*at] == 1 ? 0 : operand.strides[*at]};
}

/// One label of a contraction: its extent, and its steps in both operands and in the result.
struct Loop {
  int label = 0;
  std::int64_t extent = 1;
  std::int64_t step_a = 0, step_b = 0, step = 0;
};

bool contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The longest loop that moves exactly these of a, b and the result; taken out of `loops`. A still one if there is
/// none.
Loop take_loop(std::vector<Loop>& loops, bool moves_a, bool moves_b, bool moves_result) {
  auto best = loops.end();
  for (auto loop = loops.begin(); loop != loops.end(); ++loop)
    if ((loop->step_a != 0) == moves_a && (loop->step_b != 0) == moves_b && (loop->step != 0) == moves_result)
      if (best == loops.end() || loop->extent > best->extent) best = loop;
  if (best == loops.end()) return {};
  const Loop taken = *best;
  loops.erase(best);
  return taken;
}

struct Strides {
  Dims shape, a, b, result;
};

Strides strides_of(const std::vector<Loop>& loops) {
  Strides strides;
  for (const Loop& loop : loops) {
    strides.shape.push_back(loop.extent);
    strides.a.push_back(loop.step_a);
    strides.b.push_back(loop.step_b);
    strides.result.push_back(loop.step);
  }
  return strides;
}

/// sums += a·b over all loops. Three of them are a product of matrices, where something is summed. That depends on
/// nothing but the labels that are summed over, so that an element has the same bits however many others are computed
/// with it.
template <class W>
void run_loops(std::vector<Loop> loops, const W* a, const W* b, W* sums) {
  std::vector<Loop> outer = loops;
  const Loop row = take_loop(outer, true, false, true), column = take_loop(outer, false, true, true);
  const Loop depth = take_loop(outer, true, true, false);
  const bool product = depth.extent > 1;
  const Strides strides = strides_of(product ? outer : loops);
  if (!product) {
    walk<3>(strides.shape, {&strides.a, &strides.b, &strides.result},
            [&](std::int64_t i, std::int64_t j, std::int64_t k) { sums[k] += a[i] * b[j]; });
    return;
  }
  walk<3>(strides.shape, {&strides.a, &strides.b, &strides.result},
          [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            const Matrix<W> left{a + i, row.extent, depth.extent, row.step_a, depth.step_a};
            const Matrix<W> right{b + j, depth.extent, column.extent, depth.step_b, column.step_b};
            multiply(left, right, [&](std::int64_t r, std::int64_t c, const W* products, std::int64_t n) {
              W* to = sums + k + r * row.step + c * column.step;
              for (std::int64_t m = 0; m < n; ++m) to[m * column.step] += products[m];
            });
          });
}

/// The sum of a·b (or of a, when b is null) over all labels but `kept`, which gives the order of the result's axes.
template <class W>
Result<Operand<W>> contract(const Operand<W>& a, const Operand<W>* other, const Labels& kept) {
  Operand<W> b;
  if (other != nullptr) {
    b = *other;
  } else {
    TRY_ASSIGN(b.memory, Tensor::allocate(dtype_of<W>, {}));
    *b.memory.template mutable_data<W>() = W{1};
  }
  // The last kept label runs fastest, so that rows of the result are written one after another.
  Labels order(kept.begin(), kept.empty() ? kept.end() : kept.end() - 1);
  for (const Operand<W>* operand : {&a, static_cast<const Operand<W>*>(&b)})
    for (const int label : operand->labels)
      if (!contains(kept, label) && !contains(order, label)) order.push_back(label);
  if (!kept.empty()) order.push_back(kept.back());

  std::vector<Loop> loops;
  bool sums_nothing = false;
  Operand<W> result;
  result.labels = kept;
  result.shape = Dims(kept.size(), 1);
  for (const int label : order) {
    const auto [x, step_a] = step_along(a, label);
    const auto [y, step_b] = step_along(b, label);
    if (x != y && x != 1 && y != 1)
      return fail(Code::bad_shape, "two axes of the same label have extents {} and {}", x, y);
    const std::int64_t extent = x == 1 ? y : x;
    loops.push_back({label, extent, step_a, step_b, 0});
    sums_nothing = sums_nothing || extent == 0;
    if (const auto at = result.find(label)) result.shape[*at] = extent;
  }
  TRY_ASSIGN(result.memory, Tensor::allocate(dtype_of<W>, result.shape));
  result.strides = result.memory.strides();
  for (Loop& loop : loops) loop.step = step_along(result, loop.label).second;
  // -0 is the neutral element of addition that keeps the sign of zeros.
  W* sums = result.memory.template mutable_data<W>();
  std::fill_n(sums, result.memory.size(), sums_nothing ? W{0} : static_cast<W>(-0.0));
  run_loops(std::move(loops), a.memory.template data<W>(), b.memory.template data<W>(), sums);
  return result;
}

/// The labels of `operand` that are also in one of `lists`.
template <class W>
Labels shared_labels(const Operand<W>& operand, std::initializer_list<const Labels*> lists) {
  Labels shared;
  for (const int label : operand.labels)
    if (std::any_of(lists.begin(), lists.end(), [&](const Labels* list) { return contains(*list, label); }))
      shared.push_back(label);
  return shared;
}

/// Sums over the labels that nobody else needs, before they multiply the work of a contraction.
template <class W>
Result<void> presum(Operand<W>& operand, const Labels& needed) {
  if (needed.size() == operand.labels.size()) return {};
  TRY_ASSIGN(operand, contract<W>(operand, nullptr, needed));
  return {};
}

template <class W>
Result<Operand<W>> contract_all(std::vector<Operand<W>> operands, const Labels& output) {
  Operand<W> left = std::move(operands[0]);
  for (std::size_t i = 1; i < operands.size(); ++i) {
    Labels later = output;
    for (std::size_t j = i + 1; j < operands.size(); ++j)
      later.insert(later.end(), operands[j].labels.begin(), operands[j].labels.end());
    const Labels left_needs = shared_labels(left, {&operands[i].labels, &later});
    const Labels right_needs = shared_labels(operands[i], {&left.labels, &later});
    TRY(presum(left, left_needs));
    TRY(presum(operands[i], right_needs));
    Labels kept = output;
    if (i + 1 < operands.size()) {
      kept = shared_labels(left, {&later});
      for (const int label : shared_labels(operands[i], {&later}))
        if (!contains(kept, label)) kept.push_back(label);
    }
    TRY_ASSIGN(left, contract(left, &operands[i], kept));
  }
  if (operands.size() > 1) return left;
  return contract<W>(left, nullptr, output);
}

Result<void> eval_einsum(EvalContext& context) {
  TRY_ASSIGN(const Equation equation, equation_for(context.attributes, context.inputs.size()));
  std::vector<std::optional<std::size_t>> ranks;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) ranks.emplace_back(context.tensor(i).shape().size());
  TRY_ASSIGN(const auto hidden, ellipsis_rank(equation, ranks));
  return dispatch<Summable>(context.tensor(0).dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    using W = Wide<T>;
    std::vector<Operand<W>> operands;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      TRY_ASSIGN(Operand<W> operand, widen<T>(context.tensor(i), equation.inputs[i].labels(*hidden)));
      operands.push_back(std::move(operand));
    }
    TRY_ASSIGN(const Operand<W> result, contract_all(std::move(operands), equation.output.labels(*hidden)));
    TRY_ASSIGN(Tensor out, Tensor::allocate(dtype_of<T>, result.shape));
    const W* sums = result.memory.template data<W>();
    std::transform(sums, sums + out.size(), out.mutable_data<T>(), [](W sum) { return from_wide<T>(sum); });
    context.outputs[0] = std::move(out);
    return {};
  });
}

constexpr OpDef kEinsum[] = {
    {.name = "Einsum", .since = {12, 28}, .infer = infer_einsum, .eval = eval_einsum, .axes = kEinsumAxes}};

}  // namespace

std::span<const OpDef> einsum_ops() { return kEinsum; }

}  // namespace pawl::ops
