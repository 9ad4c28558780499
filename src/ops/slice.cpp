#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> slice_ops() { return {}; }

}  // namespace pawl::ops
