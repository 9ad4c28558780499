// Measures any model in pawl and in ONNX Runtime, in turns, in one process, each with buffers that stay where they are.
//   measure_models MODEL [--data FOLDER | --input NAME=FILE… | --random-inputs] [--dim T=512…] [--state IN=OUT…]
//                  [--ort LIBRARY] [--threads 1,2] [--json FILE]
// Outputs are compared with those of pawl's evaluator. A line per number of threads, on the console and as JSON. The
// exit status is 1 when pawl's outputs are off.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "../../cli/model_inputs.h"
#include "../../cli/random_inputs.h"
#include "base/try.h"
#include "measure.h"
#include "pawl/value_file.h"

namespace pawl::bench {
namespace {

using nlohmann::json;

struct Options {
  cli::InputArguments model;
  std::string name, data, library, json_file;
  std::vector<std::string> states;
  std::vector<int> threads = {1, 2};
  double tolerance = 1e-3;
  MeasureOptions measuring;
};

/// A tensor whose axes have other extents, its elements again and again along longer ones. Errors: limit.
Result<Tensor> repeated(const Tensor& from, const Dims& shape) {
  TRY_ASSIGN(const Tensor dense, from.clone());
  if (dense.size() == 0 || dense.shape() == shape) return dense;
  TRY_ASSIGN(Tensor made, Tensor::allocate(from.dtype(), shape));
  const std::size_t size = size_of(from.dtype());
  for (std::int64_t i = 0; i < made.size(); ++i) {
    std::int64_t rest = i, place = 0, stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0; stride *= dense.shape()[axis]) {
      place += rest % shape[axis] % dense.shape()[axis] * stride;
      rest /= shape[axis];
    }
    std::copy_n(dense.bytes() + static_cast<std::size_t>(place) * size, size,
                made.mutable_bytes() + static_cast<std::size_t>(i) * size);
  }
  return made;
}

/// The inputs of a test case, input_0.pb and so on, where a symbol of --dim gets its extent by repetition.
Result<std::vector<Value>> read_case_inputs(const Options& options, const std::vector<Port>& ports) {
  TRY_ASSIGN(const cli::DimValues dims, cli::parse_dims(options.model.dims, ports));
  std::vector<Value> values;
  int number = 0;
  for (const Port& port : ports) {
    if (port.has_default) {
      values.emplace_back(Tensor());
      continue;
    }
    TRY_ASSIGN(const Value value, read_value(fmt::format("{}/input_{}.pb", options.data, number++), port.type));
    if (!value.is_tensor()) return fail(Code::unsupported, "input \"{}\" is no tensor", port.name);
    Dims shape = value.tensor().shape();
    for (std::size_t axis = 0; axis < shape.size() && port.type.shape && axis < port.type.shape->size(); ++axis) {
      const Dim& declared = (*port.type.shape)[axis];
      for (const std::string& key : {declared.symbol, fmt::format("{}.{}", port.name, axis)})
        if (const auto found = dims.find(key); !declared.known() && found != dims.end()) shape[axis] = found->second;
    }
    TRY_ASSIGN(Tensor tensor, repeated(value.tensor(), shape));
    values.emplace_back(std::move(tensor));
  }
  return values;
}

/// The model with its inputs, and with the evaluator's outputs as what is expected.
Result<Case> make_case(const Options& options) {
  Case c;
  c.scan = options.model.model;
  c.tolerance = options.tolerance;
  c.family = options.name;
  TRY_ASSIGN(const Model model, Model::load(c.scan));
  TRY_ASSIGN(const std::vector<Value> values, options.data.empty() ? cli::gather_inputs(options.model, model.inputs())
                                                                   : read_case_inputs(options, model.inputs()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_tensor()) return fail(Code::unsupported, "input \"{}\" is no tensor", model.inputs()[i].name);
    c.inputs.emplace_back(model.inputs()[i].name, values[i].tensor());
  }
  TRY_ASSIGN(const Candidate evaluator, pawl_candidate(c, "evaluator", Kernels::off, 1));
  TRY(evaluator.run());
  c.outputs = evaluator.results();
  return c;
}

/// pawl as a caller that streams runs it: a state of the run before is given to the next one for its own.
Result<Candidate> streaming_candidate(const Case& c, const std::vector<std::string>& states, int threads) {
  struct State {
    Program program;
    std::vector<Value> inputs, outputs, spare;
    std::vector<std::pair<std::size_t, std::size_t>> states;
  };
  TRY_ASSIGN(const Model model, Model::load(c.scan));
  CompileOptions options;
  options.threads = threads;
  TRY_ASSIGN(Program program, Program::compile(model, options));
  auto state = std::make_shared<State>(State{std::move(program), {}, {}, {}, {}});
  for (const NamedTensor& input : c.inputs) state->inputs.emplace_back(input.second);
  const auto find = [](const std::vector<Port>& ports, const std::string& name) {
    std::size_t place = 0;
    while (place < ports.size() && ports[place].name != name) ++place;
    return place;
  };
  for (const std::string& pair : states) {
    const std::size_t middle = std::min(pair.find('='), pair.size() - 1);
    const std::size_t in = find(model.inputs(), pair.substr(0, middle));
    const std::size_t out = find(model.outputs(), pair.substr(middle + 1));
    if (in == model.inputs().size() || out == model.outputs().size())
      return fail(Code::bad_argument, "--state {}: expected INPUT=OUTPUT", pair);
    state->states.emplace_back(in, out);
    TRY_ASSIGN(Tensor own, c.inputs[in].second.clone());
    state->inputs[in] = Value(std::move(own));
  }
  Candidate candidate;
  candidate.name = "pawl";
  candidate.run = [state]() -> Result<void> {
    if (!state->outputs.empty())
      for (const auto& [in, out] : state->states) state->inputs[in] = std::move(state->outputs[out]);
    state->spare = std::move(state->outputs);
    std::vector<Value> given(state->inputs.size());
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = state->inputs[i];
    for (const auto& [in, out] : state->states) state->inputs[in] = Value(Tensor());
    RunOptions run_options;
    run_options.reuse = &state->spare;
    TRY_ASSIGN(state->outputs, state->program.run_in_place(std::move(given), run_options));
    return {};
  };
  candidate.results = [state] {
    std::vector<NamedTensor> results;
    for (std::size_t i = 0; i < state->outputs.size(); ++i)
      results.emplace_back(state->program.outputs()[i].name, state->outputs[i].tensor());
    return results;
  };
  candidate.plan = [state] { return state->program.kernel_report(); };
  return candidate;
}

/// Runs and measures what can run; a line of JSON.
Result<json> measure_model(const Case& c, const Options& options, const std::optional<OnnxRuntime>& runtime,
                           int threads) {
  json line = {{"model", c.family}, {"dims", options.model.dims}, {"threads", threads}, {"notes", json::object()}};
  std::vector<Candidate> candidates;
  const auto add = [&](const std::string& name, Result<Candidate> made) {
    const Result<void> done = made ? made->run() : Result<void>(made.error());
    if (!done) {
      line["notes"][name] = done.error().to_string();
      return;
    }
    const double error = error_of(c.outputs, made->results());
    line["errors"][name] = error;
    if (!acceptable(c, error)) line["notes"][name] = fmt::format("off by {:.2g}", error);
    candidates.push_back(std::move(*made));
  };
  if (runtime) add("ort", ort_candidate(c, "ort", *runtime, c.scan, threads));
  add("pawl", options.states.empty() ? pawl_candidate(c, "pawl", Kernels::compiled, threads)
                                     : streaming_candidate(c, options.states, threads));
  TRY_ASSIGN(const std::vector<Timing> timings, measure(candidates, options.measuring));
  for (std::size_t i = 0; i < timings.size(); ++i) {
    line["times"][candidates[i].name] = {{"least_ms", timings[i].least_ms},
                                         {"best_ms", timings[i].best_ms},
                                         {"median_ms", timings[i].median_ms},
                                         {"runs", timings[i].runs}};
    if (candidates[i].plan) line["scans"] = candidates[i].plan();
  }
  return line;
}

void print(const json& line) {
  fmt::print("{:<28} {:<8} {}", line["model"].get<std::string>(),
             fmt::join(line["dims"].get<std::vector<std::string>>(), " "), line["threads"].get<int>());
  const json times = line.value("times", json::object());
  for (const auto& [name, time] : times.items()) fmt::print("  {} {:.4g} ms", name, time["best_ms"].get<double>());
  if (times.contains("ort") && times.contains("pawl"))
    fmt::print("  ×{:.3g}", times["ort"]["best_ms"].get<double>() / times["pawl"]["best_ms"].get<double>());
  for (const auto& [name, note] : line["notes"].items()) fmt::print("\n  {}: {}", name, note.get<std::string>());
  for (const json& scan : line.value("scans", json::array())) fmt::print("\n  {}", scan.get<std::string>());
  fmt::print("\n");
  std::fflush(stdout);
}

/// False when pawl is wrong, or cannot run the model.
Result<bool> run(const Options& options) {
  std::optional<OnnxRuntime> runtime;
  if (!options.library.empty()) {
    TRY_ASSIGN(runtime, OnnxRuntime::load(options.library));
  }
  TRY_ASSIGN(const Case c, make_case(options));
  std::ofstream file;
  if (!options.json_file.empty()) {
    file.open(options.json_file, std::ios::app);
    if (!file) return fail(Code::io, "{} cannot be written", options.json_file);
  }
  bool good = true;
  for (const int threads : options.threads) {
    TRY_ASSIGN(const json line, measure_model(c, options, runtime, threads));
    print(line);
    if (file.is_open()) file << line.dump() << '\n' << std::flush;
    good = good && !line["notes"].contains("pawl");
  }
  return good;
}

}  // namespace
}  // namespace pawl::bench

int main(int count, char** arguments) {
  pawl::bench::Options options;
  CLI::App app("Measures a model in pawl and in ONNX Runtime");
  pawl::cli::define_input_options(app, options.model);
  app.add_option("--name", options.name, "what the lines call it");
  app.add_option("--data", options.data, "a folder with input_0.pb …; dims of --dim are filled by repetition");
  app.add_option("--state", options.states, "INPUT=OUTPUT …: each run of pawl gets the state of the one before");
  app.add_option("--ort", options.library, "libonnxruntime.so");
  app.add_option("--threads", options.threads, "numbers of threads, one after the other")->delimiter(',');
  app.add_option("--tolerance", options.tolerance, "of outputs, over 1 + their root mean square")
      ->capture_default_str();
  app.add_option("--rounds", options.measuring.rounds, "passes of each candidate");
  app.add_option("--pass", options.measuring.pass_seconds, "seconds that a pass takes");
  app.add_option("--json", options.json_file, "adds a line of JSON per number of threads");
  CLI11_PARSE(app, count, arguments);
  if (options.name.empty()) options.name = options.model.model;
  const pawl::Result<bool> good = pawl::bench::run(options);
  if (!good) {
    fmt::print(stderr, "error: {}: {}\n", options.name, good.error().to_string());
    return 2;
  }
  return *good ? 0 : 1;
}
