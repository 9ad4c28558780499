#include "tensor/reuse.h"

#include <optional>

#include "tensor/walk.h"

namespace pawl {

Result<Tensor> take_or_allocate(std::vector<Value>* spare, DType dtype, const Dims& shape) {
  const std::optional<std::int64_t> size = checked_size(shape);
  if (spare == nullptr || !size || dtype == DType::string) return Tensor::allocate(dtype, shape);
  for (Value& value : *spare) {
    if (!value.is_tensor()) continue;
    const Tensor& tensor = value.tensor();
    if (tensor.dtype() != dtype || tensor.size() != *size || !tensor.unique() || !tensor.dense() || !tensor.aligned())
      continue;
    Tensor taken = std::move(value.tensor());
    value = Value();
    return taken.shape() == shape ? std::move(taken) : taken.reshaped(shape);
  }
  return Tensor::allocate(dtype, shape);
}

}  // namespace pawl
