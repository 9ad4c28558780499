#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> logic_ops() { return {}; }

}  // namespace pawl::ops
