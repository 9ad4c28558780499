// Inference rules that many operators share. Each is an InferFn.
#pragma once

#include "ops/op.h"

namespace pawl::ops {

/// The shape of output 0 is the shape of input 0.
Result<void> infer_same(InferContext& context);

/// The shape of output 0 is that of all inputs broadcast together (numpy's rule); unknown when the rank of one is.
/// Errors: bad_shape, naming the shapes.
Result<void> infer_broadcast(InferContext& context);

/// numpy's rule on symbolic shapes. A number above 1 (or 0) beats a symbol, 1 gives the other one, equal symbols stay,
/// and two different ones give an unknown extent. Errors: bad_shape, naming both shapes.
Result<SymbolicShape> broadcast_shapes(const SymbolicShape& a, const SymbolicShape& b);

/// The element type that an integer attribute names by its number in TensorProto.DataType; `otherwise` when it is
/// absent or 0. Errors: bad_value, when output `output` cannot have that type in this version.
Result<DType> dtype_attribute(const Schema& schema, const Attributes& attributes, std::string_view attribute,
                              DType otherwise, std::size_t output = 0);

}  // namespace pawl::ops
