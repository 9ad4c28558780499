// The pool that allocate_bytes takes from.
#pragma once

#include "tensor/memory.h"

namespace pawl {

/// Of this thread; may be null. The operators do not know which run they are part of.
MemoryPool*& pool_in_use();

}  // namespace pawl
