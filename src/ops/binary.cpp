#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> binary_ops() { return {}; }

}  // namespace pawl::ops
