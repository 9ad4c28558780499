// numpy's matrix product, for the operators that are built on it.
#pragma once

#include "ops/op.h"

namespace pawl::ops {

/// a·b: matrices in the last two axes, the others broadcast; a vector is a row on the left and a column on the right.
/// Element types: those of MatMul, the same on both sides. Errors: bad_shape, naming both shapes; limit.
Result<Tensor> product(const Tensor& left, const Tensor& right);

/// The shape of output 0 is that of the product of inputs `left` and `right`.
Result<void> infer_product(InferContext& context, std::size_t left, std::size_t right);

/// Both operands of a MatMul as stacks of matrices (rank 2 at least, any strides), and the shape of their product.
struct Stacks {
  Tensor a, b;
  Dims batch;             ///< how many matrices are multiplied, by leading axis
  Dims steps_a, steps_b;  ///< from one matrix to the next along each axis of `batch`
  Dims shape;
};

/// Where there is one matrix on the right, the rows of all on the left are one matrix. Errors: bad_shape.
Result<Stacks> stack_operands(const Tensor& left, const Tensor& right);

}  // namespace pawl::ops
