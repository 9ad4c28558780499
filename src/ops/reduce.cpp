#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> reduce_ops() { return {}; }

}  // namespace pawl::ops
