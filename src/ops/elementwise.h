// Applying a scalar function to every element of one or two tensors.
#pragma once

#include "ops/op.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {

/// An element as it is computed with: small floats as float, sub-byte integers as std::int64_t, anything else as it is.
template <class T>
decltype(auto) computed(const T& element) {
  if constexpr (std::is_same_v<Compute<T>, T>)
    return (element);
  else
    return static_cast<Compute<T>>(element);
}

/// Where a result of type Y and that shape goes: into `donor` when its memory may be written and fits, else new memory.
template <class Y>
Result<Tensor> result_memory(std::initializer_list<Tensor*> donors, const Dims& shape) {
  for (Tensor* donor : donors)
    if (donor->dtype() == dtype_of<Y> && donor->unique() && donor->dense() && donor->aligned() &&
        donor->shape() == shape)
      return *donor;
  return Tensor::allocate(dtype_of<Y>, shape);
}

/// y[i] = f(x[i]): f takes computed(X) and returns what Y can be made of. `x` may have any strides; the result is dense
/// and takes over the memory of `x` where nobody else sees it. Errors: limit.
template <class X, class Y, class F>
Result<Tensor> map1(Tensor x, F f) {
  if (!x.aligned()) {
    TRY_ASSIGN(x, x.to_dense());
  }
  TRY_ASSIGN(Tensor y, result_memory<Y>({&x}, x.shape()));
  const X* from = x.data<X>();
  Y* to = y.mutable_data<Y>();
  if (x.dense()) {
    const std::int64_t size = x.size();
    for (std::int64_t i = 0; i < size; ++i) to[i] = static_cast<Y>(f(computed(from[i])));
  } else {
    walk<1>(x.shape(), {&x.strides()}, [&](std::int64_t at) { *to++ = static_cast<Y>(f(computed(from[at]))); });
  }
  return y;
}

/// y[i] = f(a[i], b[i]) over the shape of both broadcast together; as map1 otherwise. Errors: bad_shape, limit.
template <class A, class B, class Y, class F>
Result<Tensor> map2(Tensor a, Tensor b, F f) {
  TRY_ASSIGN(const Dims shape, pawl::broadcast_shapes(a.shape(), b.shape()));
  if (!a.aligned()) {
    TRY_ASSIGN(a, a.to_dense());
  }
  if (!b.aligned()) {
    TRY_ASSIGN(b, b.to_dense());
  }
  TRY_ASSIGN(Tensor y, result_memory<Y>({&a, &b}, shape));
  const A* left = a.data<A>();
  const B* right = b.data<B>();
  Y* to = y.mutable_data<Y>();
  const std::int64_t size = y.size();
  const bool left_flat = a.dense() && a.shape() == shape;
  const bool right_flat = b.dense() && b.shape() == shape;
  if (size == 0) return y;
  if (left_flat && right_flat) {
    for (std::int64_t i = 0; i < size; ++i) to[i] = static_cast<Y>(f(computed(left[i]), computed(right[i])));
  } else if (left_flat && b.size() == 1) {
    const Compute<B> fixed = computed(*right);
    for (std::int64_t i = 0; i < size; ++i) to[i] = static_cast<Y>(f(computed(left[i]), fixed));
  } else if (right_flat && a.size() == 1) {
    const Compute<A> fixed = computed(*left);
    for (std::int64_t i = 0; i < size; ++i) to[i] = static_cast<Y>(f(fixed, computed(right[i])));
  } else {
    const Tensor a_view = broadcast_view(a, shape);
    const Tensor b_view = broadcast_view(b, shape);
    walk<2>(shape, {&a_view.strides(), &b_view.strides()},
            [&](std::int64_t i, std::int64_t j) { *to++ = static_cast<Y>(f(computed(left[i]), computed(right[j]))); });
  }
  return y;
}

/// An eval that applies f to input 0, whose type is one of List, and gives the same type.
template <class List, class F>
Result<void> eval_map1(EvalContext& context, F f) {
  Value x = context.take(0);
  TRY_ASSIGN(context.outputs[0], dispatch<List>(x.tensor().dtype(), [&](auto tag) -> Result<Tensor> {
               using T = typename decltype(tag)::type;
               return map1<T, T>(std::move(x.tensor()), f);
             }));
  return {};
}

/// Two operands that map2 can take.
struct Operands {
  Tensor a;
  Tensor b;
};
/// Inputs 0 and 1 of a binary operator. The versions that have the attributes `broadcast` and `axis` do not follow
/// numpy: B must have A's shape, or with `broadcast = 1` one element, or a run of A's extents that starts at `axis`
/// (default: that ends at A's last), where an extent of 1 stretches. B is then seen with A's shape. Errors: bad_shape.
Result<Operands> take_operands(EvalContext& context);

/// The InferFn of such an operator: A's shape in those versions, both shapes broadcast together in the others.
Result<void> infer_operands(InferContext& context);

/// An eval that applies f to inputs 0 and 1, both of one type of List, and gives that type.
template <class List, class F>
Result<void> eval_map2(EvalContext& context, F f) {
  TRY_ASSIGN(Operands in, take_operands(context));
  TRY_ASSIGN(context.outputs[0], dispatch<List>(in.a.dtype(), [&](auto tag) -> Result<Tensor> {
               using T = typename decltype(tag)::type;
               return map2<T, T, T>(std::move(in.a), std::move(in.b), f);
             }));
  return {};
}

/// An eval that applies f to inputs 0 and 1, both of one type of List, and gives bool.
template <class List, class F>
Result<void> eval_compare(EvalContext& context, F f) {
  TRY_ASSIGN(Operands in, take_operands(context));
  TRY_ASSIGN(context.outputs[0], dispatch<List>(in.a.dtype(), [&](auto tag) -> Result<Tensor> {
               using T = typename decltype(tag)::type;
               return map2<T, T, bool>(std::move(in.a), std::move(in.b), f);
             }));
  return {};
}

}  // namespace pawl::ops
