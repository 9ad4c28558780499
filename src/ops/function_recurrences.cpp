// Functions whose body walks along an axis: CumSum, CumProd and LinearAttention as Scans, CausalConvWithState as a
// Conv.
#include <fmt/format.h>

#include "ops/functions.h"

namespace pawl::ops {
namespace {

/// The value of a given input of one integer, where it is known.
std::optional<std::int64_t> known_integer(const FunctionCall& call, std::size_t i) {
  const Fact fact = call.known(i);
  const Tensor* tensor = fact.tensor();
  if (tensor == nullptr || tensor->size() != 1) return std::nullopt;
  const Result<Tensor> dense = tensor->to_dense();
  if (!dense.ok()) return std::nullopt;
  if (dense->dtype() == DType::i64) return dense->data<std::int64_t>()[0];
  if (dense->dtype() == DType::i32) return dense->data<std::int32_t>()[0];
  return std::nullopt;
}

/// The shape of one slice of x across `axis`.
std::string slice_shape(std::int64_t axis) {
  std::string text = fmt::format("before = Shape <end = {}> (x)\n", axis);
  if (axis == -1) return text + "slice = Identity(before)";
  return text + fmt::format("after = Shape <start = {}> (x)  slice = Concat <axis = 0> (before, after)", axis + 1);
}

/// A Scan along the axis whose state is what has been folded so far.
BodyText cumulative(const FunctionCall& call, std::string_view name, std::string_view fold, float identity) {
  const std::optional<std::int64_t> axis = known_integer(call, 1);
  constexpr std::int64_t kMaxRank = 1024;
  if (!axis || *axis < -kMaxRank || *axis >= kMaxRank) return std::optional<std::string>();
  const bool exclusive = call.attributes.integer("exclusive", 0) != 0;
  const int reverse = call.attributes.integer("reverse", 0) != 0 ? 1 : 0;
  return FunctionText()
      .nodes(slice_shape(*axis))
      .real_like("identity", identity, "x")
      .nodes("start = Expand(identity, slice)")
      .nodes(fmt::format("final, y = Scan <num_scan_inputs = 1, scan_input_axes = [{0}], scan_output_axes = [{0}], "
                         "scan_input_directions = [{1}], scan_output_directions = [{1}], "
                         "body = step (state, element) => (next, result) {{ next = {2}(state, element)  result = "
                         "Identity({3}) }}> (start, x)",
                         *axis, reverse, fold, exclusive ? "state" : "next"))
      .function(name, "x, axis", "y");
}

BodyText expand_cumsum(const FunctionCall& call) { return cumulative(call, "CumSum", "Add", 0); }
BodyText expand_cumprod(const FunctionCall& call) { return cumulative(call, "CumProd", "Mul", 1); }

/// What a LinearAttention call asks for, checked.
struct Mixer {
  std::int64_t queries = 0;  ///< heads
  std::int64_t keys = 0;     ///< heads
  bool decays = false;
  bool corrects = false;
};

enum Input : std::size_t { kQuery, kKey, kValue, kState, kDecay, kBeta };

Result<Mixer> read_mixer(const FunctionCall& call) {
  Mixer mixer;
  mixer.queries = call.attributes.integer("q_num_heads", 0);
  mixer.keys = call.attributes.integer("kv_num_heads", 0);
  if (mixer.queries < 1 || mixer.keys < 1)
    return fail(Code::bad_value, "q_num_heads is {} and kv_num_heads {}; 1 is the least allowed", mixer.queries,
                mixer.keys);
  if (mixer.queries % mixer.keys != 0)
    return fail(Code::bad_shape, "{} query heads cannot share {} key heads", mixer.queries, mixer.keys);
  const std::string rule = call.attributes.text("update_rule", "gated_delta");
  mixer.decays = rule == "gated" || rule == "gated_delta";
  mixer.corrects = rule == "delta" || rule == "gated_delta";
  if (rule != "linear" && !mixer.decays && !mixer.corrects)
    return fail(Code::bad_value, "update_rule is \"{}\"; linear, gated, delta and gated_delta are allowed", rule);
  if (mixer.decays && !call.has_input(kDecay))
    return fail(Code::bad_value, "decay is missing, which the update rule needs");
  if (mixer.corrects && !call.has_input(kBeta))
    return fail(Code::bad_value, "beta is missing, which the update rule needs");
  return mixer;
}

/// One step, state [batch, heads, key, value]:
///   S = exp(decay)·S;  S += k·(beta·(v - kᵀS))ᵀ;  y = scale·qᵀS
std::string mixer_step(const Mixer& mixer) {
  std::string nodes =
      "q = Cast <to = 1> (q_t)  k = Cast <to = 1> (k_t)  v = Cast <to = 1> (v_t)  column = Unsqueeze(k, last)\n";
  if (mixer.decays) {
    nodes +=
        "logarithm = Cast <to = 1> (decay_t)  power = Exp(logarithm)  factor = Unsqueeze(power, last)  kept = "
        "Mul(state, factor)\n";
  } else {
    nodes += "kept = Identity(state)\n";
  }
  if (mixer.corrects) {
    nodes +=
        "rate = Cast <to = 1> (beta_t)  turned = Transpose <perm = [0, 1, 3, 2]> (kept)  found = MatMul(turned, "
        "column)\n"
        "flat = Squeeze(found, last)  missing = Sub(v, flat)  change = Mul(rate, missing)  row = Unsqueeze(change, "
        "second)\n";
  } else {
    nodes += "row = Unsqueeze(v, second)\n";
  }
  nodes += "outer = MatMul(column, row)  next = Add(kept, outer)\n";
  if (mixer.queries != mixer.keys)
    nodes += "single = Unsqueeze(next, two)  many = Expand(single, shared_shape)  read = Reshape(many, read_shape)\n";
  else
    nodes += "read = Identity(next)\n";
  nodes +=
      "question = Unsqueeze(q, second)  answer = MatMul(question, read)  narrow = Squeeze(answer, second)\n"
      "scaled = Mul(scale, narrow)  y_t = CastLike(scaled, q_t)";
  return nodes;
}

BodyText expand_linear_attention(const FunctionCall& call) {
  TRY_ASSIGN(const Mixer mixer, read_mixer(call));
  FunctionText text;
  text.integer("last", -1).integer("second", -2).integer("two", 2);
  text.integer("query_heads", mixer.queries).integer("key_heads", mixer.keys);
  text.nodes("batch = Shape <start = 0, end = 1> (query)  steps = Shape <start = 1, end = 2> (query)");
  // Time goes to the front: the Scan walks along axis 0.
  const auto split = [&](std::string_view name, std::string_view heads) {
    text.nodes(fmt::format("{0}_width = Shape <start = 2, end = 3> ({0})  {0}_size = Div({0}_width, {1})", name, heads))
        .nodes(fmt::format("{0}_shape = Concat <axis = 0> (batch, steps, {1}, {0}_size)", name, heads))
        .nodes(fmt::format("{0}_split = Reshape <allowzero = 1> ({0}, {0}_shape)  {0}_steps = Transpose <perm = [1, 0, "
                           "2, 3]> ({0}_split)",
                           name));
  };
  split("query", "query_heads");
  split("key", "key_heads");
  split("value", "key_heads");
  std::string elements = "query_steps, key_steps, value_steps", formal = "q_t, k_t, v_t";
  if (mixer.decays) {
    split("decay", "key_heads");
    elements += ", decay_steps";
    formal += ", decay_t";
  }
  if (mixer.corrects) {
    // One number for each head, or one for all of them.
    text.nodes("beta_heads = Shape <start = 2, end = 3> (beta)");
    split("beta", "beta_heads");
    elements += ", beta_steps";
    formal += ", beta_t";
  }
  if (mixer.queries != mixer.keys)
    text.integer("group", mixer.queries / mixer.keys)
        .nodes("shared_shape = Concat <axis = 0> (batch, key_heads, group, key_size, value_size)")
        .nodes("read_shape = Concat <axis = 0> (batch, query_heads, key_size, value_size)");
  if (call.has_input(kState))
    text.nodes("start = Cast <to = 1> (past_state)");
  else
    text.nodes(
        "state_shape = Concat <axis = 0> (batch, key_heads, key_size, value_size)  start = "
        "ConstantOfShape(state_shape)");
  if (const float scale = call.attributes.real("scale", 0); scale != 0)
    text.real("scale", scale);
  else
    text.nodes(
        "size = Squeeze(key_size)  real_size = Cast <to = 1> (size)  root = Sqrt(real_size)  scale = Reciprocal(root)");
  const int count = 3 + (mixer.decays ? 1 : 0) + (mixer.corrects ? 1 : 0);
  text
      .nodes(fmt::format(
          "final, outputs = Scan <num_scan_inputs = {}, body = step (state, {}) => (next, y_t) {{\n{}\n}}> (start, {})",
          count, formal, mixer_step(mixer), elements))
      .nodes("rows = Transpose <perm = [1, 0, 2, 3]> (outputs)  width = Mul(query_heads, value_size)")
      .nodes(
          "output_shape = Concat <axis = 0> (batch, steps, width)  output = Reshape <allowzero = 1> (rows, "
          "output_shape)")
      .nodes(fmt::format("present_state = CastLike(final, {})", call.has_input(kState) ? "past_state" : "query"));
  return text.function("LinearAttention", "query, key, value, past_state, decay, beta", "output, present_state");
}

/// The past and the input end to end, each channel with its own kernel; none where the channels are not known.
BodyText expand_causal_conv(const FunctionCall& call) {
  const Type weight = call.known(1).type;
  if (!weight.is_tensor() || !weight.shape || weight.shape->size() != 3 || !(*weight.shape)[0].known() ||
      !(*weight.shape)[2].known())
    return std::optional<std::string>();
  const std::int64_t channels = (*weight.shape)[0].value, taps = (*weight.shape)[2].value;
  if (channels < 1 || taps < 1) return std::optional<std::string>();
  const std::string activation = call.attributes.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return fail(Code::bad_value, "activation is \"{}\"; none, silu and swish are allowed", activation);
  FunctionText text;
  text.integer("past_size", taps - 1).integer("two", 2);
  if (call.has_input(3))
    text.nodes("before = Identity(past_state)");
  else
    text.nodes("rows = Shape <start = 0, end = 2> (input)  state_shape = Concat <axis = 0> (rows, past_size)")
        .real_like("nothing", 0, "input")
        .nodes("before = Expand(nothing, state_shape)");
  text.nodes("all = Concat <axis = 2> (before, input)")
      .nodes(fmt::format("sums = Conv <group = {}> (all, weight{})", channels, call.has_input(2) ? ", bias" : ""))
      .nodes(activation == "none" ? "output = Identity(sums)" : "output = Swish(sums)")
      .nodes(
          "length = Shape <start = 2, end = 3> (all)  first = Sub(length, past_size)  present_state = Slice(all, "
          "first, length, two)");
  return text.function("CausalConvWithState", "input, weight, bias, past_state", "output, present_state");
}

constexpr FunctionDef kRecurrences[] = {
    {.name = "CausalConvWithState", .since = {27}, .expand = expand_causal_conv},
    {.name = "CumProd", .since = {26}, .expand = expand_cumprod, .loops = true},
    {.name = "CumSum", .since = {11, 14}, .expand = expand_cumsum, .loops = true},
    {.name = "LinearAttention", .since = {27}, .expand = expand_linear_attention, .loops = true},
};

}  // namespace

std::span<const FunctionDef> recurrence_functions() { return kRecurrences; }

}  // namespace pawl::ops
