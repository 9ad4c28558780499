// The activation functions that the recurrent operators name in their attributes.
#pragma once

#include "ops/op.h"

namespace pawl::ops {

/// One function with its parameters; `clip` bounds what goes in (no bound below 0).
struct Activation {
  enum class Kind : std::uint8_t {
    relu,
    tanh,
    sigmoid,
    affine,
    leaky_relu,
    thresholded_relu,
    scaled_tanh,
    hard_sigmoid,
    elu,
    softsign,
    softplus
  };
  Kind kind = Kind::tanh;
  double alpha = 0;
  double beta = 0;
  double clip = -1;

  double operator()(double x) const;
};

/// The functions of all directions, one direction after the other; `defaults` are the names for one direction. Values
/// of activation_alpha and activation_beta are used up by the functions that take one, in order. Errors: bad_value.
Result<std::vector<Activation>> read_activations(const Attributes& attributes,
                                                 std::span<const std::string_view> defaults, std::size_t directions);

}  // namespace pawl::ops
