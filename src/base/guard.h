// The edge of the public API: whatever is thrown inside becomes an Error.
#pragma once

#include <new>

#include "base/try.h"

namespace pawl {

/// Runs f, which returns a Result. InternalError and other exceptions of ours become Code::internal, bad_alloc
/// Code::limit.
template <class F>
auto guard(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return fail(Code::limit, "out of memory");
  } catch (const std::exception& exception) {
    return fail(Code::internal, "{}", exception.what());
  }
}

}  // namespace pawl
