// pawl bench: runs a model many times and says how long it takes.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "backend/cpu/threads.h"
#include "base/file.h"
#include "base/try.h"
#include "bench_report.h"
#include "command.h"
#include "device_option.h"
#include "model_inputs.h"
#include "pawl/program.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Without --runs: as many as fit into this time, within these bounds.
constexpr double kMeasuredMs = 2000;
constexpr int kFewestRuns = 5;
constexpr int kMostRuns = 1000;
/// Runs that are profiled: enough for a share, few enough for a viewer.
constexpr int kProfiledRuns = 10;

struct BenchArguments {
  InputArguments model;
  std::string device = "cpu";
  std::string kernels = "compiled";
  std::string trace;
  int threads = 0;
  std::optional<int> runs;  ///< none: as many as fit
  int warmup = 3;
  bool exact = false;
  bool json = false;
  bool profile = false;
};

Result<CompileOptions> read_options(const BenchArguments& arguments) {
  CompileOptions options;
  TRY_ASSIGN(const Kernels kernels, kernels_on(arguments.device));
  if (arguments.kernels != "off" && arguments.kernels != "compiled")
    return fail(Code::bad_argument, "--kernels {}: expected off or compiled", arguments.kernels);
  if (arguments.threads < 0)
    return fail(Code::bad_argument, "--threads {}: expected 0 (all cores) or more", arguments.threads);
  if (arguments.runs && *arguments.runs < 1)
    return fail(Code::bad_argument, "--runs {}: expected 1 or more", *arguments.runs);
  if (arguments.warmup < 0) return fail(Code::bad_argument, "--warmup {}: expected 0 or more", arguments.warmup);
  options.kernels = arguments.kernels == "off" ? Kernels::off : kernels;
  options.threads = arguments.threads > 0 ? arguments.threads : cpu::usable_cores();
  options.guarantee = arguments.exact ? Guarantee::exact : Guarantee::deterministic;
  return options;
}

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double bytes_of(const std::vector<Value>& values) {
  double bytes = 0;
  for (const Value& value : values)
    if (value.is_tensor() && value.tensor().defined())
      bytes += static_cast<double>(value.tensor().size()) * static_cast<double>(size_of(value.tensor().dtype()));
  return bytes;
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

/// Runs a program again and again. Each run gets the outputs of the one before for its own.
class Bench {
 public:
  Bench(const Program& program, const std::vector<Value>& inputs, std::uint64_t seed)
      : program_(program), inputs_(inputs) {
    options_.interrupted = &interrupt_flag();
    options_.reuse = &spare_;
    options_.seed = seed;
  }

  /// Milliseconds.
  Result<double> run(Profile* profile = nullptr) {
    spare_ = std::move(outputs_);
    options_.profile = profile;
    const Clock::time_point begin = Clock::now();
    Result<std::vector<Value>> outputs = program_.run(inputs_, options_);
    const double ms = ms_since(begin);
    if (!outputs.ok()) return std::move(outputs).error();
    outputs_ = std::move(outputs).value();
    return ms;
  }

  [[nodiscard]] const std::vector<Value>& outputs() const { return outputs_; }

 private:
  const Program& program_;
  const std::vector<Value>& inputs_;
  std::vector<Value> spare_;
  std::vector<Value> outputs_;
  RunOptions options_;
};

/// All runs, in order: the first, those that warm up, those that count, those that are profiled.
Result<void> measure(const BenchArguments& arguments, Bench& bench, BenchResult& result) {
  TRY_ASSIGN(result.first_run_ms, bench.run());
  for (int i = 0; i < arguments.warmup; ++i) TRY(bench.run());
  double spent = 0;
  const auto enough = [&](int done) {
    if (arguments.runs) return done >= *arguments.runs;
    return done >= kMostRuns || (done >= kFewestRuns && spent >= kMeasuredMs);
  };
  for (int done = 0; !enough(done); ++done) {
    TRY_ASSIGN(const double ms, bench.run());
    result.run_ms.push_back(ms);
    spent += ms;
  }
  result.peak_mb = peak_mb();
  const bool profiled = arguments.profile || !arguments.trace.empty();
  for (int i = 0; profiled && i < std::min(kProfiledRuns, static_cast<int>(result.run_ms.size())); ++i)
    TRY(bench.run(&result.profile));
  std::sort(result.run_ms.begin(), result.run_ms.end());
  return {};
}

Result<int> bench_model(BenchArguments arguments) {
  TRY(find_model(arguments.model, "bench"));
  TRY_ASSIGN(const CompileOptions options, read_options(arguments));
  BenchResult result;
  result.model = arguments.model.model;
  result.kernels = arguments.kernels;
  result.device = arguments.device;
  result.threads = options.threads;
  result.warmup = arguments.warmup;

  Clock::time_point begin = Clock::now();
  TRY_ASSIGN(const Model model, Model::load(result.model));
  result.load_ms = ms_since(begin);
  TRY_ASSIGN_IN_FILE(result.model, const std::vector<Value> inputs, gather_inputs(arguments.model, model.inputs()));
  begin = Clock::now();
  TRY_ASSIGN(const Program program, Program::compile(model, options));
  result.compile_ms = ms_since(begin);

  Bench bench(program, inputs, arguments.model.seed);
  TRY(measure(arguments, bench, result));
  result.io_bytes = bytes_of(inputs) + bytes_of(bench.outputs());
  TRY_ASSIGN(result.work, program.work(inputs));
  result.scans = program.kernel_report();
  result.limits = measure_limits(std::min(options.threads, cpu::usable_cores()));
  if (!arguments.trace.empty()) TRY(base::write_file(arguments.trace, trace_json(result.profile)));
  if (!arguments.profile) result.profile = Profile();
  print(arguments.json ? bench_json(result) : bench_text(result));
  return 0;
}

}  // namespace

Action define_bench(CLI::App& command) {
  const auto arguments = std::make_shared<BenchArguments>();
  define_input_options(command, arguments->model);
  command.add_option("--threads", arguments->threads, "Threads that a run may use; 0: one for each core")
      ->capture_default_str();
  command.add_option("--device", arguments->device, kDeviceHelp)->capture_default_str();
  command.add_option("--kernels", arguments->kernels, "What runs the bodies of Scans: compiled, or off, the reference")
      ->capture_default_str();
  command.add_flag("--exact", arguments->exact, "Give the bits of the reference evaluator");
  command.add_option("--runs", arguments->runs,
                     "Runs that are measured; otherwise as many as fit into two seconds, 5 to 1000");
  command.add_option("--warmup", arguments->warmup, "Runs before them, besides the first")->capture_default_str();
  command.add_flag("--json", arguments->json, "Print one JSON object");
  command.add_flag("--profile", arguments->profile, "Also say where the time goes: a table of nodes and kernels");
  command.add_option("--trace", arguments->trace, "Write the times of ten runs for the viewers of Chrome and Perfetto")
      ->type_name("FILE");
  return [arguments] { return bench_model(*arguments); };
}

}  // namespace pawl::cli
