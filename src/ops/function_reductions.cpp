// Reductions, softmax and normalization as compositions of simpler reductions.
#include <fmt/format.h>

#include <numeric>

#include "ops/functions.h"

namespace pawl::ops {
namespace {

/// f(reduce(g(data))), in double and rounded once where g or f leaves the integers.
///   before, after : nodes that make `mapped` of `wide`, and `result` of `sum`
BodyText reduction(const FunctionCall& call, std::string_view name, std::string_view before, std::string_view after) {
  const std::string flags =
      fmt::format("keepdims = {}, noop_with_empty_axes = {}", call.attributes.integer("keepdims", 1),
                  call.attributes.integer("noop_with_empty_axes", 0));
  FunctionText text;
  text.nodes(before);
  text.nodes(fmt::format("sum = ReduceSum <{}> (mapped{})", flags, call.has_input(1) ? ", axes" : ""));
  text.nodes(after);
  return text.function(name, call.has_input(1) ? "data, axes" : "data", "reduced");
}

BodyText expand_l1(const FunctionCall& call) {
  return reduction(call, "ReduceL1", "mapped = Abs(data)", "reduced = Identity(sum)");
}

BodyText expand_sum_square(const FunctionCall& call) {
  return reduction(call, "ReduceSumSquare", "mapped = Mul(data, data)", "reduced = Identity(sum)");
}

BodyText expand_l2(const FunctionCall& call) {
  return reduction(call, "ReduceL2", "wide = Cast <to = 11> (data)  mapped = Mul(wide, wide)",
                   "root = Sqrt(sum)  reduced = CastLike(root, data)");
}

BodyText expand_log_sum(const FunctionCall& call) {
  return reduction(call, "ReduceLogSum", "mapped = Cast <to = 11> (data)",
                   "log = Log(sum)  reduced = CastLike(log, data)");
}

/// Along one axis; the largest element is subtracted first.
FunctionText softmax_text(const FunctionCall& call) {
  return FunctionText()
      .integer("axes", call.attributes.integer("axis", -1))
      .nodes(
          "most = ReduceMax(input, axes)  shifted = Sub(input, most)  power = Exp(shifted)  sum = ReduceSum(power, "
          "axes)");
}

BodyText expand_softmax(const FunctionCall& call) {
  return softmax_text(call).nodes("output = Div(power, sum)").function("Softmax", "input", "output");
}

BodyText expand_log_softmax(const FunctionCall& call) {
  return softmax_text(call)
      .nodes("log = Log(sum)  output = Sub(shifted, log)")
      .function("LogSoftmax", "input", "output");
}

/// All axes from `axis` on; none when that depends on a rank that is not known.
std::optional<std::vector<std::int64_t>> axes_from(const FunctionCall& call) {
  const std::int64_t axis = call.attributes.integer("axis", -1);
  std::int64_t end = 0;
  if (axis >= 0) {
    const Type type = call.known(0).type;
    if (!type.is_tensor() || !type.shape) return std::nullopt;
    end = static_cast<std::int64_t>(type.shape->size());
  }
  constexpr std::int64_t kMaxRank = 1024;
  if (end - axis < 1 || end - axis > kMaxRank) return std::nullopt;
  std::vector<std::int64_t> axes(static_cast<std::size_t>(end - axis));
  std::iota(axes.begin(), axes.end(), axis);
  return axes;
}

BodyText expand_layer_norm(const FunctionCall& call) {
  const auto axes = axes_from(call);
  if (!axes) return std::optional<std::string>();
  FunctionText text;
  text.integers("axes", *axes)
      .nodes(fmt::format("wide = Cast <to = {}> (X)", call.attributes.integer("stash_type", 1)))
      .real_like("epsilon", call.attributes.real("epsilon", 1e-5F), "wide")
      .nodes("Mean = ReduceMean(wide, axes)  centred = Sub(wide, Mean)  square = Mul(centred, centred)")
      .nodes("variance = ReduceMean(square, axes)  raised = Add(variance, epsilon)  deviation = Sqrt(raised)")
      .nodes("InvStdDev = Reciprocal(deviation)  normal = Div(centred, deviation)  narrow = CastLike(normal, X)")
      .nodes(call.has_input(2) ? "scaled = Mul(narrow, Scale)  Y = Add(scaled, B)" : "Y = Mul(narrow, Scale)");
  return text.function("LayerNormalization", call.has_input(2) ? "X, Scale, B" : "X, Scale", "Y, Mean, InvStdDev");
}

BodyText expand_rms_norm(const FunctionCall& call) {
  const auto axes = axes_from(call);
  if (!axes) return std::optional<std::string>();
  return FunctionText()
      .integers("axes", *axes)
      .nodes(fmt::format("wide = Cast <to = {}> (X)", call.attributes.integer("stash_type", 1)))
      .real_like("epsilon", call.attributes.real("epsilon", 1e-5F), "wide")
      .nodes(
          "square = Mul(wide, wide)  mean = ReduceMean(square, axes)  raised = Add(mean, epsilon)  root = Sqrt(raised)")
      .nodes("normal = Div(wide, root)  narrow = CastLike(normal, scale)  Y = Mul(narrow, scale)")
      .function("RMSNormalization", "X, scale", "Y");
}

BodyText expand_mean_variance(const FunctionCall& call) {
  constexpr std::int64_t kDefault[] = {0, 2, 3};
  return FunctionText()
      .integers("axes", call.attributes.has("axes") ? call.attributes.integers("axes")
                                                    : std::span<const std::int64_t>(kDefault))
      .real_like("tiny", 1e-9F, "X")
      .nodes(
          "mean = ReduceMean(X, axes)  centred = Sub(X, mean)  square = Mul(centred, centred)  variance = "
          "ReduceMean(square, axes)")
      .nodes("deviation = Sqrt(variance)  raised = Add(deviation, tiny)  Y = Div(centred, raised)")
      .function("MeanVarianceNormalization", "X", "Y");
}

constexpr FunctionDef kReductions[] = {
    {.name = "LayerNormalization", .since = {17}, .expand = expand_layer_norm},
    {.name = "LogSoftmax", .since = {13}, .expand = expand_log_softmax},
    {.name = "MeanVarianceNormalization", .since = {9, 13}, .expand = expand_mean_variance},
    {.name = "RMSNormalization", .since = {23}, .expand = expand_rms_norm},
    {.name = "ReduceL1", .since = {18}, .expand = expand_l1},
    {.name = "ReduceL2", .since = {18}, .expand = expand_l2},
    {.name = "ReduceLogSum", .since = {18, 28}, .expand = expand_log_sum},
    {.name = "ReduceSumSquare", .since = {18}, .expand = expand_sum_square},
    {.name = "Softmax", .since = {13}, .expand = expand_softmax},
};

}  // namespace

std::span<const FunctionDef> reduction_functions() { return kReductions; }

}  // namespace pawl::ops
