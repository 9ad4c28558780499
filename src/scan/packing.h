// States that are several things side by side: which pieces a body takes them apart into, and puts together again.
#pragma once

#include "scan/packed_body.h"

namespace pawl::scan {

/// By body value: how it is taken apart; nothing where it stays whole.
using Packing = std::vector<std::optional<Packed>>;

/// All states that can be taken apart with a gain, and what goes between them.
Packing find_packing(PackedBody& body);

}  // namespace pawl::scan
