// Functions that apply a graph attribute of the call: FlexAttention and SequenceMap. They have no evaluation of their
// own.
#include <fmt/format.h>

#include "ops/functions.h"

namespace pawl::ops {
namespace {

/// The element type of the softmax and of the two graphs: as asked, else float, or double for double; none while
/// unknown.
std::optional<std::int64_t> softmax_type(const FunctionCall& call) {
  if (call.attributes.has("softmax_precision")) return call.attributes.integer("softmax_precision", 0);
  const Type type = call.known(0).type;
  if (!type.is_tensor() || type.dtype == DType::undefined) return std::nullopt;
  return static_cast<std::int64_t>(type.dtype == DType::f64 ? DType::f64 : DType::f32);
}

/// x with the heads that groups of queries share repeated: [batch, key heads, length, size] to [batch, heads, length,
/// size].
std::string repeat_heads(std::string_view x, std::string_view result) {
  return fmt::format(
      "{0}_single = Unsqueeze({0}, two)  {0}_tail = Shape <start = 2> ({0})  "
      "{0}_many = Concat <axis = 0> (batch, key_heads, group, {0}_tail)  {0}_shape = Concat <axis = 0> (batch, heads, "
      "{0}_tail)  "
      "{0}_spread = Expand({0}_single, {0}_many)  {1} = Reshape <allowzero = 1> ({0}_spread, {0}_shape)",
      x, result);
}

/// prob_mod(softmax(score_mod(scale·Q·Kᵀ)))·V. Q and K are each scaled by the root, as the standard has it.
BodyText expand_flex_attention(const FunctionCall& call) {
  const std::optional<std::int64_t> type = softmax_type(call);
  if (!type) return std::optional<std::string>();
  FunctionText text;
  text.integer("two", 2)
      .nodes(
          "batch = Shape <start = 0, end = 1> (Q)  heads = Shape <start = 1, end = 2> (Q)  key_heads = Shape <start = "
          "1, end = 2> (K)")
      .nodes("group = Div(heads, key_heads)")
      .nodes(repeat_heads("K", "keys"))
      .nodes(repeat_heads("V", "values"));
  if (call.attributes.has("scale"))
    text.real("scale", call.attributes.real("scale", 0));
  else
    text.nodes("width = Shape <start = 3, end = 4> (Q)  size = Squeeze(width)  real_size = Cast <to = 1> (size)")
        .nodes("root_size = Sqrt(real_size)  scale = Reciprocal(root_size)");
  text.nodes("root = Sqrt(scale)  share = CastLike(root, Q)  queries = Mul(Q, share)  scaled_keys = Mul(keys, share)")
      .nodes("columns = Transpose <perm = [0, 1, 3, 2]> (scaled_keys)  products = MatMul(queries, columns)")
      .nodes(fmt::format("scores = Cast <to = {}> (products)", *type))
      .nodes(call.graph("score_mod") != nullptr ? "modified = graph.score_mod(scores)" : "modified = Identity(scores)")
      .nodes("shares = Softmax <axis = -1> (modified)")
      .nodes(call.graph("prob_mod") != nullptr ? "weights = graph.prob_mod(shares)" : "weights = Identity(shares)")
      .nodes("wide = CastLike(values, weights)  sums = MatMul(weights, wide)  Y = CastLike(sums, Q)");
  return text.function("FlexAttention", "Q, K, V", "Y");
}

/// Inputs and outputs by number: "x0, x1, x2".
std::string numbered(std::string_view letter, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{}{}{}", i == 0 ? "" : ", ", letter, i);
  return text;
}

/// A Loop over the first sequence that appends what the body gives for the i-th elements.
BodyText expand_sequence_map(const FunctionCall& call) {
  const GraphSignature* body = call.graph("body");
  if (body == nullptr) return fail(Code::bad_model, "attribute \"body\" is missing");
  const std::size_t inputs = call.inputs.size(), outputs = body->outputs.size();
  if (body->inputs.size() != inputs || call.outputs.size() != outputs) {
    return fail(Code::bad_model, "the body has {} inputs and {} outputs, the node {} and {}", body->inputs.size(),
                outputs, inputs, call.outputs.size());
  }
  FunctionText text;
  text.nodes("count = SequenceLength(x0)  go = Constant <value = bool {1}> ()");
  std::string step = "again_next = Identity(again)\n";
  for (std::size_t i = 0; i < inputs; ++i) {
    const Type type = call.has_input(i) ? call.known(i).type : Type();
    if (!type.known()) return std::optional<std::string>();
    step +=
        type.is_sequence() ? fmt::format("a{0} = SequenceAt(x{0}, i)\n", i) : fmt::format("a{0} = Identity(x{0})\n", i);
  }
  step += fmt::format("{} = graph.body({})\n", numbered("r", outputs), numbered("a", inputs));
  for (std::size_t i = 0; i < outputs; ++i) {
    const Type& type = body->outputs[i];
    if (!type.is_tensor() || type.dtype == DType::undefined)
      return fail(Code::unsupported, "the body does not declare the element type of output {}", i);
    text.nodes(fmt::format("e{} = SequenceEmpty <dtype = {}> ()", i, static_cast<int>(type.dtype)));
    step += fmt::format("n{0} = SequenceInsert(s{0}, r{0})\n", i);
  }
  text.nodes(fmt::format(
      "{} = Loop <body = step (int64 i, bool again, {}) => (again_next, {}) {{\n{}}}> (count, go, {})",
      numbered("y", outputs), numbered("s", outputs), numbered("n", outputs), step, numbered("e", outputs)));
  return text.function("SequenceMap", numbered("x", inputs), numbered("y", outputs));
}

constexpr FunctionDef kGraphs[] = {
    {.name = "FlexAttention", .domain = "ai.onnx.preview", .since = {1}, .expand = expand_flex_attention},
    {.name = "SequenceMap", .since = {17}, .expand = expand_sequence_map, .loops = true},
};

}  // namespace

std::span<const FunctionDef> graph_functions() { return kGraphs; }

}  // namespace pawl::ops
