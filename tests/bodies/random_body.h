// Random well-typed models around a Scan, from a seed.
#pragma once

#include <cstdint>
#include <vector>

#include "onnx/model.h"
#include "pawl/tensor.h"

namespace pawl::tests {

struct RandomModel {
  onnx::Model model;
  std::vector<Value> inputs;
};

/// One Scan with up to three states, elements and outputs, cut and put together along any axis in any direction; a body
/// of 10 to 40 nodes with captures, nested loops and branches.
///   with_floats : otherwise integers and booleans only, for which every order of adding gives the same
RandomModel random_model(std::uint32_t seed, bool with_floats);

}  // namespace pawl::tests
