// Parts of one piece of work, side by side on the threads that this process keeps for that.
#pragma once

#include <type_traits>

#include "base/try.h"

namespace pawl::cpu {

/// What the parts of a piece of work do: refers to something that is called with the number of a part, from several
/// threads at once, and that outlives the call it is passed to.
class PartWork {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<F>, PartWork>>>
  PartWork(const F& work)  // NOLINT(google-explicit-constructor): a lambda is passed as it is
      : work_(&work),
        call_([](const void* self, int part) -> Result<void> { return (*static_cast<const F*>(self))(part); }) {}

  /// What is thrown becomes an error, as at the edge of the public API.
  [[nodiscard]] Result<void> operator()(int part) const;

 private:
  const void* work_;
  Result<void> (*call_)(const void*, int);
};

/// Cores that this process may use: as many as its affinity and its control group's quota allow; 1 or more.
int usable_cores();

/// Does parts 0 to parts - 1, each once, on at most usable_cores() threads, the calling one among them. Whoever finds
/// the threads busy (another caller, or a part of this one) does all parts itself, in order.
///   returns : when all parts are done; the error of the first part that has one
Result<void> run_parts(int parts, PartWork work);

/// The same with each part on a thread of its own, so that parts may wait for each other; false, and nothing was done,
/// when there are not that many threads now. A part must not fail before the others have stopped waiting for it.
Result<bool> run_together(int parts, PartWork work);

}  // namespace pawl::cpu
