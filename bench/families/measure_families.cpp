// Runs cases that generate.py wrote: checks each candidate against the expected results, then measures them in turns.
//   measure_families CASE… [--check] [--ort LIBRARY] [--threads 1,2] [--only pawl,hand] [--json FILE]
// A line per case and number of threads; the same as JSON lines, after one about the machine. The exit status is 1 when
// a result is wrong.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/try.h"
#include "machine.h"
#include "measure.h"

namespace pawl::bench {
namespace {

using nlohmann::json;

struct Options {
  std::vector<std::string> cases;
  bool check = false;
  std::string library, json_file;
  std::vector<int> threads = {1, 2};
  std::vector<std::string> only;
  MeasureOptions measuring;
};

bool wanted(const Options& options, const std::string& name) {
  return options.only.empty() || std::find(options.only.begin(), options.only.end(), name) != options.only.end();
}

/// All that can run the case; what cannot is noted in `notes`.
std::vector<Candidate> gather(const Case& c, const Options& options, const std::optional<OnnxRuntime>& runtime,
                              int threads, Team& team, json& notes) {
  std::vector<Candidate> candidates;
  const auto add = [&](const std::string& name, const auto& make) {
    if (!wanted(options, name)) return;
    Result<Candidate> made = make();
    if (made) {
      candidates.push_back(std::move(*made));
    } else {
      notes[name] = made.error().to_string();
    }
  };
  if (runtime) {
    add("ort", [&] { return ort_candidate(c, "ort", *runtime, c.scan, threads); });
    if (!c.fused.empty()) add("fused", [&] { return ort_candidate(c, "fused", *runtime, c.fused, threads); });
  }
  if (can_by_hand(c)) add("hand", [&] { return hand_candidate(c, team); });
  add("pawl", [&] { return pawl_candidate(c, "pawl", Kernels::compiled, threads); });
  if (options.check) {
    add("evaluator", [&] { return pawl_candidate(c, "evaluator", Kernels::off, threads); });
  } else {
    add("copy", [&] { return copy_candidate(c, team); });
  }
  return candidates;
}

/// Runs each once. Those that fail or are wrong are taken out, and noted.
void check(const Case& c, std::vector<Candidate>& candidates, json& line) {
  const auto bad = [&](Candidate& candidate) {
    const Result<void> done = candidate.run();
    if (!done) {
      line["notes"][candidate.name] = done.error().to_string();
      return true;
    }
    if (!candidate.results) return false;
    const double error = error_of(c.outputs, candidate.results());
    if (error < 1e300) line["errors"][candidate.name] = error;
    if (acceptable(c, error)) return false;
    line["notes"][candidate.name] = fmt::format("wrong: off by {}", error);
    return true;
  };
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(), bad), candidates.end());
}

Result<void> measure_all(const std::vector<Candidate>& candidates, const Options& options, json& line) {
  TRY_ASSIGN(const std::vector<Timing> timings, measure(candidates, options.measuring));
  for (std::size_t i = 0; i < timings.size(); ++i) {
    line["times"][candidates[i].name] = {{"least_ms", timings[i].least_ms},
                                         {"best_ms", timings[i].best_ms},
                                         {"median_ms", timings[i].median_ms},
                                         {"pass_ms", timings[i].pass_ms},
                                         {"runs", timings[i].runs}};
  }
  return {};
}

void print(const Case& c, int threads, const json& line) {
  fmt::print("{:<26} {}", c.name(), threads);
  for (const auto& [name, error] : line["errors"].items()) {
    if (!line.contains("times")) fmt::print("  {} off by {:.1e}", name, error.get<double>());
  }
  if (line.contains("times")) {
    for (const char* name : {"ort", "fused", "hand", "pawl", "copy"}) {
      if (line["times"].contains(name)) fmt::print("  {} {:.4g}", name, line["times"][name]["best_ms"].get<double>());
    }
    if (line["times"].contains("ort")) {
      const double ort = line["times"]["ort"]["best_ms"];
      for (const char* name : {"hand", "pawl"}) {
        if (line["times"].contains(name))
          fmt::print("  {} ×{:.3g}", name, ort / line["times"][name]["best_ms"].get<double>());
      }
    }
  }
  for (const auto& [name, note] : line["notes"].items()) fmt::print("\n  {}: {}", name, note.get<std::string>());
  fmt::print("\n");
  std::fflush(stdout);
}

/// False when a result is wrong, or pawl cannot run it.
Result<bool> run_case(const Case& c, const Options& options, const std::optional<OnnxRuntime>& runtime, int threads,
                      std::ofstream& file) {
  Team team(threads);
  json line = {
      {"case", json::parse(c.text)}, {"threads", threads}, {"notes", json::object()}, {"errors", json::object()}};
  std::vector<Candidate> candidates = gather(c, options, runtime, threads, team, line["notes"]);
  check(c, candidates, line);
  for (const Candidate& candidate : candidates)
    if (candidate.plan) line["plans"][candidate.name] = candidate.plan();
  if (!options.check) TRY(measure_all(candidates, options, line));
  print(c, threads, line);
  if (file.is_open()) file << line.dump() << '\n' << std::flush;
  const json& notes = line["notes"];
  return !notes.contains("pawl") && !notes.contains("evaluator") && !notes.contains("hand");
}

json describe_machine(const Options& options, const std::optional<OnnxRuntime>& runtime) {
  json machine = {{"processor", processor()}, {"load", load()}, {"peak_operations", json::object()}};
  for (const int threads : options.threads) {
    Team team(threads);
    machine["peak_operations"][std::to_string(threads)] = peak_operations(team);
  }
  if (runtime) machine["ort"] = runtime->version();
  return {{"machine", machine}};
}

Result<bool> run_all(const Options& options) {
  std::optional<OnnxRuntime> runtime;
  if (!options.library.empty()) {
    TRY_ASSIGN(runtime, OnnxRuntime::load(options.library));
  }
  std::ofstream file;
  if (!options.json_file.empty()) {
    file.open(options.json_file);
    if (!file) return fail(Code::io, "{} cannot be written", options.json_file);
  }
  if (!options.check) {
    const json machine = describe_machine(options, runtime);
    fmt::print("{}\n", machine.dump());
    if (file.is_open()) file << machine.dump() << '\n';
  }
  bool good = true;
  for (const std::string& folder : options.cases) {
    TRY_ASSIGN(const Case c, load_case(folder));
    for (const int threads : options.threads) {
      TRY_ASSIGN(const bool fine, run_case(c, options, runtime, threads, file));
      good = good && fine;
    }
  }
  return good;
}

}  // namespace
}  // namespace pawl::bench

int main(int count, char** arguments) {
  pawl::bench::Options options;
  CLI::App app("Checks and measures the benchmark families");
  app.add_option("cases", options.cases, "folders that generate.py wrote")->required();
  app.add_flag("--check", options.check, "only compare results, pawl's evaluator's too");
  app.add_option("--ort", options.library, "libonnxruntime.so");
  app.add_option("--threads", options.threads, "numbers of threads, one after the other")->delimiter(',');
  app.add_option("--only", options.only, "of ort, fused, hand, pawl, evaluator, copy")->delimiter(',');
  app.add_option("--rounds", options.measuring.rounds, "passes of each candidate");
  app.add_option("--pass", options.measuring.pass_seconds, "seconds that a pass takes");
  app.add_option("--json", options.json_file, "writes a line of JSON per case and number of threads");
  CLI11_PARSE(app, count, arguments);
  const pawl::Result<bool> good = pawl::bench::run_all(options);
  if (!good) {
    fmt::print(stderr, "error: {}\n", good.error().to_string());
    return 2;
  }
  return *good ? 0 : 1;
}
