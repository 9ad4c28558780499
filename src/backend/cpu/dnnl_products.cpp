// MatMul and Gemm through oneDNN's sgemm, and small ones through its matmul.
#include <algorithm>
#include <atomic>

#include "backend/cpu/dnnl_library.h"
#include "backend/cpu/dnnl_operators.h"
#include "backend/cpu/dnnl_small_products.h"
#include "backend/cpu/row_product.h"
#include "backend/cpu/threads.h"
#include "base/try.h"
#include "ops/matmul.h"
#include "ops/multiply.h"
#include "tensor/walk.h"

namespace pawl::cpu {
namespace {

using ops::EvalContext;

/// A matrix as sgemm takes it: rows or columns without gaps between their elements.
struct Operand {
  char transposed = 'N';
  const float* data = nullptr;
  std::int64_t step = 1;
};

bool operand(const ops::Matrix<float>& matrix, Operand& operand) {
  operand.data = matrix.data;
  if ((matrix.column_step == 1 || matrix.columns == 1) && (matrix.row_step >= matrix.columns || matrix.rows == 1)) {
    operand.step = std::max(matrix.row_step, matrix.columns);
    return true;
  }
  operand.transposed = 'T';
  operand.step = std::max(matrix.column_step, matrix.rows);
  return (matrix.row_step == 1 || matrix.rows == 1) && (matrix.column_step >= matrix.rows || matrix.columns == 1);
}

/// to = alpha·a·b + beta·to; false where the matrices lie in a way that oneDNN does not take.
Result<bool> multiply_part(const DnnlLibrary& library, const ops::Matrix<float>& a, const ops::Matrix<float>& b,
                           float alpha, float beta, bool small, float* to, std::int64_t step) {
  // The library's own threads would go on spinning beside ours.
  const ThreadLimit limit(library, true);
  if (small && alpha == 1 && (beta == 0 || beta == 1)) {
    TRY_ASSIGN(const bool done, multiply_small(library, a, b, beta == 1, to, step));
    if (done) return true;
  }
  Operand left, right;
  if (!operand(a, left) || !operand(b, right)) return false;
  return library.sgemm(left.transposed, right.transposed, a.rows, b.columns, a.columns, alpha, left.data, left.step,
                       right.data, right.step, beta, to, step) == dnnl_success;
}

/// One row times a matrix of which rows or columns lie without gaps; false where neither do.
bool multiply_row(const ops::Matrix<float>& a, const ops::Matrix<float>& b, float* to) {
  if (b.column_step == 1 || b.columns == 1)
    multiply_rows(a.data, a.column_step, b.data, b.row_step, b.rows, b.columns, to);
  else if (b.row_step == 1 && a.column_step == 1)
    multiply_columns(a.data, b.data, b.column_step, b.rows, b.columns, to);
  else
    return false;
  return true;
}

/// The same in parts: rows or columns of the result, of which there are more.
Result<bool> multiply(const DnnlLibrary& library, const Policy& policy, const ops::Matrix<float>& a,
                      const ops::Matrix<float>& b, float alpha, float beta, float* to) {
  constexpr std::int64_t kRows = 16, kColumns = 64, kLine = 16;
  const bool by_rows = a.rows / kRows >= b.columns / kColumns;
  // Few rows wait for the other matrix to come from memory: more threads fetch more of it.
  const bool few = a.rows <= policy.few_rows;
  const std::int64_t unit = by_rows ? kRows : few ? kLine : kColumns;
  const std::int64_t units = ((by_rows ? a.rows : b.columns) + unit - 1) / unit;
  const std::int64_t shared = few ? policy.shared_of_few : policy.shared;
  const bool pays = reaches(shared, {a.rows, a.columns, b.columns});
  const bool small = reaches(policy.own_code, {a.rows, a.columns, b.columns}) &&
                     !reaches(policy.common_code, {a.rows, a.columns, b.columns});
  const int parts = pays ? static_cast<int>(std::clamp<std::int64_t>(units, 1, policy.threads)) : 1;
  const double own = few ? policy.own_part_of_few : 1;
  const auto bound = [&](int part) {
    if (part == 0) return std::int64_t{0};
    return static_cast<std::int64_t>(static_cast<double>(units) * (own + part - 1) / (own + parts - 1) + 0.5);
  };
  std::atomic<bool> done = true;
  TRY(run_parts(parts, [&](int part) -> Result<void> {
    const std::int64_t extent = by_rows ? a.rows : b.columns;
    const std::int64_t begin = bound(part) * unit, end = std::min(bound(part + 1) * unit, extent);
    ops::Matrix<float> left = a, right = b;
    (by_rows ? left.data : right.data) += begin * (by_rows ? a.row_step : b.column_step);
    (by_rows ? left.rows : right.columns) = end - begin;
    float* first = to + begin * (by_rows ? b.columns : 1);
    if (left.rows == 1 && alpha == 1 && beta == 0 && multiply_row(left, right, first)) return {};
    TRY_ASSIGN(const bool taken, multiply_part(library, left, right, alpha, beta, small, first, b.columns));
    if (!taken) done = false;
    return {};
  }));
  return done.load();
}

}  // namespace

Result<bool> accelerate_matmul(EvalContext& context, const Policy& policy) {
  const Result<ops::Stacks> planned = ops::stack_operands(context.tensor(0), context.tensor(1));
  if (!planned.ok()) return false;
  const ops::Stacks& stacks = *planned;
  ops::Matrix<float> a = ops::last_two_axes<float>(stacks.a), b = ops::last_two_axes<float>(stacks.b);
  // Of few rows the evaluation, which converts the other matrix, is slowest.
  const std::int64_t least = a.rows <= policy.few_rows ? policy.products_of_few : policy.products;
  if (!reaches(least, {checked_size(stacks.batch).value_or(0), a.rows, a.columns, b.columns})) return false;
  const DnnlLibrary* library = DnnlLibrary::get();
  if (library == nullptr) return false;
  TRY_ASSIGN(Tensor out, Tensor::allocate(DType::f32, stacks.shape));
  float* to = out.mutable_data<float>();
  const float *first_a = a.data, *first_b = b.data;
  Result<bool> done = true;
  walk<2>(stacks.batch, {&stacks.steps_a, &stacks.steps_b}, [&](std::int64_t at_a, std::int64_t at_b) {
    a.data = first_a + at_a;
    b.data = first_b + at_b;
    if (done.ok() && *done) done = multiply(*library, policy, a, b, 1, 0, to);
    to += a.rows * b.columns;
  });
  if (done.ok() && *done) context.outputs[0] = std::move(out);
  return done;
}

Result<bool> accelerate_gemm(EvalContext& context, const Policy& policy) {
  const Tensor &a = context.tensor(0), &b = context.tensor(1);
  if (a.rank() != 2 || b.rank() != 2 || !a.aligned() || !b.aligned()) return false;
  ops::Matrix<float> left = ops::last_two_axes<float>(a), right = ops::last_two_axes<float>(b);
  if (context.attributes.integer("transA", 0) != 0) left = left.transposed();
  if (context.attributes.integer("transB", 0) != 0) right = right.transposed();
  if (left.columns != right.rows || !reaches(policy.products, {left.rows, left.columns, right.columns})) return false;
  const DnnlLibrary* library = DnnlLibrary::get();
  if (library == nullptr) return false;
  const Dims shape = {left.rows, right.columns};
  const float beta = context.attributes.real("beta", 1);
  TRY_ASSIGN(Tensor out, Tensor::allocate(DType::f32, shape));
  const bool biased = context.has_input(2);
  if (biased) {
    // Zero times NaN is NaN, which sgemm does not know of; and old versions stretch only where they say so.
    const Tensor& c = context.tensor(2);
    const auto common = broadcast_shapes(c.shape(), shape);
    if (beta == 0 || context.since() < 7 || c.dtype() != DType::f32 || !c.aligned() || !common.ok() || *common != shape)
      return false;
    TRY_ASSIGN(out, broadcast_view(c, shape).clone());
  }
  TRY_ASSIGN(const bool done, multiply(*library, policy, left, right, context.attributes.real("alpha", 1),
                                       biased ? beta : 0, out.mutable_data<float>()));
  if (!done) return false;
  context.outputs[0] = std::move(out);
  return true;
}

}  // namespace pawl::cpu
