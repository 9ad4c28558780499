// Prints the shaders of the package ai.onnx.Scan, made from its body as those of any other Scan, as JSON: for
// make_scan_package, which writes the package around them.
//   scan_passes
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/wgsl/chunked_form.h"
#include "base/try.h"
#include "graph/import.h"
#include "onnx/text.h"

namespace {

using namespace pawl;
using nlohmann::ordered_json;
using wgsl::Count;

/// Numbers are added up in float32 or integers of 32 bits, whatever they are stored as.
constexpr const char* kModel = R"(<ir_version: 8, opset_import: ["" : 18]>
g (float[C] s0, float[T,C] x) => (float[C] s, float[T,C] y) {
  s, y = Scan <num_scan_inputs = 1, body = b (float[C] p, float[C] e) => (float[C] q, float[C] o) {
    q = Add(p, e)  o = Identity(q) }> (s0, x) })";

Result<wgsl::LaneLaws> laws() {
  TRY_ASSIGN(const onnx::Model model, onnx::parse_text(kModel));
  TRY_ASSIGN(const graph::Imported imported, graph::import(model, nullptr));
  const auto& scan = std::get<graph::ScanOp>(imported.graph->nodes.back().operation);
  const ops::Fact lanes{Type::tensor(DType::f32, SymbolicShape{Dim(7)}), std::nullopt};
  TRY_ASSIGN(const scan::ChunkLawsResult made, scan::chunk_laws(scan, {lanes, lanes}, {}, false));
  if (!made.laws) return fail(Code::internal, "{}", made.refusal);
  return wgsl::lane_laws(*made.laws, {true, true});
}

/// In reverse, time goes from the last row to the first.
wgsl::PlacedBuffer placed(wgsl::PassBuffer::Kind kind, const char* name, bool in_time) {
  // As float16, so that every load and store says a type.
  wgsl::PlacedBuffer made{{kind, name, DType::f16, {}}, {0, 0, {1}}};
  if (!in_time) return made;
  const Count steps = Count::named("steps"), lanes = Count::named("lanes"), reverse = Count::named("reverse");
  made.place.first = (steps - 1) * lanes * reverse;
  made.place.step = lanes - lanes * 2 * reverse;
  return made;
}

ordered_json json_of(const wgsl::Passes& passes) {
  ordered_json made;
  for (const auto& [name, count] : passes.derived)
    if (name != "steps" && name != "lanes") made["derive"][name] = expression(count);
  for (const wgsl::PassBuffer& each : passes.buffers) {
    ordered_json buffer{{"name", each.name}, {"scratch", each.kind == wgsl::PassBuffer::Kind::scratch}};
    std::string shape;
    for (const Count& extent : each.shape) shape += (shape.empty() ? "" : ", ") + expression(extent);
    buffer["shape"] = "[" + shape + "]";
    made["buffers"].push_back(buffer);
  }
  for (const wgsl::Pass& each : passes.passes) {
    ordered_json pass{{"id", each.id}, {"text", each.text}, {"workgroups", expression(each.workgroups)}};
    for (std::size_t i = 0; i < each.buffers.size(); ++i)
      pass["buffers"].push_back({{"at", each.buffers[i]}, {"writes", static_cast<bool>(each.writes[i])}});
    for (const auto& [name, count] : each.params) pass["params"][name] = expression(count);
    made["passes"].push_back(pass);
  }
  return made;
}

Result<ordered_json> all() {
  TRY_ASSIGN(const wgsl::LaneLaws made, laws());
  wgsl::Target target;
  target.f16 = true;
  ordered_json variants;
  for (const bool staged : {true, false}) {
    for (const bool alone : {false, true}) {
      using Kind = wgsl::PassBuffer::Kind;
      wgsl::ChunkedScanCall call;
      call.alone = alone;
      call.staged = staged;
      // A sum that overflows in another order than that of the rows is infinite: the contract is of additions.
      call.again = false;
      call.bits = true;
      call.steps = Count::named("steps");
      call.lanes = Count::named("lanes");
      call.inputs = {placed(Kind::input, "scan_input", true)};
      call.initial = {placed(Kind::input, "initial_state", false)};
      call.finals = {placed(Kind::output, "final_state", false)};
      call.outputs = {placed(Kind::output, "scan_output", true)};
      TRY_ASSIGN(const wgsl::Passes passes, wgsl::chunked_scan(made, call, target));
      variants[fmt::format("{}-{}", staged ? "rows" : "columns", alone ? "tile" : "tiles")] = json_of(passes);
    }
  }
  return variants;
}

}  // namespace

int main() {
  const auto made = all();
  if (!made.ok()) {
    fmt::print(stderr, "{}\n", made.error().to_string());
    return 1;
  }
  fmt::print("{}\n", made->dump(2));
  return 0;
}
