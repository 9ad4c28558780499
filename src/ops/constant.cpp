#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> constant_ops() { return {}; }

}  // namespace pawl::ops
