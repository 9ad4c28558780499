// Tensors in the order in which a kernel walks through them.
#pragma once

#include "kernel/fused_loop.h"
#include "pawl/tensor.h"

namespace pawl::cpu {

/// A tensor as a binding has it: neighbouring axes as one, in its order, in its tiles. Errors: limit.
Result<Tensor> packed(const kernel::Binding& binding, const Tensor& tensor);

/// Copies what is packed so back to a dense tensor with the axes as they were; its tiles are whole.
void unpack(const kernel::Binding& binding, const Tensor& from, Tensor& to);

}  // namespace pawl::cpu
