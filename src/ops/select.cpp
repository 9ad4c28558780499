#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> select_ops() { return {}; }

}  // namespace pawl::ops
