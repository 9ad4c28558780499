// Something that is called, by reference.
#pragma once

#include <type_traits>

namespace pawl {

template <class F>
class FunctionRef;

/// Refers to a function object that outlives it; null where there is none. Making one costs nothing, unlike a
/// std::function.
template <class R, class... Arguments>
class FunctionRef<R(Arguments...)> {
 public:
  FunctionRef() = default;
  template <class F, class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>>>
  FunctionRef(const F& function)  // NOLINT(google-explicit-constructor): a lambda is passed as it is
      : self_(&function), call_([](const void* self, Arguments... arguments) -> R {
          return (*static_cast<const F*>(self))(arguments...);
        }) {}

  explicit operator bool() const { return call_ != nullptr; }
  R operator()(Arguments... arguments) const { return call_(self_, arguments...); }

 private:
  const void* self_ = nullptr;
  R (*call_)(const void*, Arguments...) = nullptr;
};

}  // namespace pawl
