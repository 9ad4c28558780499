// Scans cut into chunks that run side by side, as passes of a draft.
#pragma once

#include "package/lower_loop.h"

namespace pawl::package {

/// Adds the passes, and the conditions under which they are worth it; or why there are none, in words.
Result<std::string> lower_in_chunks(const LoopCall& call, Chunks chunks, DraftBuilder& to);

}  // namespace pawl::package
