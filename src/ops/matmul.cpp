// MatMul: products of stacks of matrices, by numpy's rules. Sums of float products are accumulated in double and
// rounded once; integers wrap.
#include "ops/matmul.h"

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/multiply.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

template <class Shape>
Error cannot_multiply(const Shape& a, const Shape& b) {
  return fail(Code::bad_shape, "shapes {} and {} cannot be multiplied as matrices", to_string(a), to_string(b));
}

/// Strides of a stack's leading axes, seen with the shape `batch`.
Dims batch_strides(const Tensor& stack, const Dims& batch) {
  Dims strides(batch.size(), 0);
  const std::size_t own = stack.shape().size() - 2;
  for (std::size_t i = 0; i < own; ++i)
    if (stack.shape()[i] != 1) strides[batch.size() - own + i] = stack.strides()[i];
  return strides;
}

/// One matrix on the right for all on the left: the rows of the left ones are those of one tall matrix.
void merge_rows(Stacks& stacks) {
  if (stacks.a.rank() <= 2 || stacks.b.rank() != 2 || !stacks.a.dense()) return;
  const std::int64_t depth = stacks.a.shape().back();
  if (stacks.a.size() == 0) return;
  stacks.a = stacks.a.reshaped({stacks.a.size() / depth, depth});
  stacks.batch = {};
}

Result<void> infer_matmul(InferContext& context) { return infer_product(context, 0, 1); }

Result<void> eval_matmul(EvalContext& context) {
  TRY_ASSIGN(context.outputs[0], product(context.tensor(0), context.tensor(1)));
  return {};
}

constexpr OpDef kMatMul[] = {
    {.name = "MatMul", .since = {1, 9, 13}, .infer = infer_matmul, .eval = eval_matmul, .axes = kMatMulAxes}};

}  // namespace

Result<Stacks> stack_operands(const Tensor& left, const Tensor& right) {
  Stacks stacks;
  TRY_ASSIGN(stacks.a, aligned(left));
  TRY_ASSIGN(stacks.b, aligned(right));
  Tensor &a = stacks.a, &b = stacks.b;
  const auto mismatch = [&] { return cannot_multiply(left.shape(), right.shape()); };
  if (a.rank() == 0 || b.rank() == 0) return mismatch();
  const bool matrix_a = a.rank() > 1, matrix_b = b.rank() > 1;
  if (!matrix_a) a = a.view({1, a.shape()[0]}, {0, a.strides()[0]});
  if (!matrix_b) b = b.view({b.shape()[0], 1}, {b.strides()[0], 0});
  const Dims &shape_a = a.shape(), &shape_b = b.shape();
  if (shape_a.back() != shape_b[shape_b.size() - 2]) return mismatch();
  const auto batch =
      broadcast_shapes(std::span(shape_a.begin(), shape_a.size() - 2), std::span(shape_b.begin(), shape_b.size() - 2));
  if (!batch.ok()) return mismatch();
  stacks.batch = *batch;
  stacks.shape = *batch;
  if (matrix_a) stacks.shape.push_back(shape_a[shape_a.size() - 2]);
  if (matrix_b) stacks.shape.push_back(shape_b.back());
  merge_rows(stacks);
  stacks.steps_a = batch_strides(a, stacks.batch);
  stacks.steps_b = batch_strides(b, stacks.batch);
  return stacks;
}

Result<void> infer_product(InferContext& context, std::size_t left, std::size_t right) {
  const SymbolicShape* a = context.shape(left);
  const SymbolicShape* b = context.shape(right);
  if (a == nullptr || b == nullptr) return {};
  const auto mismatch = [&] { return cannot_multiply(*a, *b); };
  if (a->empty() || b->empty()) return mismatch();
  const bool matrix_a = a->size() > 1, matrix_b = b->size() > 1;
  if (!agree_dim(a->back(), matrix_b ? (*b)[b->size() - 2] : b->back())) return mismatch();
  const std::size_t batch_a = matrix_a ? a->size() - 2 : 0, batch_b = matrix_b ? b->size() - 2 : 0;
  const std::size_t batch = std::max(batch_a, batch_b);
  SymbolicShape out(batch);
  for (std::size_t i = 1; i <= batch; ++i) {
    const Dim one(1);
    const auto extent = broadcast_dim(i <= batch_a ? (*a)[batch_a - i] : one, i <= batch_b ? (*b)[batch_b - i] : one);
    if (!extent) return mismatch();
    out[batch - i] = *extent;
  }
  if (matrix_a) out.push_back((*a)[a->size() - 2]);
  if (matrix_b) out.push_back(b->back());
  context.set_shape(0, std::move(out));
  return {};
}

Result<Tensor> product(const Tensor& left, const Tensor& right) {
  TRY_ASSIGN(Stacks stacks, stack_operands(left, right));
  TRY_ASSIGN(Tensor out, Tensor::allocate(stacks.a.dtype(), stacks.shape));
  if (out.size() == 0) return out;
  return dispatch<Factors>(out.dtype(), [&](auto tag) -> Result<Tensor> {
    using T = typename decltype(tag)::type;
    T* to = out.mutable_data<T>();
    Matrix<T> a = last_two_axes<T>(stacks.a), b = last_two_axes<T>(stacks.b);
    const T *first_a = a.data, *first_b = b.data;
    walk<2>(stacks.batch, {&stacks.steps_a, &stacks.steps_b}, [&](std::int64_t offset_a, std::int64_t offset_b) {
      a.data = first_a + offset_a;
      b.data = first_b + offset_b;
      multiply(a, b, [&](std::int64_t i, std::int64_t j, const Wide<T>* sums, std::int64_t n) {
        for (std::int64_t k = 0; k < n; ++k) to[i * b.columns + j + k] = from_wide<T>(sums[k]);
      });
      to += a.rows * b.columns;
    });
    return out;
  });
}

std::span<const OpDef> matmul_ops() { return kMatMul; }

}  // namespace pawl::ops
