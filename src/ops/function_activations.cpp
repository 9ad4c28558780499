// Elementwise functions: activations, and comparisons that are two others joined.
#include "ops/functions.h"

namespace pawl::ops {
namespace {

BodyText expand_celu(const FunctionCall& call) {
  return FunctionText()
      .real_like("alpha", call.attributes.real("alpha", 1.0F), "X")
      .real_like("zero", 0, "X")
      .real_like("one", 1, "X")
      .nodes("scaled = Div(X, alpha)  power = Exp(scaled)  less = Sub(power, one)  low = Mul(alpha, less)")
      .nodes("negative = Min(low, zero)  positive = Max(X, zero)  Y = Add(positive, negative)")
      .function("Celu", "X", "Y");
}

BodyText expand_elu(const FunctionCall& call) {
  return FunctionText()
      .real_like("alpha", call.attributes.real("alpha", 1.0F), "X")
      .real_like("zero", 0, "X")
      .real_like("one", 1, "X")
      .nodes("power = Exp(X)  less = Sub(power, one)  low = Mul(alpha, less)")
      .nodes("negative = Less(X, zero)  Y = Where(negative, low, X)")
      .function("Elu", "X", "Y");
}

BodyText expand_selu(const FunctionCall& call) {
  return FunctionText()
      .real_like("alpha", call.attributes.real("alpha", 1.67326319217681884765625F), "X")
      .real_like("gamma", call.attributes.real("gamma", 1.05070102214813232421875F), "X")
      .real_like("zero", 0, "X")
      .real_like("one", 1, "X")
      .nodes("power = Exp(X)  less = Sub(power, one)  low = Mul(alpha, less)")
      .nodes("positive = Greater(X, zero)  bent = Where(positive, X, low)  Y = Mul(gamma, bent)")
      .function("Selu", "X", "Y");
}

BodyText expand_leaky_relu(const FunctionCall& call) {
  return FunctionText()
      .real_like("alpha", call.attributes.real("alpha", 0.01F), "X")
      .real_like("zero", 0, "X")
      .nodes("low = Mul(alpha, X)  negative = Less(X, zero)  Y = Where(negative, low, X)")
      .function("LeakyRelu", "X", "Y");
}

BodyText expand_thresholded_relu(const FunctionCall& call) {
  return FunctionText()
      .real_like("alpha", call.attributes.real("alpha", 1.0F), "X")
      .real_like("zero", 0, "X")
      .nodes("above = Greater(X, alpha)  Y = Where(above, X, zero)")
      .function("ThresholdedRelu", "X", "Y");
}

BodyText expand_relu(const FunctionCall&) {
  return FunctionText().real_like("zero", 0, "X").nodes("Y = Max(X, zero)").function("Relu", "X", "Y");
}

BodyText expand_prelu(const FunctionCall&) {
  return FunctionText()
      .real_like("zero", 0, "X")
      .nodes("low = Mul(slope, X)  negative = Less(X, zero)  Y = Where(negative, low, X)")
      .function("PRelu", "X, slope", "Y");
}

BodyText expand_hard_sigmoid(const FunctionCall& call) {
  return FunctionText()
      .real_like("alpha", call.attributes.real("alpha", 0.2F), "X")
      .real_like("beta", call.attributes.real("beta", 0.5F), "X")
      .real_like("zero", 0, "X")
      .real_like("one", 1, "X")
      .nodes("scaled = Mul(alpha, X)  line = Add(scaled, beta)  low = Min(line, one)  Y = Max(low, zero)")
      .function("HardSigmoid", "X", "Y");
}

BodyText expand_hard_swish(const FunctionCall&) {
  return FunctionText()
      .real_like("six", 6, "X")
      .real_like("half", 0.5F, "X")
      .real_like("zero", 0, "X")
      .real_like("one", 1, "X")
      .nodes(
          "scaled = Div(X, six)  line = Add(scaled, half)  low = Min(line, one)  gate = Max(low, zero)  Y = Mul(X, "
          "gate)")
      .function("HardSwish", "X", "Y");
}

BodyText expand_swish(const FunctionCall& call) {
  return FunctionText()
      .real_like("alpha", call.attributes.real("alpha", 1.0F), "X")
      .nodes("scaled = Mul(alpha, X)  gate = Sigmoid(scaled)  Y = Mul(X, gate)")
      .function("Swish", "X", "Y");
}

BodyText expand_swiglu(const FunctionCall& call) {
  return FunctionText()
      .real_like("alpha", call.attributes.real("alpha", 1.0F), "A")
      .nodes("scaled = Mul(alpha, A)  gate = Sigmoid(scaled)  swish = Mul(A, gate)  Y = Mul(swish, B)")
      .function("SwiGLU", "A, B", "Y");
}

BodyText expand_softplus(const FunctionCall&) {
  return FunctionText()
      .real_like("zero", 0, "X")
      .real_like("one", 1, "X")
      .nodes("size = Abs(X)  minus = Neg(size)  power = Exp(minus)  sum = Add(power, one)  rest = Log(sum)")
      .nodes("positive = Max(X, zero)  Y = Add(positive, rest)")
      .function("Softplus", "X", "Y");
}

BodyText expand_mish(const FunctionCall&) {
  return FunctionText().nodes("soft = Softplus(X)  gate = Tanh(soft)  Y = Mul(X, gate)").function("Mish", "X", "Y");
}

BodyText expand_softsign(const FunctionCall&) {
  return FunctionText()
      .real_like("one", 1, "X")
      .nodes("size = Abs(X)  sum = Add(one, size)  Y = Div(X, sum)")
      .function("Softsign", "X", "Y");
}

BodyText expand_gelu(const FunctionCall& call) {
  const std::string approximate = call.attributes.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    return fail(Code::bad_value, "approximate \"{}\" is neither none nor tanh", approximate);
  FunctionText text;
  text.real_like("half", 0.5F, "X").real_like("one", 1, "X").real_like("two", 2, "X");
  if (approximate == "tanh") {
    // sqrt(2 / pi) in the precision of X: pi is 4 atan(1).
    text.real_like("cubic", 0.044715F, "X")
        .nodes("quarter = Atan(one)  half_pi = Mul(quarter, two)  turn = Reciprocal(half_pi)  root = Sqrt(turn)")
        .nodes("square = Mul(X, X)  cube = Mul(square, X)  bend = Mul(cubic, cube)  inner = Add(X, bend)")
        .nodes("argument = Mul(root, inner)  gate = Tanh(argument)");
  } else {
    text.nodes("root = Sqrt(two)  argument = Div(X, root)  gate = Erf(argument)");
  }
  return text.nodes("share = Add(one, gate)  part = Mul(half, X)  Y = Mul(part, share)").function("Gelu", "X", "Y");
}

BodyText expand_greater_or_equal(const FunctionCall&) {
  return FunctionText()
      .nodes("more = Greater(A, B)  same = Equal(A, B)  C = Or(more, same)")
      .function("GreaterOrEqual", "A, B", "C");
}

BodyText expand_less_or_equal(const FunctionCall&) {
  return FunctionText()
      .nodes("less = Less(A, B)  same = Equal(A, B)  C = Or(less, same)")
      .function("LessOrEqual", "A, B", "C");
}

constexpr FunctionDef kActivations[] = {
    {.name = "Celu", .since = {12, 28}, .expand = expand_celu},
    {.name = "Elu", .since = {6, 22}, .expand = expand_elu},
    {.name = "Gelu", .since = {20}, .expand = expand_gelu},
    {.name = "GreaterOrEqual", .since = {12, 16}, .expand = expand_greater_or_equal},
    {.name = "HardSigmoid", .since = {6, 22}, .expand = expand_hard_sigmoid},
    {.name = "HardSwish", .since = {14, 22}, .expand = expand_hard_swish},
    {.name = "LeakyRelu", .since = {6, 16}, .expand = expand_leaky_relu},
    {.name = "LessOrEqual", .since = {12, 16}, .expand = expand_less_or_equal},
    {.name = "Mish", .since = {18, 22}, .expand = expand_mish},
    {.name = "PRelu", .since = {7, 9, 16}, .expand = expand_prelu},
    {.name = "Relu", .since = {6, 13, 14}, .expand = expand_relu},
    {.name = "Selu", .since = {6, 22}, .expand = expand_selu},
    {.name = "Softplus", .since = {1, 22}, .expand = expand_softplus},
    {.name = "Softsign", .since = {1, 22}, .expand = expand_softsign},
    {.name = "SwiGLU", .since = {28}, .expand = expand_swiglu},
    {.name = "Swish", .since = {24}, .expand = expand_swish},
    {.name = "ThresholdedRelu", .since = {10, 22}, .expand = expand_thresholded_relu},
};

}  // namespace

std::span<const FunctionDef> activation_functions() { return kActivations; }

}  // namespace pawl::ops
