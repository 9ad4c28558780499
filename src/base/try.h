// TRY passes a failure to the caller; CHECK stops at a bug of ours.
#pragma once

#include <fmt/core.h>

#include <stdexcept>

#include "pawl/error.h"

namespace pawl {

/// Thrown by CHECK: a bug in pawl. Caught at the edge of the public API and turned into Code::internal.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* file, int line, const char* condition);

/// An Error whose message is formatted with fmt.
template <class... Args>
Error fail(Code code, fmt::format_string<Args...> format, Args&&... args) {
  return Error{code, fmt::format(format, std::forward<Args>(args)...), {}};
}

}  // namespace pawl

#define PAWL_CONCAT_(a, b) a##b
#define PAWL_CONCAT(a, b) PAWL_CONCAT_(a, b)

/// TRY(step()): returns the error of a failed Result from the enclosing function.
#define TRY(...)                                                                                                \
  do {                                                                                                          \
    if (auto pawl_try_result = (__VA_ARGS__); !pawl_try_result.ok()) return std::move(pawl_try_result).error(); \
  } while (false)

/// TRY_ASSIGN(const auto x, make_x()): declares or assigns the value, or returns the error.
#define TRY_ASSIGN(target, ...) PAWL_TRY_ASSIGN_(PAWL_CONCAT(pawl_try_, __LINE__), target, __VA_ARGS__)
#define PAWL_TRY_ASSIGN_(temporary, target, ...)            \
  auto temporary = (__VA_ARGS__);                           \
  if (!temporary.ok()) return std::move(temporary).error(); \
  target = std::move(temporary).value()

/// TRY_IN(place, step()): as TRY, with one more outer place in the error's chain.
#define TRY_IN(place, ...)                                           \
  do {                                                               \
    if (auto pawl_try_result = (__VA_ARGS__); !pawl_try_result.ok()) \
      return std::move(pawl_try_result).error().in(place);           \
  } while (false)

#define TRY_ASSIGN_IN(place, target, ...) \
  PAWL_TRY_ASSIGN_IN_(PAWL_CONCAT(pawl_try_, __LINE__), place, target, __VA_ARGS__)
#define PAWL_TRY_ASSIGN_IN_(temporary, place, target, ...)            \
  auto temporary = (__VA_ARGS__);                                     \
  if (!temporary.ok()) return std::move(temporary).error().in(place); \
  target = std::move(temporary).value()

/// The same with a file as the place.
#define TRY_ASSIGN_IN_FILE(path, target, ...) TRY_ASSIGN_IN((path) + ":", target, __VA_ARGS__)

/// Our own invariant. A failure is a bug of pawl, never of the caller.
#define CHECK(condition)                                                    \
  do {                                                                      \
    if (!(condition)) ::pawl::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)
