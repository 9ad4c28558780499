// Runs every case of tests/cases/**/*.case as a test of its own, through the public API.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "base/try.h"
#include "case_file.h"
#include "case_values.h"
#include "onnx/read.h"
#include "onnx/text.h"
#include "onnx/write.h"
#include "pawl/explain.h"
#include "pawl/model.h"
#include "pawl/optimize.h"
#include "pawl/program.h"

namespace pawl::tests {
namespace {

bool has_words(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

void expect_error(const Error& got, const ExpectedError& want) {
  EXPECT_EQ(name(got.code), name(want.code)) << got.to_string();
  for (const std::string& words : want.words)
    EXPECT_TRUE(has_words(got.to_string(), words)) << "expected \"" << words << "\" in: " << got.to_string();
}

/// The values of a section. Its errors name the lines of the file.
Result<NamedValues> read_values(const Section& section, const std::vector<Port>& ports) {
  const std::string text = std::string(static_cast<std::size_t>(section.line), '\n') + section.text;
  onnx::Lexer lexer(text);
  return parse_values(lexer, [&](std::string_view name) {
    const auto port = std::find_if(ports.begin(), ports.end(), [&](const Port& each) { return each.name == name; });
    return port == ports.end() ? Type() : port->type;
  });
}

/// Whatever a case's model is, its printed form and its binary form must be the same model.
void check_forms(const std::string& text) {
  const Result<onnx::Model> model = onnx::parse_text(text);
  if (!model.ok()) return;
  const std::string printed = onnx::print_text(*model);
  const Result<onnx::Model> again = onnx::parse_text(printed);
  ASSERT_TRUE(again.ok()) << again.error().to_string() << "\n" << printed;
  EXPECT_EQ(onnx::print_text(*again), printed);
  const Result<std::string> bytes = onnx::encode(*model);
  ASSERT_TRUE(bytes.ok()) << bytes.error().to_string();
  const Result<onnx::Model> decoded = onnx::decode({std::as_bytes(std::span(*bytes)), nullptr}, {});
  ASSERT_TRUE(decoded.ok()) << decoded.error().to_string();
  EXPECT_EQ(onnx::print_text(*decoded), printed);
}

class CaseTest : public testing::Test {
 public:
  CaseTest(Case subject, std::filesystem::path folder) : case_(std::move(subject)), folder_(std::move(folder)) {}

  void TestBody() override {
    check_forms(case_.model.text);
    const Result<Model> model = Model::from_text(case_.model.text, folder_);
    const Result<Program> program =
        model.ok()
            ? Program::compile(*model, {.guarantee = Guarantee::exact, .rewrite = false, .kernels = Kernels::off})
            : Result<Program>(model.error());
    if (case_.refusal) {
      ASSERT_FALSE(program.ok()) << "the model was not refused";
      expect_error(program.error(), *case_.refusal);
      return;
    }
    ASSERT_TRUE(program.ok()) << "the model of line " << case_.model.line << ": " << program.error().to_string();
    check_warnings(model->warnings());
    // Twice, in turns: no run leaves anything behind for the next one.
    for (int round = 0; round < 2 && !HasFailure(); ++round)
      for (const CaseRun& each : case_.runs) run(*program, each, nullptr);
    run_expanded(*model, *program);
    const Model binary = as_file(*model);
    check_rewritten(binary);
    check_parts(binary);
    check_kernels(binary);
    check_shaders(binary);
    check_optimized(binary);
    check_explanation(*model);
  }

 private:
  /// A body rounds after each of its operators, a chain after each of its rounds.
  static constexpr int kRoundings = 8;

  /// Where operators have a function body, the bodies in their place give the same outputs.
  void run_expanded(const Model& model, const Program& program) {
    const Result<Program> expanded =
        Program::compile(model, {.guarantee = Guarantee::exact, .expansion = Expansion::all, .kernels = Kernels::off});
    const bool must_run =
        std::any_of(case_.runs.begin(), case_.runs.end(), [](const CaseRun& each) { return !each.error; });
    if (!expanded.ok() && !must_run) return;
    ASSERT_TRUE(expanded.ok()) << "expanded: " << expanded.error().to_string();
    if (expanded->expansions() == program.expansions()) return;
    SCOPED_TRACE("with function bodies in the operators' place");
    roundings_ = kRoundings;
    for (const CaseRun& each : case_.runs)
      if (!each.error) run(*expanded, each, nullptr);
    roundings_ = 0;
  }

  void check_warnings(const std::vector<std::string>& warnings) {
    std::string all;
    for (const std::string& warning : warnings) all += warning + "\n";
    for (const std::string& words : case_.warnings)
      EXPECT_TRUE(has_words(all, words)) << "expected \"" << words << "\" in the warnings: " << all;
  }

  /// The model from its binary form, whose tensors lie at odd addresses.
  Model as_file(const Model& model) {
    const Result<onnx::Model> parsed = onnx::parse_text(case_.model.text, folder_);
    if (!parsed.ok()) return model;
    const Result<std::string> bytes = onnx::encode(*parsed);
    if (!bytes.ok()) return model;
    const Result<Model> binary = Model::from_bytes(std::as_bytes(std::span(*bytes)), folder_);
    EXPECT_TRUE(binary.ok()) << "in binary form: " << binary.error().to_string();
    return binary.ok() ? *binary : model;
  }

  /// The rewritten model gives the same.
  void check_rewritten(const Model& model) {
    const Result<Program> program = Program::compile(model, {.guarantee = Guarantee::exact, .kernels = Kernels::off});
    ASSERT_TRUE(program.ok()) << "rewritten: " << program.error().to_string();
    std::map<std::string, std::int64_t> evaluations;
    for (const CaseRun& each : case_.runs) {
      SCOPED_TRACE("rewritten");
      evaluations.clear();
      run(*program, each, &evaluations);
    }
    for (const auto& [op, count] : case_.evaluations) EXPECT_EQ(evaluations[op], count) << "evaluations of " << op;
  }

  /// Bodies as kernels give the same.
  void check_kernels(const Model& model) {
    for (const Kernels kernels : {Kernels::interpreted, Kernels::compiled}) {
      const Result<Program> program =
          Program::compile(model, {.guarantee = Guarantee::exact, .kernels = kernels, .threads = 3});
      ASSERT_TRUE(program.ok()) << "as kernels: " << program.error().to_string();
      SCOPED_TRACE(kernels == Kernels::compiled ? "as compiled kernels" : "as kernels");
      std::map<std::string, std::int64_t> evaluations;
      for (const CaseRun& each : case_.runs) run(*program, each, &evaluations);
    }
    // Sums in float32, in another order.
    for (const Kernels kernels : {Kernels::interpreted, Kernels::compiled}) {
      const Result<Program> program = Program::compile(model, {.kernels = kernels, .threads = 3});
      ASSERT_TRUE(program.ok()) << "as kernels: " << program.error().to_string();
      SCOPED_TRACE(kernels == Kernels::compiled ? "as compiled kernels that need not be exact"
                                                : "as kernels that need not be exact");
      roundings_ = kRoundings;
      std::map<std::string, std::int64_t> evaluations;
      for (const CaseRun& each : case_.runs) run(*program, each, &evaluations);
      roundings_ = 0;
      // Of a machine without a compiler the other ones say so.
      if (kernels == Kernels::interpreted) expect_kernels(program->kernel_report());
    }
  }

  void expect_kernels(const std::vector<std::string>& report) {
    for (const std::string& line : report) EXPECT_FALSE(has_words(line, "internal error")) << line;
    if (case_.kernels.empty()) return;
    ASSERT_EQ(report.size(), case_.kernels.size());
    for (std::size_t i = 0; i < report.size(); ++i)
      EXPECT_TRUE(has_words(report[i], case_.kernels[i])) << "expected \"" << case_.kernels[i] << "\": " << report[i];
  }

  /// All runs that have results.
  void run_all(const Program& program) {
    std::map<std::string, std::int64_t> evaluations;
    for (const CaseRun& each : case_.runs)
      if (!each.error) run(program, each, &evaluations);
  }

  /// Where there is a WebGPU library and an adapter.
  void check_shaders(const Model& model) {
    static const bool kThere = std::getenv("PAWL_WEBGPU") != nullptr;
    if (!kThere) return;
    const Result<Program> program = Program::compile(model, {.kernels = Kernels::webgpu});
    ASSERT_TRUE(program.ok()) << "shaders: " << program.error().to_string();
    SCOPED_TRACE("shaders");
    roundings_ = kRoundings;
    run_all(*program);
    roundings_ = 0;
    for (const std::string& line : program->kernel_report()) EXPECT_FALSE(has_words(line, "internal error")) << line;
  }

  /// Sequences cut into parts give the same, within the rounding of another order.
  void check_parts(const Model& model) {
    for (const int parts : {1, 3}) {
      const Result<Program> program =
          Program::compile(model, {.guarantee = Guarantee::exact, .kernels = Kernels::off, .parts = parts});
      ASSERT_TRUE(program.ok()) << "in parts: " << program.error().to_string();
      SCOPED_TRACE("in parts");
      run_all(*program);
    }
    const Result<Program> program =
        Program::compile(model, {.kernels = Kernels::interpreted, .threads = 2, .parts = 2});
    ASSERT_TRUE(program.ok()) << "kernels in chunks: " << program.error().to_string();
    SCOPED_TRACE("kernels in chunks");
    roundings_ = kRoundings;
    run_all(*program);
    roundings_ = 0;
  }

  /// What `optimize` writes is a model that gives the same, with and without chains in place of its loops.
  void check_optimized(const Model& model) {
    SCOPED_TRACE("optimized");
    for (const CaseRun& each : case_.runs) {
      if (each.error) continue;
      run_optimized(model, {}, each, case_.optimized);
      OptimizeOptions options;
      options.parallel_scan = true;
      SCOPED_TRACE("with chains");
      options.dims = extents_of(model, each);
      run_optimized(model, options, each, case_.parallel_scan);
      options.dims.clear();
      run_optimized(model, options, each, {});
    }
  }

  using Counts = std::vector<std::pair<std::string, std::int64_t>>;

  void run_optimized(const Model& model, const OptimizeOptions& options, const CaseRun& each, const Counts& wanted) {
    const Result<std::string> bytes = optimize(model, options);
    // An opset may lack an operator in the types of the case, which the model is free to use there.
    if (!bytes.ok() && bytes.error().code == Code::unsupported) return;
    ASSERT_TRUE(bytes.ok()) << bytes.error().to_string();
    const Result<onnx::Model> decoded = onnx::decode({std::as_bytes(std::span(*bytes)), nullptr}, folder_);
    ASSERT_TRUE(decoded.ok()) << decoded.error().to_string();
    std::map<std::string, std::int64_t> nodes;
    count_nodes(decoded->graph, nodes);
    for (const auto& [op, count] : wanted)
      EXPECT_EQ(nodes[op], count) << "nodes of " << op << " in:\n" << onnx::print_text(*decoded);
    const Result<Model> written = Model::from_bytes(std::as_bytes(std::span(*bytes)), folder_);
    ASSERT_TRUE(written.ok()) << written.error().to_string();
    const Result<Program> program =
        Program::compile(*written, {.guarantee = Guarantee::exact, .rewrite = false, .kernels = Kernels::off});
    ASSERT_TRUE(program.ok()) << program.error().to_string();
    roundings_ = options.parallel_scan ? kRoundings : 0;
    std::map<std::string, std::int64_t> evaluations;
    run(*program, each, &evaluations);
    roundings_ = 0;
  }

  static void count_nodes(const onnx::Graph& graph, std::map<std::string, std::int64_t>& nodes) {
    for (const onnx::Node& node : graph.nodes) {
      ++nodes[node.op_type];
      for (const onnx::Attribute& attribute : node.attributes)
        if (const auto* body = std::get_if<std::shared_ptr<const onnx::Graph>>(&attribute.payload))
          count_nodes(**body, nodes);
    }
  }

  /// Numbers for the symbols of the model's inputs, by their values in a run.
  static std::vector<std::pair<std::string, std::int64_t>> extents_of(const Model& model, const CaseRun& each) {
    std::map<std::string, std::int64_t> extents;
    const Result<NamedValues> inputs = read_values(each.inputs, model.inputs());
    if (!inputs.ok()) return {};
    for (const auto& [name, value] : *inputs)
      for (const Port& port : model.inputs()) {
        if (port.name != name || !port.type.shape || !value.is_tensor()) continue;
        const Dims shape = value.tensor().shape();
        for (std::size_t axis = 0; axis < shape.size() && axis < port.type.shape->size(); ++axis)
          if (!(*port.type.shape)[axis].symbol.empty()) extents[(*port.type.shape)[axis].symbol] = shape[axis];
      }
    return {extents.begin(), extents.end()};
  }

  /// What is said of the model's Scans.
  void check_explanation(const Model& model) {
    if (case_.classes.empty() && case_.plans.empty() && case_.refusals.empty() && case_.explanations.empty()) return;
    ExplainOptions options;
    options.threads = 2;
    options.dims = case_.dims;
    const Result<Explanation> explanation = explain(model, options);
    ASSERT_TRUE(explanation.ok()) << explanation.error().to_string();
    for (const std::string& words : case_.explanations)
      EXPECT_TRUE(has_words(explanation->text, words)) << "expected \"" << words << "\" in:\n" << explanation->text;
    const nlohmann::json scans = nlohmann::json::parse(explanation->json)["scans"];
    std::vector<std::string> classes;
    std::vector<std::string> plans;
    for (const auto& scan : scans) {
      for (const auto& component : scan["components"]) classes.push_back(component["class"]);
      plans.push_back(scan["plan"]["strategy"]);
    }
    if (!case_.classes.empty()) {
      EXPECT_EQ(classes, case_.classes) << explanation->text;
    }
    if (!case_.plans.empty()) {
      EXPECT_EQ(plans, case_.plans) << explanation->text;
    }
    for (const auto& [strategy, words] : case_.refusals) {
      if (strategy == "raise") {
        EXPECT_TRUE(has_words(explanation->text, "stays a Loop: ") && has_words(explanation->text, words))
            << explanation->text;
        continue;
      }
      ASSERT_FALSE(scans.empty());
      std::string found;
      for (const auto& each : scans[0]["plan"]["passed_over"])
        if (each["strategy"] == strategy) found = each["why"];
      for (const auto& component : scans[0]["components"])
        if (strategy == "class" && component.contains("refusal")) found = component["refusal"];
      EXPECT_TRUE(has_words(found, words)) << "expected \"" << words << "\" from " << strategy << ": " << found;
    }
  }

  /// Runs once; `evaluations` is given for the rewritten model, whose errors may come from elsewhere.
  void run(const Program& program, const CaseRun& run, std::map<std::string, std::int64_t>* evaluations) {
    const Result<NamedValues> inputs = read_values(run.inputs, program.inputs());
    ASSERT_TRUE(inputs.ok()) << inputs.error().to_string();
    const std::vector<NamedValue> named(inputs->begin(), inputs->end());
    RunOptions options;
    options.evaluations = evaluations;
    const Result<std::vector<Value>> got = program.run(std::span<const NamedValue>(named), options);
    if (run.error) {
      ASSERT_FALSE(got.ok()) << "the run of line " << run.inputs.line << " did not fail";
      if (evaluations == nullptr) expect_error(got.error(), *run.error);
      return;
    }
    ASSERT_TRUE(got.ok()) << "the run of line " << run.inputs.line << ": " << got.error().to_string();
    const Result<NamedValues> want = read_values(run.outputs, program.outputs());
    ASSERT_TRUE(want.ok()) << want.error().to_string();
    compare(program.outputs(), *got, *want);
  }

  void compare(const std::vector<Port>& outputs, const std::vector<Value>& got, const NamedValues& want) {
    ASSERT_EQ(got.size(), outputs.size());
    for (const auto& [name, value] : want) {
      const auto port =
          std::find_if(outputs.begin(), outputs.end(), [&](const Port& each) { return each.name == name; });
      ASSERT_NE(port, outputs.end()) << "the model has no output \"" << name << "\"";
      const Value& result = got[static_cast<std::size_t>(port - outputs.begin())];
      const Tolerance tolerance =
          roundings_ > 0 ? allow_roundings(case_.tolerance, value, roundings_) : case_.tolerance;
      if (const auto difference = first_difference(result, value, tolerance))
        ADD_FAILURE() << "output \"" << name << "\": " << *difference;
    }
    EXPECT_EQ(want.size(), outputs.size()) << "a case must give every output";
  }

  Case case_;
  std::filesystem::path folder_;
  int roundings_ = 0;  ///< what the tolerance has room for besides
};

/// A file that cannot be read is a test that fails.
class BadFileTest : public testing::Test {
 public:
  explicit BadFileTest(std::string message) : message_(std::move(message)) {}
  void TestBody() override { FAIL() << message_; }

 private:
  std::string message_;
};

void register_bad_file(const std::string& suite, const std::string& message) {
  testing::RegisterTest(suite.c_str(), "file", nullptr, nullptr, __FILE__, __LINE__,
                        [message]() -> testing::Test* { return new BadFileTest(message); });
}

Result<std::string> read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) return fail(Code::bad_file, "cannot read {}", path.string());
  return text;
}

void register_file(const std::filesystem::path& root, const std::filesystem::path& path) {
  const std::string suite = std::filesystem::relative(path, root).replace_extension().generic_string();
  const Result<std::string> text = read_text(path);
  if (!text.ok()) return register_bad_file(suite, text.error().to_string());
  Result<std::vector<Case>> cases = parse_case_file(*text);
  if (!cases.ok()) return register_bad_file(suite, path.string() + ": " + cases.error().to_string());
  for (Case& each : *cases) {
    if (!each.model_file.empty()) {
      Result<std::string> model = read_text(path.parent_path() / each.model_file);
      if (!model.ok()) return register_bad_file(suite, path.string() + ": " + model.error().to_string());
      each.model.text = std::move(model).value();
    }
    testing::RegisterTest(suite.c_str(), each.title.c_str(), nullptr, nullptr, path.c_str(), each.line,
                          [each, path]() -> testing::Test* { return new CaseTest(each, path.parent_path()); });
  }
}

void register_folder(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(root, error), end; at != end; at.increment(error)) {
    if (error) break;
    if (at->path().extension() == ".case") files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& path : files) register_file(root, path);
  if (files.empty()) register_bad_file("cases", "there are no .case files in " + root.string());
}

}  // namespace
}  // namespace pawl::tests

/// cases [folder or file]: the cases of the repository, or of one place.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::filesystem::path place = argc > 1 ? argv[1] : PAWL_CASES;
  if (std::filesystem::is_regular_file(place))
    pawl::tests::register_file(place.parent_path(), place);
  else
    pawl::tests::register_folder(place);
  return RUN_ALL_TESTS();
}
