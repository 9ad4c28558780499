#include "ops/families.h"

namespace pawl::ops {

std::span<const OpDef> sequence_ops() { return {}; }

}  // namespace pawl::ops
