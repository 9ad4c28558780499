// Running nodes and the programs of batched ones, through inference and evaluation.
#pragma once

#include "axis_samples.h"
#include "ops/axis_rule.h"

namespace pawl::ops {

/// All outputs of one node.
Result<std::vector<Value>> evaluate(const OpDef& row, const Schema& schema, const Attributes& attributes,
                                    const std::vector<Value>& inputs, std::size_t outputs);

/// What a program of a node gives. `facts` and `values` are of the node's inputs, new axes included. Every call is
/// inferred before it is evaluated. Errors: those of a call; internal, where an inferred type is not that of the
/// result.
Result<std::vector<Value>> run_program(const Batching& batching, const std::vector<Fact>& facts,
                                       const std::vector<Value>& values);

/// Facts of a sample's inputs: exact shapes, and constants for the parameters. The others are none.
std::vector<Fact> facts_of(const Sample& sample, const std::vector<Value>& inputs);
std::vector<const Fact*> pointers_to(const std::vector<Fact>& facts, const std::vector<Value>& inputs);

/// True when both hold the same elements: the same bits, or both NaN.
bool same_bits(const Tensor& a, const Tensor& b);

/// Tensors of one shape as one, with a new leading axis.
Tensor stacked(const std::vector<Tensor>& slices);
/// The part [index, index + 1) of an axis.
Tensor part(const Tensor& tensor, std::size_t axis, std::int64_t index);
/// The slices of an axis in reverse order.
Tensor reversed(const Tensor& tensor, std::size_t axis);
/// `other` with slice `index` of `axis` from `tensor`, which has the same shape.
Tensor spliced(const Tensor& tensor, const Tensor& other, std::size_t axis, std::int64_t index);

}  // namespace pawl::ops
