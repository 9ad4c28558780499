// A value in a line of words.
#pragma once

#include <string>

#include "pawl/tensor.h"

namespace pawl::cli {

/// "float[2,3]  min 0  max 5  mean 2.5  [0, 1, 2, 3, 4, 5]": type and real shape, range and mean of the finite numbers,
/// how many are NaN or infinite, and the first elements in row-major order. Sequences: their items' types.
std::string summary(const Value& value);

}  // namespace pawl::cli
