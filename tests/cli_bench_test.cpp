// pawl bench: figures as JSON, a table of nodes, a trace, and one error line for what is wrong.
#include <nlohmann/json.hpp>

#include "cli_fixture.h"

namespace pawl {
namespace {

using Json = nlohmann::json;

/// A product before the loop, which is no part of it.
constexpr const char* kProductAndSum = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[C] start, float[T, C] x, float[C, C] w) => (float[C] total, float[T, C] sums) {
  y = MatMul(x, w)
  total, sums = Scan <num_scan_inputs = 1,
    body = step (float[C] s, float[C] v) => (float[C] next, float[C] sum) { next = Add(s, v)  sum = Identity(next) }> (start, y)
})";

const std::vector<std::string> kBench = {"bench", "model.onnxtxt", "--random-inputs", "--dim", "T=20", "C=6"};

std::vector<std::string> bench(const std::vector<std::string>& more) {
  std::vector<std::string> words = kBench;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Cli, MeasuresRunsAsJson) {
  write("model.onnxtxt", kProductAndSum);
  for (const char* kernels : {"off", "compiled"}) {
    const Finished done =
        pawl(bench({"--runs", "7", "--warmup", "2", "--threads", "2", "--kernels", kernels, "--json"}));
    ASSERT_EQ(done.status, 0) << done.err;
    const Json json = Json::parse(done.out, nullptr, false);
    ASSERT_TRUE(json.is_object()) << done.out;
    for (const char* name : {"load_ms", "compile_ms", "first_run_ms", "median_ms", "min_ms", "per_step_ns"}) {
      ASSERT_TRUE(json.contains(name) && json[name].is_number()) << name;
      EXPECT_GT(json[name].get<double>(), 0) << name;
    }
    EXPECT_EQ(json["runs"], 7);
    EXPECT_EQ(json["warmup"], 2);
    EXPECT_EQ(json["threads"], 2);
    EXPECT_EQ(json["kernels"], kernels);
    EXPECT_EQ(json["steps"], 20);
    EXPECT_LE(json["min_ms"], json["median_ms"]);
    EXPECT_LE(json["median_ms"], json["max_ms"]);
    EXPECT_EQ(json["bytes"], 4 * (6 + 20 * 6 + 6 * 6 + 6 + 20 * 6));
    EXPECT_EQ(json["flop"], 2 * 20 * 6 * 6 + 20 * 6);
    EXPECT_GT(json["copy_bytes_per_second"], 1e8);
  }
}

TEST_F(Cli, SaysWhereTheTimeGoes) {
  write("model.onnxtxt", kProductAndSum);
  const Finished table = pawl(bench({"--runs", "5", "--kernels", "off", "--profile"}));
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_NE(table.out.find("20 "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("MatMul of \"y\""), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("Add of \"next\""), std::string::npos) << table.out;

  const Finished done = pawl(bench({"--runs", "5", "--kernels", "off", "--profile", "--json"}));
  ASSERT_EQ(done.status, 0) << done.err;
  double shares = 0;
  bool found = false;
  const Json json = Json::parse(done.out, nullptr, false);
  for (const Json& row : json["profile"]) {
    shares += row["share"].get<double>();
    EXPECT_LE(row["own_ms"], row["ms"]);
    if (row["node"] != "Add of \"next\"") continue;
    found = true;
    EXPECT_EQ(row["calls"], 5 * 20);
    EXPECT_EQ(row["inside"], "Scan of \"total\"");
  }
  EXPECT_TRUE(found) << done.out;
  EXPECT_NEAR(shares, 1, 1e-6);
}

TEST_F(Cli, WritesTracesOfNestedEvents) {
  write("model.onnxtxt", kProductAndSum);
  const Finished done = pawl(bench({"--runs", "3", "--trace", "trace.json"}));
  ASSERT_EQ(done.status, 0) << done.err;
  const Json trace = Json::parse(slurp(folder_ / "trace.json"), nullptr, false);
  ASSERT_TRUE(trace.is_object());
  std::vector<Json> runs;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "X" && event["name"] == "run") runs.push_back(event);
  EXPECT_EQ(runs.size(), 3U);
  const auto end = [](const Json& event) { return event["ts"].get<double>() + event["dur"].get<double>(); };
  std::size_t scans = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    EXPECT_TRUE(event["tid"].is_number() && event["pid"].is_number());
    scans += event["cat"] == "Scan" ? 1 : 0;
    const auto around = [&](const Json& run) { return run["ts"] <= event["ts"] && end(event) <= end(run) + 1e-3; };
    EXPECT_EQ(std::count_if(runs.begin(), runs.end(), around), 1) << event;
  }
  EXPECT_EQ(scans, 3U);
}

TEST_F(Cli, RefusesToMeasureNonsense) {
  write("model.onnxtxt", kProductAndSum);
  expect_fault(bench({"--device", "cuda"}), {"--device cuda", "expected cpu or webgpu"});
  expect_fault(bench({"--kernels", "fast"}), {"--kernels fast"});
  expect_fault(bench({"--runs", "-1"}), {"--runs -1"});
  expect_fault(bench({"--warmup", "-2"}), {"--warmup -2"});
  expect_fault(bench({"--runs", "0"}), {"--runs 0", "1 or more"});
  expect_fault(bench({"--threads", "-2"}), {"--threads -2"});
  expect_fault(bench({"--trace", "nowhere/trace.json", "--runs", "1"}), {"nowhere/trace.json"});
  expect_fault({"bench", "model.onnxtxt", "--random-inputs"}, {"--dim"});
  expect_fault({"bench", "model.onnxtxt"}, {"\"start\"", "missing"});
  expect_fault({"bench"}, {"MODEL is required"});
  expect_fault({"bench", "missing.onnx"}, {"missing.onnx"});
}

}  // namespace
}  // namespace pawl
