// The program as its users see it: files in, files out, exit status, and the one error line.
#include <cstdlib>

#include "cli_fixture.h"
#include "tensor/scalar.h"

namespace pawl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTypes = R"(<ir_version: 8, opset_import: ["" : 17]>
types (float[2] x, string[2] words) => (bfloat16[2] half, string[2] same_words, bool[2] positive, seq(float[2]) list) {
  half = Cast <to = 16> (x)
  same_words = Identity(words)
  zero = Constant <value_float = 0.0> ()
  positive = Greater(x, zero)
  list = SequenceConstruct(x, x)
})";

TEST_F(Cli, RunsOnFilesAndWritesOutputs) {
  write_prefix_sum();
  const Finished done =
      pawl({"run", "sum.onnxtxt", "--input", "start=start.npy", "--input", "x=x.npy", "--output-dir", "new/out"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_NE(done.out.find("total: float[2]"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("min 16"), std::string::npos) << done.out;
  expect_file("new/out/total.npy", Tensor::of<float>({2}, {16, 20}));
  expect_file("new/out/sums.npy", Tensor::of<float>({3, 2}, {8, 10, 11, 14, 16, 20}));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "new/out"), fs::directory_iterator()), 2)
      << "something was left behind";
}

TEST_F(Cli, TakesTheModelLastAndSeveralInputsAtOnce) {
  write_prefix_sum();
  write("start.pb", Tensor::of<float>({2}, {7, 8}));
  EXPECT_EQ(pawl({"run", "--input", "start=start.pb", "x=x.npy", "sum.onnxtxt", "--output-dir", "out"}).status, 0);
  expect_file("out/total.npy", Tensor::of<float>({2}, {16, 20}));
}

TEST_F(Cli, WritesPbForWhatNpyCannotHold) {
  write("types.onnxtxt", kTypes);
  write("x.npy", Tensor::of<float>({2}, {-1, 2}));
  write("words.pb", Tensor::of<std::string>({2}, {"a\n", ""}));
  const Finished done = pawl({"run", "types.onnxtxt", "--input", "x=x.npy", "words=words.pb", "--output-dir", "."});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(count(done.out, "\n"), 4U) << done.out;
  const Tensor x = Tensor::of<float>({2}, {-1, 2});
  expect_file("half.pb", Tensor::of<BF16>({2}, {BF16(-1.0F), BF16(2.0F)}));
  expect_file("same_words.pb", Tensor::of<std::string>({2}, {"a\n", ""}));
  expect_file("positive.npy", Tensor::of<bool>({2}, {false, true}));
  expect_file("list.pb", Sequence(DType::f32, {x, x}));
}

TEST_F(Cli, NamesFilesSafelyAndNeverTwice) {
  write("names.onnxtxt", R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1] x) => (float[1] "a/b", float[1] "a:b", float[1] a_b, float[1] "../up") {
      "a/b" = Identity(x)  "a:b" = Neg(x)  a_b = Add(x, x)  "../up" = Mul(x, x)
    })");
  write("x.npy", Tensor::of<float>({1}, {3}));
  const Finished done = pawl({"run", "names.onnxtxt", "--input", "x=x.npy", "--output-dir", "out"});
  ASSERT_EQ(done.status, 0) << done.err;
  expect_file("out/a_b.npy", Tensor::of<float>({1}, {6}));
  expect_file("out/a_b_2.npy", Tensor::of<float>({1}, {3}));
  expect_file("out/a_b_3.npy", Tensor::of<float>({1}, {-3}));
  expect_file("out/.._up.npy", Tensor::of<float>({1}, {9}));
}

TEST_F(Cli, MakesRandomInputs) {
  write("sum.onnxtxt", kPrefixSum);
  const std::vector<std::string> arguments = {"run",    "sum.onnxtxt", "--random-inputs", "--dim", "T=5", "C=3",
                                              "--seed", "7",           "--output-dir",    "a"};
  const Finished first = pawl(arguments);
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.out.find("sums: float[5,3]"), std::string::npos) << first.out;
  const std::string sums = slurp(folder_ / "a/sums.npy");
  EXPECT_EQ(pawl(arguments).status, 0);
  EXPECT_EQ(slurp(folder_ / "a/sums.npy"), sums) << "the same seed gives the same numbers";
  expect_fault({"run", "sum.onnxtxt", "--random-inputs", "--dim", "T=5"}, {"start", "axis 0", "--dim C="});
  expect_fault({"run", "sum.onnxtxt", "--random-inputs", "--dim", "T=5", "--dim", "Q=5"}, {"--dim Q=5"});
  expect_fault({"run", "sum.onnxtxt", "--random-inputs", "--dim", "T=-5"}, {"--dim T=-5"});
  expect_fault({"run", "sum.onnxtxt", "--random-inputs", "--dim", "T=9223372036854775807", "C=9223372036854775807"},
               {"x"});
}

TEST_F(Cli, SaysWhichInputIsAtFault) {
  write_prefix_sum();
  write("wide.npy", Tensor::of<float>({3, 4}, std::vector<float>(12)));
  write("ints.npy", Tensor::of<std::int64_t>({3, 2}, {1, 2, 3, 4, 5, 6}));
  write("broken.npy", std::string("\x93NUMPY\x01\x00\xff\xff", 10));
  const auto run = [](std::vector<std::string> inputs) {
    inputs.insert(inputs.begin(), {"run", "sum.onnxtxt", "--input"});
    return inputs;
  };
  expect_fault(run({"start=start.npy"}), {"sum.onnxtxt", "\"x\"", "float[T,C]", "missing"});
  expect_fault(run({"start=start.npy", "x=x.npy", "start=start.npy"}), {"start", "twice"});
  expect_fault(run({"start=start.npy", "y=x.npy"}), {"no input \"y\"", "start, x"});
  expect_fault(run({"start=start.npy", "x=absent.npy"}), {"x", "absent.npy"});
  expect_fault(run({"start=start.npy", "x=x.txt"}), {"x.txt", ".npy or .pb"});
  expect_fault(run({"start=start.npy", "x=broken.npy"}), {"x", "broken.npy"});
  expect_fault(run({"start=start.npy", "x=wide.npy"}), {"4"});
  expect_fault(run({"start=start.npy", "x=ints.npy"}), {"x", "int64"});
  expect_fault({"run", "sum.onnxtxt", "--input", "start"}, {"NAME=FILE"});
  expect_fault({"run", "sum.onnxtxt", "--input", "start=start.npy", "x=x.npy", "--output-dir", "x.npy"}, {"x.npy"});
}

TEST_F(Cli, RefusesBadArguments) {
  write_prefix_sum();
  expect_fault({}, {});
  expect_fault({"walk"}, {"subcommand"});
  expect_fault({"run"}, {"MODEL"});
  expect_fault({"run", "absent.onnx"}, {"absent.onnx"});
  expect_fault({"run", "sum.onnxtxt", "--colour"}, {"--colour"});
  expect_fault({"dump", "sum.onnxtxt", "--to", "x.bin"}, {"x.bin"});
  expect_fault({"test", "absent"}, {"absent"});
  expect_fault({"test", "."}, {"no test case"});
  EXPECT_EQ(pawl({"--help"}).status, 0);
  EXPECT_EQ(pawl({"run", "--help"}).status, 0);
  const Finished version = pawl({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out.rfind("pawl ", 0), 0U) << version.out;
}

TEST_F(Cli, SurvivesClosedStreams) {
  write_prefix_sum();
  const std::vector<std::string> arguments = {"dump", "sum.onnxtxt"};
  EXPECT_EQ(pawl(arguments, ">&-").status, 2);
  EXPECT_EQ(pawl(arguments, ">&- 2>&- <&-").status, 2);
  EXPECT_EQ(pawl(arguments, ">/dev/full").status, 2);
  EXPECT_EQ(pawl(arguments, "| true").status, 0);
  const Finished run =
      pawl({"run", "sum.onnxtxt", "--input", "start=start.npy", "x=x.npy", "--output-dir", "out"}, ">&- <&-");
  EXPECT_EQ(run.status, 2);
  expect_file("out/total.npy", Tensor::of<float>({2}, {16, 20}));
}

TEST_F(Cli, ChecksModels) {
  write("good.onnxtxt", kPrefixSum);
  const Finished good = pawl({"check", "good.onnxtxt"});
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_NE(good.out.find("ok"), std::string::npos) << good.out;
  write("bad.onnxtxt", R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1] x) => (float[1] y, float[1] z) { y = Neg(nowhere)  z = NoSuchOperator(x) })");
  const Finished bad = pawl({"check", "bad.onnxtxt"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_EQ(count(bad.out, "error: "), 2U) << bad.out;
  EXPECT_NE(bad.out.find("nowhere"), std::string::npos) << bad.out;
  EXPECT_NE(bad.out.find("NoSuchOperator"), std::string::npos) << bad.out;
  expect_fault({"check", "bad.onnxtxt"}, {"bad.onnxtxt", "2 problems"});
}

TEST_F(Cli, TellsWhatAModelIsMadeOf) {
  write("captures.onnxtxt", R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float s0, float[3] x, float w) => (float s, float[3] y) {
      s, y = Scan <num_scan_inputs = 1, scan_input_directions = [1],
                   body = b (float p, float v) => (float q, float r) { q = Add(p, v)  r = Mul(q, w) }> (s0, x) })");
  const Finished text = pawl({"info", "captures.onnxtxt"});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* line : {"input x: float[3]\n", "output y: float[3]\n", "operator Mul: 1\n", "N 1 M 1 K 1",
                           "input directions [1]", "captures w\n"})
    EXPECT_NE(text.out.find(line), std::string::npos) << line << " in " << text.out;
  const Finished json = pawl({"info", "captures.onnxtxt", "--json"});
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(json.out.rfind("{", 0), 0U);
}

TEST_F(Cli, ExplainsScans) {
  write_prefix_sum();
  const Finished done =
      pawl({"explain", "sum.onnxtxt", "--dim", "T=4096", "C=8", "--threads", "2", "--svg", "body.svg"});
  EXPECT_EQ(done.status, 0) << done.err;
  for (const char* words : {"T = 4096", "state s [8]", "sum: s' = s + b", "8 channels side by side",
                            "plan (cpu, 2 threads)", "chunked_scan", "not map_over_time"})
    EXPECT_NE(done.out.find(words), std::string::npos) << words << " in: " << done.out;
  const std::string picture = slurp(folder_ / "body.svg");
  EXPECT_EQ(picture.rfind("<svg", 0), 0U);
  EXPECT_NE(picture.find(">Add<"), std::string::npos);
  const Finished json = pawl({"explain", "sum.onnxtxt", "--json"});
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_NE(json.out.find("\"class\": \"sum\""), std::string::npos) << json.out;
  expect_fault({"explain", "none.onnx"}, {"none.onnx"});
  expect_fault({"explain", "sum.onnxtxt", "--dim", "Q=1"}, {"--dim Q=1"});
  expect_fault({"explain", "sum.onnxtxt", "--threads", "0"}, {"--threads 0"});
  expect_fault({"dump", "sum.onnxtxt", "--after", "plan", "--threads", "0"}, {"--threads 0"});
}

TEST_F(Cli, DumpsWhatThereIsAfterAStage) {
  write("cell.onnxtxt", R"(<ir_version: 8, opset_import: ["" : 17]>
cell (float[2] s0, float[T, 2] x, float[2, 2] w) => (float[2] s) {
  s = Scan <num_scan_inputs = 1, body = step (float[2] p, float[2] e) => (float[2] q) { m = MatMul(e, w)  q = Add(m, p) }> (s0, x)
})");
  const auto after = [&](const char* stage) { return pawl({"dump", "cell.onnxtxt", "--after", stage}).out; };
  EXPECT_NE(after("import").find("m = MatMul(e, w)"), std::string::npos) << after("import");
  EXPECT_NE(after("invariant").find("m = MatMul(e, w)"), std::string::npos);
  EXPECT_NE(after("elements").find("MatMul(x, w)"), std::string::npos) << after("elements");
  EXPECT_NE(after("facts").find("sum: s' = s + b"), std::string::npos) << after("facts");
  EXPECT_NE(after("plan").find("not closed_form"), std::string::npos) << after("plan");
  EXPECT_NE(pawl({"dump", "cell.onnxtxt", "--after", "sink", "--dim", "T=8"}).out.find("float[8,2] x"),
            std::string::npos);
  expect_fault({"dump", "cell.onnxtxt", "--after", "soup"},
               {"there is no stage \"soup\"; there are import, simplify, unbatch, raise, states,",
                "sink, flatten, transposes, facts, plan"});
}

TEST_F(Cli, OptimizesModels) {
  write("map.onnxtxt", R"(<ir_version: 8, opset_import: ["" : 17]>
map (float[T, 2] x, float[2, 2] w) => (float[T, 2] y) {
  y = Scan <num_scan_inputs = 1, body = step (float[2] e) => (float[2] o) { o = MatMul(e, w) }> (x)
})");
  write("x.npy", Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
  write("w.npy", Tensor::of<float>({2, 2}, {0, 1, 1, 0}));
  const Finished done = pawl({"optimize", "map.onnxtxt", "-o", "map.onnx"});
  EXPECT_EQ(done.status, 0) << done.err;
  const Finished text = pawl({"dump", "map.onnx"});
  EXPECT_EQ(text.out.find("Scan"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("MatMul"), std::string::npos) << text.out;
  const Finished run = pawl({"run", "map.onnx", "--input", "x=x.npy", "w=w.npy", "--output-dir", "out"});
  EXPECT_EQ(run.status, 0) << run.err;
  expect_file("out/y.npy", Tensor::of<float>({2, 2}, {2, 1, 4, 3}));
  expect_fault({"optimize", "map.onnxtxt", "-o", "map.onnx", "--opset", "99"}, {"opset 99"});
  expect_fault({"optimize", "none.onnx", "-o", "map.onnx"}, {"none.onnx"});
  // Version 8 has batches whose rows end where they want, which later versions have no word for.
  write("batched.onnxtxt", R"(<ir_version: 3, opset_import: ["" : 8]>
sums (int64[B] n, float[B, 1] s0, float[B, T, 1] x) => (float[B, 1] s) {
  s = Scan <num_scan_inputs = 1, body = step (float[1] p, float[1] e) => (float[1] q) { q = Add(p, e) }> (n, s0, x)
})");
  EXPECT_NE(pawl({"explain", "batched.onnxtxt"}).out.find("version 8: runs as it is"), std::string::npos);
  EXPECT_EQ(pawl({"optimize", "batched.onnxtxt", "-o", "batched.onnx"}).status, 0);
  expect_fault({"optimize", "batched.onnxtxt", "-o", "batched.onnx", "--opset", "20"}, {"Scan of opset 20"});
  expect_fault({"optimize", "map.onnxtxt", "-o", "no/such/folder/map.onnx"}, {"no/such/folder"});
}

TEST_F(Cli, ExportsPackages) {
  write("sum.onnxtxt", kPrefixSum);
  const std::vector<std::string> command = {"export", "sum.onnxtxt", "--target", "webgpu", "--out", "made"};
  ASSERT_EQ(pawl(command).status, 0);
  const std::string manifest = slurp(folder_ / "made/build/webgpu/manifest.json");
  EXPECT_NE(manifest.find("\"[T, C]\""), std::string::npos) << manifest;
  EXPECT_NE(slurp(folder_ / "made/README.md").find("# sum"), std::string::npos);
  // A package gives way to one; nothing else does, and what fails leaves nothing.
  std::vector<std::string> again = command;
  again.insert(again.end(), {"--dim", "C=3"});
  ASSERT_EQ(pawl(again).status, 0);
  EXPECT_NE(slurp(folder_ / "made/build/webgpu/manifest.json").find("\"[T, 3]\""), std::string::npos);
  write("mine/notes.txt", std::string("mine"));
  expect_fault({"export", "sum.onnxtxt", "--target", "webgpu", "--out", "mine"}, {"mine", "left as it is"});
  EXPECT_EQ(slurp(folder_ / "mine/notes.txt"), "mine");
  expect_fault({"export", "sum.onnxtxt", "--target", "webgpu", "--out", "sum.onnxtxt"}, {"no folder"});
  expect_fault({"export", "sum.onnxtxt", "--target", "cuda", "--out", "other"}, {"cuda", "webgpu"});
  expect_fault({"export", "sum.onnxtxt", "--target", "webgpu", "--out", "other", "--dim", "X=3"}, {"X"});
  write("wide.onnxtxt", R"(<ir_version: 8, opset_import: ["" : 17]> m (double[3] x) => (double[3] y) { y = Neg(x) })");
  expect_fault({"export", "wide.onnxtxt", "--target", "webgpu", "--out", "other"}, {"wide.onnxtxt", "double"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "other"));
}

TEST_F(Cli, OptimizesRecurrences) {
  write("mean.onnxtxt", R"(<ir_version: 8, opset_import: ["" : 17]>
mean (float[2] s0, float[T, 2] x) => (float[T, 2] y) <float decay = {0.5}> {
  s, y = Scan <num_scan_inputs = 1, body = step (float[2] p, float[2] e) => (float[2] q, float[2] o) {
    m = Mul(p, decay)  q = Add(m, e)  o = Identity(q) }> (s0, x)
})");
  write("s0.npy", Tensor::of<float>({2}, {8, 0}));
  write("x.npy", Tensor::of<float>({3, 2}, {0, 1, 1, 1, 2, 2}));
  const Finished open = pawl({"optimize", "mean.onnxtxt", "-o", "mean.onnx", "--parallel-scan"});
  EXPECT_EQ(open.status, 0) << open.err;
  EXPECT_NE(open.out.find("state p: the number of steps is not known"), std::string::npos) << open.out;
  const Finished done = pawl({"optimize", "mean.onnxtxt", "-o", "mean.onnx", "--parallel-scan", "--dim", "T=3"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.out.find("state p: a recurrence"), std::string::npos) << done.out;
  const Finished text = pawl({"dump", "mean.onnx"});
  EXPECT_EQ(text.out.find("Scan"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("float[3,2] x"), std::string::npos) << text.out;
  const Finished run = pawl({"run", "mean.onnx", "--input", "x=x.npy", "s0=s0.npy", "--output-dir", "out"});
  EXPECT_EQ(run.status, 0) << run.err;
  expect_file("out/y.npy", Tensor::of<float>({3, 2}, {4, 1, 3, 1.5, 3.5, 2.75}));
  expect_fault({"optimize", "mean.onnxtxt", "-o", "mean.onnx", "--dim", "Q=1"}, {"--dim Q=1"});
}

TEST_F(Cli, SaysWhatAnAbsentDeviceLacks) {
  const char* before = std::getenv("PAWL_WEBGPU");
  const std::string kept = before == nullptr ? "" : before;
  setenv("PAWL_WEBGPU", "/nowhere/libwebgpu.so", 1);
  const Finished devices = pawl({"devices"});
  expect_fault({"run", "model.onnxtxt", "--device", "webgpu"},
               {"there is no WebGPU library (/nowhere/libwebgpu.so)", "PAWL_WEBGPU"});
  if (before == nullptr)
    unsetenv("PAWL_WEBGPU");
  else
    setenv("PAWL_WEBGPU", kept.c_str(), 1);
  EXPECT_EQ(devices.status, 0);
  EXPECT_NE(devices.out.find("cpu "), std::string::npos) << devices.out;
  EXPECT_NE(devices.out.find("webgpu  not here: there is no WebGPU library"), std::string::npos) << devices.out;
  expect_fault({"run", "model.onnxtxt", "--device", "gpu"}, {"--device gpu", "expected cpu or webgpu"});
}

TEST_F(Cli, ListsOperators) {
  const Finished all = pawl({"ops"});
  EXPECT_EQ(all.status, 0) << all.err;
  for (const char* line : {"Scan", "FlexAttention", "control flow", "reference, function", "function with a loop"})
    EXPECT_NE(all.out.find(line), std::string::npos) << line;
  const Finished one = pawl({"ops", "CumSum"});
  EXPECT_EQ(count(one.out, "\n"), 2U) << one.out;
  EXPECT_NE(one.out.find("11 14"), std::string::npos) << one.out;
  expect_fault({"ops", "Sum-8"}, {"there is no operator Sum-8"});

  // The last line is what the README says.
  const std::size_t end = all.out.size() - 1, start = all.out.rfind('\n', end - 1) + 1;
  const std::string coverage = all.out.substr(start, end - start);
  EXPECT_NE(slurp(fs::path(PAWL_SOURCE) / "README.md").find(coverage), std::string::npos)
      << "the README does not say: " << coverage;
}

TEST_F(Cli, DumpsAndConverts) {
  write_prefix_sum();
  EXPECT_EQ(pawl({"dump", "sum.onnxtxt", "--to", "sum.onnx"}).status, 0);
  EXPECT_EQ(pawl({"dump", "sum.onnx", "--to", "again.onnxtxt"}).status, 0);
  EXPECT_EQ(pawl({"dump", "sum.onnx"}).out, slurp(folder_ / "again.onnxtxt"));
  EXPECT_EQ(pawl({"run", "sum.onnx", "--input", "start=start.npy", "x=x.npy", "--output-dir", "out"}).status, 0);
  expect_file("out/total.npy", Tensor::of<float>({2}, {16, 20}));
}

class CliTest : public Cli {
 protected:
  void add_case(const std::string& name, const std::string& model, float result) {
    write(name + "/model.onnxtxt", model);
    write(name + "/test_data_set_0/input_0.pb", Tensor::of<float>({1}, {3}));
    write(name + "/test_data_set_0/output_0.pb", Tensor::of<float>({1}, {result}));
  }
  static std::string model_of(const std::string& op) {
    return "<ir_version: 8, opset_import: [\"\" : 17]> g (float[1] x) => (float[1] y) { y = " + op + "(x) }";
  }
};

TEST_F(CliTest, CountsPassedFailedAndSkippedCases) {
  add_case("tree/good", model_of("Neg"), -3);
  add_case("tree/deep/wrong", model_of("Neg"), 3);
  add_case("tree/missing", model_of("NoSuchOperator"), 3);
  write("tree/torn/model.onnx", std::string("\x08\x08\x3a\xff\xff", 5));
  fs::create_directories(folder_ / "tree/torn/test_data_set_0");
  const Finished done = pawl({"test", "tree", "--json", "report.json"});
  EXPECT_EQ(done.status, 1) << done.err;
  EXPECT_EQ(done.out.substr(done.out.rfind('\n', done.out.size() - 2) + 1), "1 passed, 2 failed, 1 skipped\n")
      << done.out;
  EXPECT_NE(done.out.find("FAIL deep/wrong: test_data_set_0 / output 0 \"y\": element [0]: got -3, want 3"),
            std::string::npos)
      << done.out;
  EXPECT_NE(done.out.find("FAIL torn"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("NoSuchOperator"), std::string::npos) << done.out;
  const std::string json = slurp(folder_ / "report.json");
  EXPECT_EQ(count(json, "\"outcome\": \"failed\""), 2U) << json;
  EXPECT_EQ(pawl({"test", "tree/good", "tree/missing"}).status, 0);
}

TEST_F(CliTest, RunsEveryDataSetWithinTheTolerance) {
  add_case("case", model_of("Neg"), -3.002F);
  EXPECT_EQ(pawl({"test", "case"}).status, 0);
  EXPECT_EQ(pawl({"test", "case", "--rtol", "1e-6"}).status, 1);
  EXPECT_EQ(pawl({"test", "case", "--rtol", "0", "--atol", "0.01"}).status, 0);
  write("case/test_data_set_1/input_0.pb", Tensor::of<float>({1}, {3}));
  write("case/test_data_set_1/output_0.pb", Tensor::of<float>({1}, {4}));
  const Finished done = pawl({"test", "case"});
  EXPECT_EQ(done.status, 1);
  EXPECT_NE(done.out.find("test_data_set_1"), std::string::npos) << done.out;
}

TEST_F(CliTest, HonoursTheTable) {
  add_case("models/exact", model_of("Neg"), -3.0001F);
  add_case("models/loose", model_of("Neg"), -3.5F);
  add_case("models/invalid/refused", model_of("Neg <nonsense = 1>"), 0);
  add_case("models/invalid/runs", model_of("Neg"), -3);
  add_case("models/either", model_of("Neg <nonsense = 1>"), 0);
  write("models/MODELS.tsv",
        "case\tsource\texpect\ttolerance\nexact\t\trun\texact\nloose\t\trun\trtol=0 "
        "atol=0.6,1e-9\ninvalid/refused\t\trefuse\t-\n"
        "invalid/runs\t\trefuse\t-\neither\t\trun (or refuse cleanly)\texact\nabsent\t\trun\texact\n");
  const Finished done = pawl({"test", "models"});
  EXPECT_EQ(done.status, 1) << done.err;
  EXPECT_NE(done.out.find("3 passed, 3 failed, 0 skipped\n"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("FAIL exact"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("FAIL invalid/runs: it must be refused"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("FAIL absent"), std::string::npos) << done.out;
  EXPECT_EQ(pawl({"test", "models/loose"}).status, 0) << "a table above the folder counts";
}

}  // namespace
}  // namespace pawl
