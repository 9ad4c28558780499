// Scans cut into chunks for devices: that tiles cover all steps and lanes, and what is refused. What the shaders
// compute is tested where there is a device (tests/shader_chunks.cpp).
#include <gtest/gtest.h>

#include "backend/wgsl/chunked_form.h"
#include "graph/import.h"
#include "onnx/text.h"

namespace pawl::wgsl {
namespace {

constexpr const char* kHead = "<ir_version: 8, opset_import: [\"\" : 18]>\n";

/// The laws of the only Scan of a model, whose extents are numbers.
Result<LaneLaws> laws_of(const std::string& text) {
  const Result<onnx::Model> model = onnx::parse_text(kHead + text);
  if (!model.ok()) return model.error();
  const Result<graph::Imported> imported = graph::import(*model, nullptr);
  if (!imported.ok()) return imported.error();
  const auto& scan = std::get<graph::ScanOp>(imported->graph->nodes.back().operation);
  const graph::Graph& body = *scan.body.graph;
  std::vector<ops::Fact> inputs;
  for (const graph::ValueId id : body.inputs) inputs.push_back(body[id].fact);
  const Result<scan::ChunkLawsResult> laws = scan::chunk_laws(scan, inputs, {}, false);
  if (!laws.ok()) return laws.error();
  if (!laws->laws) return fail(Code::unsupported, "{}", laws->refusal);
  return lane_laws(*laws->laws, std::vector<bool>(body.outputs.size(), true));
}

std::string sum_of(const std::string& type, std::int64_t lanes) {
  const std::string lane = type + "[" + std::to_string(lanes) + "]";
  const std::string rows = type + "[T," + std::to_string(lanes) + "]";
  return "g (" + lane + " s0, " + rows + " x) => (" + lane + " s, " + rows +
         " y) { s, y = Scan <num_scan_inputs = 1, " + "body = b (" + lane + " p, " + lane + " e) => (" + lane + " q, " +
         lane + " o) { q = Add(p, e)  o = Identity(q) }> (s0, x) }";
}

TimeDirections forward() { return {{false}, {false}, {0}}; }

TEST(WgslChunks, CoverAllStepsAndLanes) {
  const Target target;
  const ChunkedScanPolicy policy;
  for (const std::int64_t lanes : {1, 2, 3, 5, 8, 9, 16, 33, 64, 65, 255, 256, 257, 1000, 1024, 65535, 65536}) {
    const Result<LaneLaws> laws = laws_of(sum_of("float", lanes));
    ASSERT_TRUE(laws.ok()) << laws.error().message;
    for (const ChunkedForm form :
         {ChunkedForm{false, false}, ChunkedForm{true, false}, ChunkedForm{false, true}, ChunkedForm{true, true}}) {
      if (form.staged && !can_stage(*laws, lanes, target)) continue;
      const Result<Passes> passes = chunked_scan(*laws, dense_call(*laws, forward(), form), target);
      ASSERT_TRUE(passes.ok()) << passes.error().message;
      for (const std::int64_t steps : {1, 2, 15, 16, 17, 255, 4096, 100003, 1 << 24}) {
        auto n = values_of(*passes, {{"T", steps}});
        SCOPED_TRACE(std::to_string(steps) + " steps, " + std::to_string(lanes) + " lanes");
        const std::int64_t of_tile = n["parts"] * n["rows"] * (form.staged ? n["stages"] : 1);
        EXPECT_GE(n["parts"], 1);
        EXPECT_GE(n["rows"], 1);
        EXPECT_LE(n["parts"] * n["group"], target.workgroup_size);
        EXPECT_GE(n["groups"] * n["group"], lanes);
        EXPECT_LT((n["groups"] - 1) * n["group"], lanes);
        EXPECT_GE(n["tiles"] * of_tile, steps);
        EXPECT_LT((n["tiles"] - 1) * of_tile, steps);
        EXPECT_LE(n["tiles"], std::max(policy.workgroups, policy.staged_workgroups));
        if (!form.staged) continue;
        EXPECT_EQ(n["rows"] % 2, 1);
        EXPECT_LE(n["parts"] * n["rows"] * lanes * 4 + 4 * target.workgroup_size, policy.workgroup_bytes);
      }
    }
  }
}

TEST(WgslChunks, HaveFewDispatches) {
  const Result<LaneLaws> laws = laws_of(sum_of("int32", 7));
  ASSERT_TRUE(laws.ok()) << laws.error().message;
  EXPECT_TRUE(laws->commutative);
  EXPECT_FALSE(laws->doubts);
  EXPECT_EQ(chunked_scan(*laws, dense_call(*laws, forward(), {false, true}), {})->passes.size(), 2U);
  EXPECT_EQ(chunked_scan(*laws, dense_call(*laws, forward(), {true, true}), {})->passes.size(), 1U);
  // Sums of floats may overflow in another order: lanes that look like that are done again.
  const Result<LaneLaws> floats = laws_of(sum_of("float", 7));
  ASSERT_TRUE(floats.ok());
  EXPECT_EQ(chunked_scan(*floats, dense_call(*floats, forward(), {false, true}), {})->passes.back().id, "again");
}

void expect_refused(const std::string& text, const std::string& words) {
  const Result<LaneLaws> laws = laws_of(text);
  ASSERT_FALSE(laws.ok());
  EXPECT_NE(laws.error().message.find(words), std::string::npos) << laws.error().message;
}

TEST(WgslChunks, SayWhatIsRefused) {
  expect_refused(sum_of("double", 4), "WGSL has no type");
  expect_refused(sum_of("int64", 4), "WGSL has no type");
  expect_refused(R"(g (float[4] s0, float[T,4] x) => (float[4] s, float[T,4] y) {
    s, y = Scan <num_scan_inputs = 1, body = b (float[4] p, float[4] e) => (float[4] q, float[4] o) {
      k = Tanh(p)  q = Add(k, e)  o = Identity(q) }> (s0, x) })",
                 "has no class");
  expect_refused(R"(g (float[4] s0, float[4] t0, float[T,4] x) => (float[4] s, float[4] t, float[T,4] y) {
    s, t, y = Scan <num_scan_inputs = 1, body = b (float[4] p, float[4] v, float[4] e) => (float[4] q, float[4] r, float[4] o) {
      q = Max(p, e)  r = Add(v, q)  o = Identity(r) }> (s0, t0, x) })",
                 "waits for another one");
  expect_refused(R"(g (float[4] s0, float[T,4] x) => (float[4] s, float[T] y) <int64[1] axes = {0}> {
    s, y = Scan <num_scan_inputs = 1, body = b (float[4] p, float[4] e) => (float[4] q, float o) {
      q = Add(p, e)  o = ReduceSum <keepdims = 0> (q) }> (s0, x) })",
                 "other extents than the states");
}

}  // namespace
}  // namespace pawl::wgsl
