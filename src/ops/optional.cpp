#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> optional_ops() { return {}; }

}  // namespace pawl::ops
