// From a DType at run time to a C++ type.
#pragma once

#include <utility>

#include "base/try.h"
#include "tensor/scalar.h"

namespace pawl {

template <class... Ts>
struct TypeList {};

template <class... Lists>
struct JoinLists;
template <class... As>
struct JoinLists<TypeList<As...>> {
  using type = TypeList<As...>;
};
template <class... As, class... Bs, class... Rest>
struct JoinLists<TypeList<As...>, TypeList<Bs...>, Rest...> : JoinLists<TypeList<As..., Bs...>, Rest...> {};
template <class... Lists>
using Join = typename JoinLists<Lists...>::type;

using Ieee = TypeList<float, double>;
using Halves = TypeList<F16, BF16>;
using Floats = Join<Ieee, Halves>;
using SmallFloats = TypeList<F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0, F6E2M3, F6E3M2, F4E2M1>;
using Integers = TypeList<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                          std::uint32_t, std::uint64_t>;
using SmallInts = TypeList<I4, U4, I2, U2>;
using Complex = TypeList<std::complex<float>, std::complex<double>>;
using Numbers = Join<Floats, Integers>;
using Everything = Join<Floats, Integers, TypeList<bool, std::string>, Complex, SmallFloats, SmallInts>;

template <class T>
struct Tag {
  using type = T;
};

/// Calls f(Tag<T>{}) with the T of the list that `dtype` names. f returns a Result; an absent type is a bad_type error.
///   return dispatch<Numbers>(x.dtype(), [&](auto tag) -> Result<void> { using T = typename decltype(tag)::type; … });
template <class List, class F>
auto dispatch(DType dtype, F&& f) {
  return [&]<class First, class... Rest>(TypeList<First, Rest...>) {
    using R = decltype(f(Tag<First>{}));
    R result = fail(Code::bad_type, "element type {} is not supported here", name(dtype));
    const auto attempt = [&]<class T>(Tag<T> tag) {
      if (dtype != dtype_of<T>) return false;
      result = f(tag);
      return true;
    };
    static_cast<void>(attempt(Tag<First>{}) || (... || attempt(Tag<Rest>{})));
    return result;
  }(List{});
}

}  // namespace pawl
