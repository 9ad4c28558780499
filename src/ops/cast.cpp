#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> cast_ops() { return {}; }

}  // namespace pawl::ops
