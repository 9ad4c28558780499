#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> conv_ops() { return {}; }

}  // namespace pawl::ops
