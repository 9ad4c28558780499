#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> gather_ops() { return {}; }

}  // namespace pawl::ops
