// pawl test: runs backend-test cases, and says which ones fail and which operators are missing.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/try.h"
#include "command.h"
#include "conformance.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

struct TestArguments {
  std::vector<std::string> directories;
  std::string json;
  double rtol = 1e-3;
  double atol = 1e-7;
  bool exact = false;
  bool expand = false;
  bool verbose = false;
};

struct Finished {
  Case test;
  CaseResult result;
  double seconds = 0;
};

struct Report {
  std::vector<Finished> cases;
  [[nodiscard]] std::ptrdiff_t count(Outcome outcome) const {
    return std::count_if(cases.begin(), cases.end(),
                         [&](const Finished& done) { return done.result.outcome == outcome; });
  }
  /// Missing operators, with the number of cases that need them.
  [[nodiscard]] std::vector<std::pair<OperatorName, std::size_t>> missing() const {
    std::map<OperatorName, std::size_t> counts;
    for (const Finished& done : cases)
      for (const OperatorName& name : done.result.missing) ++counts[name];
    std::vector<std::pair<OperatorName, std::size_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return sorted;
  }
};

const char* word(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed: return "passed";
    case Outcome::failed: return "failed";
    case Outcome::skipped: return "skipped";
  }
  return "";
}

std::string operators_text(const std::vector<OperatorName>& names) {
  std::string text;
  for (const auto& [domain, name] : names)
    text += (text.empty() ? "" : ", ") + (domain == "ai.onnx" ? name : domain + "." + name);
  return text;
}

void print_case(const Finished& done, bool verbose) {
  const CaseResult& result = done.result;
  if (result.outcome == Outcome::failed)
    print(printable(fmt::format("FAIL {}: {}", done.test.name, result.reason)) + "\n");
  else if (verbose && result.outcome == Outcome::skipped)
    print(printable(fmt::format("skip {}: {}", done.test.name,
                                result.missing.empty() ? result.reason : "needs " + operators_text(result.missing))) +
          "\n");
  else if (verbose)
    print(printable(fmt::format("ok   {}{}", done.test.name, result.reason.empty() ? "" : ": " + result.reason)) +
          "\n");
}

void print_report(const Report& report, bool verbose) {
  const auto missing = report.missing();
  if (!missing.empty()) {
    print(fmt::format("{:<36} {:<24} {}\n", "unsupported operator", "domain", "cases"));
    for (const auto& [name, cases] : missing)
      print(printable(fmt::format("{:<36} {:<24} {}", name.second, name.first, cases)) + "\n");
  }
  for (const Finished& done : report.cases)
    if (!verbose && done.result.outcome == Outcome::skipped && done.result.missing.empty())
      print(printable(fmt::format("skip {}: {}", done.test.name, done.result.reason)) + "\n");
  print(fmt::format("{} passed, {} failed, {} skipped\n", report.count(Outcome::passed), report.count(Outcome::failed),
                    report.count(Outcome::skipped)));
}

std::string json_text(const Report& report) {
  using Json = nlohmann::ordered_json;
  const auto operator_json = [](const OperatorName& name) {
    return Json{{"domain", name.first}, {"name", name.second}};
  };
  Json json = {{"passed", report.count(Outcome::passed)},
               {"failed", report.count(Outcome::failed)},
               {"skipped", report.count(Outcome::skipped)}};
  json["unsupported_operators"] = Json::array();
  for (const auto& [name, cases] : report.missing()) {
    Json entry = operator_json(name);
    entry["cases"] = cases;
    json["unsupported_operators"].push_back(std::move(entry));
  }
  json["cases"] = Json::array();
  for (const Finished& done : report.cases) {
    Json entry = {{"name", done.test.name},
                  {"folder", done.test.folder.string()},
                  {"outcome", word(done.result.outcome)},
                  {"reason", done.result.reason},
                  {"unsupported_operators", Json::array()},
                  {"seconds", done.seconds}};
    for (const OperatorName& name : done.result.missing) entry["unsupported_operators"].push_back(operator_json(name));
    json["cases"].push_back(std::move(entry));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<int> run_tests(const TestArguments& arguments) {
  for (const double tolerance : {arguments.rtol, arguments.atol})
    if (!(tolerance >= 0)) return fail(Code::bad_argument, "--rtol, --atol: expected 0 or more, got {}", tolerance);
  Expectation otherwise;
  otherwise.rtol = arguments.rtol;
  otherwise.atol = {arguments.atol};
  std::vector<Case> cases;
  for (const std::string& directory : arguments.directories) {
    TRY_ASSIGN(std::vector<Case> found, find_cases(directory, otherwise));
    std::move(found.begin(), found.end(), std::back_inserter(cases));
  }
  Report report;
  ProgressLine line;
  for (Case& test : cases) {
    line.show(fmt::format("{} of {}: {}", report.cases.size() + 1, cases.size(), test.name));
    const auto start = std::chrono::steady_clock::now();
    TRY_ASSIGN(CaseResult result,
               run_case(test, {run_options(line), arguments.exact ? Guarantee::exact : Guarantee::deterministic,
                               arguments.expand}));
    if (interrupt_flag()) return fail(Code::interrupted, "interrupted");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    report.cases.push_back({std::move(test), std::move(result), took.count()});
    if (report.cases.back().result.outcome == Outcome::failed) line.erase();
    print_case(report.cases.back(), arguments.verbose);
  }
  line.erase();
  print_report(report, arguments.verbose);
  if (!arguments.json.empty()) TRY(base::write_file(arguments.json, json_text(report)));
  return report.count(Outcome::failed) > 0 ? 1 : 0;
}

}  // namespace

Action define_test(CLI::App& command) {
  const auto arguments = std::make_shared<TestArguments>();
  command
      .add_option("DIR", arguments->directories,
                  "A case (a folder with a model and test_data_set_*), or a tree of cases")
      ->required();
  command.add_option("--json", arguments->json, "Write the results to FILE, too")->type_name("FILE");
  command.add_option("--rtol", arguments->rtol, "Relative tolerance, where no MODELS.tsv gives another")
      ->capture_default_str();
  command.add_option("--atol", arguments->atol, "Absolute tolerance, where no MODELS.tsv gives another")
      ->capture_default_str();
  command.add_flag("--exact", arguments->exact, "Run by the reference evaluator alone");
  command.add_flag("--expand", arguments->expand,
                   "Where operators have a function body, run the case a second time with the bodies in their place");
  command.add_flag("-v,--verbose", arguments->verbose, "A line for each case, and why it was skipped");
  return [arguments] { return run_tests(*arguments); };
}

}  // namespace pawl::cli
