#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> shape_ops() { return {}; }

}  // namespace pawl::ops
