#include "cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "graph/import.h"
#include "onnx/text.h"

namespace pawl::bench {

const std::vector<Recurrence>& recurrences() {
  static const std::vector<Recurrence> kAll = {
      {"sum", 1, "q = Add(p, e)", -1, 1, 0, 0, [](double s, double a, double) { return s + a; }},
      {"max", 1, "q = Max(p, e)", -1, 1, 0, 0, [](double s, double a, double) { return std::max(s, a); }},
      {"affine", 2, "k = Mul(p, e)  q = Add(k, f)", 0.5, 1, -1, 1,
       [](double s, double a, double b) { return s * a + b; }},
      {"average", 1, "k = Mul(p, decay)  q = Add(k, e)", -1, 1, 0, 0,
       [](double s, double a, double) { return s * 0.9375 + a; }},
      {"max-plus", 2, "k = Add(p, e)  q = Max(k, f)", -1, 0.5, -1, 1,
       [](double s, double a, double b) { return std::max(s + a, b); }},
      {"clamp-add", 1, "k = Add(p, e)  q = Clip(k, low, high)", -1, 1, 0, 0,
       [](double s, double a, double) { return std::min(std::max(s + a, -4.0), 4.0); }},
      {"log-sum-exp", 1, "a = Exp(p)  c = Exp(e)  d = Add(a, c)  q = Log(d)", -1, 1, 0, 0,
       [](double s, double a, double) { return std::max(s, a) + std::log1p(std::exp(-std::abs(s - a))); }},
      {"gated", 2, "z = Sigmoid(e)  n = Sub(one, z)  h = Tanh(f)  k = Mul(n, p)  l = Mul(z, h)  q = Add(k, l)", -2, 2,
       -2, 2,
       [](double s, double a, double b) {
         const double z = 1 / (1 + std::exp(-a));
         return (1 - z) * s + z * std::tanh(b);
       }},
  };
  return kAll;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> kAll = {
      {"sum", 65536, 1024},       {"sum", 1024, 65536},      {"sum", 1048576, 64},         {"sum", 2097152, 32},
      {"sum", 65536, 255},        {"sum", 16777216, 1},      {"sum", 4096, 1024},          {"sum", 1048576, 1},
      {"sum", 100000, 16},        {"sum", 16384, 33},        {"sum", 4096, 256},           {"max", 16384, 1024},
      {"max", 4194304, 1},        {"affine", 16384, 1024},   {"affine", 262144, 33},       {"affine", 4194304, 1},
      {"average", 16384, 1024},   {"average", 4194304, 1},   {"max-plus", 16384, 1024},    {"max-plus", 4194304, 1},
      {"clamp-add", 16384, 1024}, {"clamp-add", 4194304, 1}, {"log-sum-exp", 16384, 1024}, {"log-sum-exp", 4194304, 1},
      {"gated", 16384, 1024},     {"gated", 262144, 33},
  };
  return kAll;
}

Result<wgsl::LaneLaws> laws_of(const Recurrence& recurrence, std::int64_t lanes) {
  const std::string text = fmt::format(
      "<ir_version: 8, opset_import: [\"\" : 18]>\n"
      "g (float[{0}] s0, float[T,{0}] x{1}) => (float[{0}] s, float[T,{0}] y)\n"
      "  <float decay = {{0.9375}}, float low = {{-4.0}}, float high = {{4.0}}, float one = {{1.0}}> {{\n"
      "  s, y = Scan <num_scan_inputs = {2}, body = b (float[{0}] p, float[{0}] e{3}) => (float[{0}] q, float[{0}] o) "
      "{{\n"
      "    {4}  o = Identity(q) }}> (s0, x{5}) }}",
      lanes, recurrence.elements == 2 ? fmt::format(", float[T,{}] w", lanes) : "", recurrence.elements,
      recurrence.elements == 2 ? fmt::format(", float[{}] f", lanes) : "", recurrence.body,
      recurrence.elements == 2 ? ", w" : "");
  TRY_ASSIGN(const onnx::Model model, onnx::parse_text(text));
  TRY_ASSIGN(const graph::Imported imported, graph::import(model, nullptr));
  const graph::ScanOp* scan = nullptr;
  for (const graph::Node& node : imported.graph->nodes)
    if (const auto* found = std::get_if<graph::ScanOp>(&node.operation)) scan = found;
  const ops::Fact lane{Type::tensor(DType::f32, SymbolicShape{Dim(lanes)}), std::nullopt};
  const std::vector<ops::Fact> inputs(static_cast<std::size_t>(1 + recurrence.elements), lane);
  std::vector<ops::Fact> captured;
  for (const graph::ValueId id : scan->body.graph->captured) captured.push_back((*scan->body.graph)[id].fact);
  TRY_ASSIGN(const scan::ChunkLawsResult laws, scan::chunk_laws(*scan, inputs, captured, false));
  if (!laws.laws) return fail(Code::unsupported, "{}", laws.refusal);
  return wgsl::lane_laws(*laws.laws, std::vector<bool>(2, true));
}

std::vector<float> numbers(std::int64_t count, double low, double high, std::uint32_t seed) {
  std::vector<float> made(static_cast<std::size_t>(count));
  std::uint64_t state = seed * 2 + 1;
  for (float& each : made) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    each = static_cast<float>(low + (high - low) * static_cast<double>(state >> 40) * 0x1p-24);
  }
  return made;
}

std::vector<float> expected(const Recurrence& recurrence, const Case& of, const std::vector<float>& initial,
                            const std::vector<std::vector<float>>& elements) {
  std::vector<double> states(initial.begin(), initial.end());
  std::vector<float> made(elements[0].size());
  const std::vector<float>& second = elements.back();
  for (std::int64_t t = 0; t < of.steps; ++t)
    for (std::int64_t c = 0; c < of.lanes; ++c) {
      const auto at = static_cast<std::size_t>(t * of.lanes + c);
      double& state = states[static_cast<std::size_t>(c)];
      state = recurrence.step(state, elements[0][at], second[at]);
      made[at] = static_cast<float>(state);
    }
  return made;
}

}  // namespace pawl::bench
