#include "ops/wide.h"

#include <algorithm>

#include "tensor/walk.h"

namespace pawl::ops {

Result<Tensor> as_doubles(const Tensor& tensor) {
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  if (dense.dtype() == DType::f64) return dense;
  TRY_ASSIGN(Tensor wide, Tensor::allocate(DType::f64, dense.shape()));
  TRY(dispatch<Join<Floats, SmallFloats, Integers>>(dense.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    const T* from = dense.data<T>();
    std::transform(from, from + dense.size(), wide.mutable_data<double>(), [](T x) { return static_cast<double>(x); });
    return {};
  }));
  return wide;
}

Result<Tensor> rounded(const Tensor& doubles, DType dtype) {
  TRY_ASSIGN(Tensor out, Tensor::allocate(dtype, doubles.shape()));
  TRY(dispatch<Floats>(dtype, [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    T* to = out.mutable_data<T>();
    const double* from = doubles.data<double>();
    walk<1>(doubles.shape(), {&doubles.strides()}, [&](std::int64_t at) { *to++ = static_cast<T>(from[at]); });
    return {};
  }));
  return out;
}

Result<Tensor> zero_doubles(const Dims& shape) {
  TRY_ASSIGN(Tensor zeros, Tensor::allocate(DType::f64, shape));
  std::fill_n(zeros.mutable_data<double>(), zeros.size(), 0.0);
  return zeros;
}

}  // namespace pawl::ops
