// Axis rules of products that are summed over common axes: MatMul and its quantized forms, Gemm.
#include <algorithm>
#include <cmath>

#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/schema.h"
#include "tensor/dispatch.h"

namespace pawl::ops {
namespace {

/// The inputs of a node that are multiplied.
struct Factors {
  std::size_t left;
  std::size_t right;
};

/// True when an input is certain to hold one element, or is omitted.
bool single(const NodeFacts& node, std::size_t i) {
  if (!node.has_input(i)) return true;
  const SymbolicShape* shape = node.shape(i);
  return shape != nullptr &&
         std::all_of(shape->begin(), shape->end(), [](const Dim& dim) { return dim.known() && dim.value == 1; });
}

/// True when all inputs beside the factors are single.
bool plain(const NodeFacts& node, Factors factors) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (i != factors.left && i != factors.right && !single(node, i)) return false;
  return true;
}

/// A product by MatMul's rules, of a node whose other inputs are scales and zero points.
Batching batch_product(const NodeFacts& node, std::span<const bool> batched, Factors factors) {
  Batcher b(node, batched);
  if (b.others_batched({factors.left, factors.right}))
    return b.refuse("a scale or zero point differs from step to step");
  const std::size_t rank_a = node.rank(factors.left), rank_b = node.rank(factors.right);
  if (rank_a == 0 || rank_b == 0) return b.refuse("a factor is a scalar");
  const std::size_t stack = std::max<std::size_t>({rank_a, rank_b, 2}) - 2;
  std::vector<Operand> operands = b.inputs();
  Operand &left = operands[factors.left], &right = operands[factors.right];
  bool row = false, column = false;
  if (b.batched(factors.left)) {
    // Vectors of many steps are the rows of a matrix, where all are multiplied by the same one.
    const bool rows = rank_a == 1 && rank_b <= 2 && !b.batched(factors.right);
    row = rank_a == 1 && !rows;
    if (!rows) left = b.unsqueeze(left, consecutive(row ? stack + 1 : stack + 2 - rank_a, 1));
  }
  if (b.batched(factors.right)) {
    column = rank_b == 1;
    if (column && !plain(node, factors))
      return b.refuse("a scale or zero point beside a vector has more than one element");
    std::vector<std::int64_t> axes = consecutive(column ? stack : stack + 2 - rank_b, 1);
    if (column) axes.push_back(-1);
    right = b.unsqueeze(right, axes);
  }
  Operand y = b.again(std::move(operands));
  if (column) y = b.squeeze(y, -1);
  if (row) y = b.squeeze(y, column || rank_b == 1 ? -1 : -2);
  return b.done({y});
}

Ties relate_product(const NodeFacts& node, Factors factors) {
  Ties ties;
  const std::size_t rank_a = node.rank(factors.left), rank_b = node.rank(factors.right);
  if (rank_a == 0 || rank_b == 0 || !plain(node, factors)) return ties;
  const std::size_t stack_a = std::max<std::size_t>(rank_a, 2) - 2, stack_b = std::max<std::size_t>(rank_b, 2) - 2;
  const std::size_t stack = std::max(stack_a, stack_b);
  const auto add = [&](std::size_t axis, int a, int b) {
    Tie tie{0, axis, std::vector<int>(node.inputs.size(), -1)};
    tie.inputs[factors.left] = a;
    tie.inputs[factors.right] = b;
    ties.list.push_back(std::move(tie));
  };
  const auto from_end = [&](std::size_t axis, std::size_t own) {
    return std::max(static_cast<int>(axis) - static_cast<int>(stack - own), -1);
  };
  for (std::size_t axis = 0; axis < stack; ++axis) add(axis, from_end(axis, stack_a), from_end(axis, stack_b));
  std::size_t axis = stack;
  if (rank_a > 1) add(axis++, static_cast<int>(rank_a) - 2, -1);
  if (rank_b > 1) add(axis, -1, static_cast<int>(rank_b) - 1);
  return ties;
}

/// A number as a scalar of that type; nullopt when the type cannot hold it exactly.
std::optional<Tensor> number_of(DType dtype, float number) {
  using Types = Join<TypeList<double>, Integers>;
  const Result<Tensor> scalar = dispatch<Types>(dtype, [&](auto tag) -> Result<Tensor> {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, double>) return Tensor::scalar(static_cast<double>(number));
    const bool whole = std::trunc(number) == number && std::fabs(number) < 9.0e15F;
    if (!whole) return fail(Code::bad_value, "{} is not a whole number", number);
    return Tensor::scalar(static_cast<T>(static_cast<std::int64_t>(number)));
  });
  return scalar.ok() ? std::optional(*scalar) : std::nullopt;
}

bool transposed(const NodeFacts& node, std::string_view name) { return node.attributes.integer(name, 0) != 0; }

/// The rows of all steps of A are those of one tall matrix.
Batching gemm_of_rows(Batcher& b) {
  const NodeFacts& node = b.node;
  SymbolicShape shape = *node.shape(0);
  Operand a = b.lifted(0);
  if (transposed(node, "transA")) {
    a = b.transpose(a, {0, 2, 1});
    std::swap(shape[0], shape[1]);
  }
  const bool has_c = node.has_input(2);
  const bool shared =
      has_c && !b.batched(2) && (node.rank(2) < 2 || ((*node.shape(2))[0].known() && (*node.shape(2))[0].value == 1));
  Operand c = b.input(2);
  if (has_c && !shared) {
    const Dim columns = node.rank(2) == 0 ? Dim(1) : node.shape(2)->back();
    c = b.batched(2) ? b.aligned(2, 2) : c;
    c = b.call("Expand", {c, b.concat({b.extents(a, 0, 2), Batcher::integers({1})})});
    c = b.merge(c, {shape[0], columns});
  }
  const Attributes attributes = without(without(node.attributes, "transA"), "broadcast");
  const Operand y = b.newest({b.merge(a, shape), b.input(1), c}, attributes);
  return b.done({b.unmerge(y, node.outputs[0].shape, a)});
}

Operand matrix(Batcher& b, std::size_t i, std::string_view attribute) {
  if (!transposed(b.node, attribute)) return b.input(i);
  return b.batched(i) ? b.transpose(b.input(i), {0, 2, 1}) : b.transpose(b.input(i), {1, 0});
}

Operand scaled(Batcher& b, Operand x, const Tensor& factor, float number) {
  return number == 1 ? x : b.call("Mul", {std::move(x), Batcher::constant(factor)});
}

}  // namespace

Batching batch_matmul(const NodeFacts& node, std::span<const bool> batched) {
  return batch_product(node, batched, {0, 1});
}
Ties relate_matmul(const NodeFacts& node) { return relate_product(node, {0, 1}); }
Batching batch_qlinear_matmul(const NodeFacts& node, std::span<const bool> batched) {
  return batch_product(node, batched, {0, 3});
}
Ties relate_qlinear_matmul(const NodeFacts& node) { return relate_product(node, {0, 3}); }

Batching batch_gemm(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (node.rank(0) != 2 || node.rank(1) != 2 || node.rank(2) > 2) return b.refuse("the factors are not matrices");
  if (!b.batched(1)) return gemm_of_rows(b);
  const float alpha = node.attributes.real("alpha", 1), beta = node.attributes.real("beta", 1);
  const DType dtype = node.inputs[0]->type.dtype;
  const std::optional<Tensor> first = number_of(dtype, alpha), second = number_of(dtype, beta);
  // Gemm rounds alpha·A·B + beta·C once; parts of it round each, unless the type is that of the accumulation.
  const bool exact = first && second;
  if (!exact && (alpha != 1 || node.has_input(2)))
    return b.refuse("B differs from step to step, and a result is rounded only once");
  if (!exact && (dtype == DType::undefined || dtype == DType::i32 || dtype == DType::i64 || dtype == DType::u32 ||
                 dtype == DType::u64))
    return b.refuse("an integer is multiplied by a fraction");
  Operand y = b.call("MatMul", {matrix(b, 0, "transA"), matrix(b, 1, "transB")});
  if (exact) y = scaled(b, y, *first, alpha);
  if (node.has_input(2)) y = b.call("Add", {y, scaled(b, b.aligned(2, 2), *second, beta)});
  return b.done({y});
}

Ties relate_gemm(const NodeFacts& node) {
  Ties ties;
  if (node.rank(0) != 2 || node.rank(1) != 2 || node.rank(2) > 2) return ties;
  const int row = node.rank(2) == 2 ? 0 : -1, column = static_cast<int>(node.rank(2)) - 1;
  ties.list = {{0, 0, {transposed(node, "transA") ? 1 : 0, -1}}, {0, 1, {-1, transposed(node, "transB") ? 0 : 1}}};
  if (node.inputs.size() > 2) {
    ties.list[0].inputs.push_back(row);
    ties.list[1].inputs.push_back(column);
  }
  return ties;
}

}  // namespace pawl::ops
