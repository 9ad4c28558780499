#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> unary_ops() { return {}; }

}  // namespace pawl::ops
