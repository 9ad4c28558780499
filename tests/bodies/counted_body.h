// Random models of one Loop whose number of steps is known, from a seed.
#pragma once

#include "random_body.h"

namespace pawl::tests {

/// The number of steps in many spellings; reads at a * t + b in many spellings, some out of range; sequences, tensors
/// that grow and buffers that are scattered into, some of which the body reads. Of 64-bit integers, which wrap.
RandomModel counted_model(std::uint32_t seed);

}  // namespace pawl::tests
