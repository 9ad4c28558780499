// Long sequences of few channels: as a loop, and in chunks side by side.
//   chunks [RUNS]
// Prints, for models of examples/recurrences, the least of RUNS (41) runs of each way, in turns in one process, in
// microseconds, and what plan::ChunkPolicy chooses. Run it where examples/ is.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>

#include "backend/cpu/scan_kernels.h"
#include "example.h"
#include "plan/plan.h"

namespace {

using namespace pawl;
using Values = std::vector<Value>;

struct Measured {
  std::string_view model;
  std::int64_t steps = 0;
  std::int64_t channels = 1;
};

constexpr Measured kMeasured[] = {
    {"prefix_sum", 65536},
    {"prefix_sum", 1000000},
    {"prefix_sum", 1000000, 2},
    {"running_max", 1000000},
    {"running_max", 1000000, 2},
    {"exponential_average", 16384},
    {"exponential_average", 65536},
    {"exponential_average", 1000000},
    {"exponential_average", 262144, 2},
    {"exponential_average", 262144, 4},
    {"diagonal_gates", 1000000},
    {"biquad", 4096},
    {"biquad", 16384},
    {"biquad", 262144},
    {"biquad", 65536, 4},
    {"log_sum_exp", 1024},
    {"log_sum_exp", 65536},
    {"log_sum_exp", 65536, 16},
    {"segmented_sum", 262144},
    {"running_arg_max", 262144},
};

Result<Tensor> random_tensor(const Type& type) {
  static constexpr double kScale = 1.0 / 4294967296.0;
  std::mt19937 random(1);
  const Dims shape = type.static_shape().value_or(Dims{});
  TRY_ASSIGN(Tensor made, Tensor::allocate(type.dtype, shape));
  if (type.dtype == DType::f32)
    for (float& each : made.mutable_values<float>()) each = static_cast<float>(random() * kScale * 1.8 - 0.9);
  else if (type.dtype == DType::i64)
    for (std::int64_t& each : made.mutable_values<std::int64_t>()) each = random() % 10;
  else
    for (bool& each : made.mutable_values<bool>()) each = random() % 16 == 0;
  return made;
}

struct Way {
  std::unique_ptr<cpu::ScanKernels> kernels;
  Values outputs;
  std::vector<double> times;
};

Result<void> run_once(const reference::Prepared& prepared, const Values& inputs, Way& way, bool counts) {
  reference::EvaluateOptions options;
  options.scans = way.kernels.get();
  options.reuse = &way.outputs;
  const auto start = std::chrono::steady_clock::now();
  TRY_ASSIGN(Values outputs, reference::evaluate(prepared, inputs, options));
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  if (counts) way.times.push_back(took.count());
  way.outputs = std::move(outputs);
  return {};
}

Way way_of(int threads, plan::ChunkPolicy policy) {
  return {std::make_unique<cpu::ScanKernels>(cpu::ScanKernelOptions{threads, cpu::machine_code(), {}, policy}), {}, {}};
}

double least(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

Result<void> measure(const Measured& what, int threads, int runs) {
  TRY_ASSIGN(const bench::Example example, bench::read_example(what.model, {{"T", what.steps}, {"C", what.channels}}));
  const graph::Graph& graph = *example.graph;
  Values inputs;
  for (const graph::ValueId id : graph.inputs) {
    TRY_ASSIGN(Tensor made, random_tensor(graph[id].fact.type));
    inputs.emplace_back(std::move(made));
  }
  Way loop = way_of(threads, {.most_lanes = 0});
  Way chunks = way_of(threads, {.fixed = -1e18});
  for (int i = 0; i < runs + 3; ++i) {
    TRY(run_once(*example.prepared, inputs, loop, i >= 3));
    TRY(run_once(*example.prepared, inputs, chunks, i >= 3));
  }
  TRY_ASSIGN(const std::vector<scan::ScanFacts> facts, scan::analyse(graph));
  const plan::ScanPlan plan = plan::choose(facts[0], {.threads = threads});
  const double one = least(loop.times), other = least(chunks.times);
  fmt::print("| {} | {} | {} | {} | {:.0f} | {:.0f} | {:.2f} | {} |\n", what.model, what.steps, what.channels, threads,
             one, other, one / other, plan.strategy == "chunked_scan" ? "chunks" : "loop");
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  const int runs = count > 1 ? std::atoi(arguments[1]) : 41;
  fmt::print(
      "| model | T | C | threads | loop, µs | chunks, µs | ratio | chosen |\n|---|---|---|---|---|---|---|---|\n");
  for (const Measured& what : kMeasured)
    for (const int threads : {1, 2})
      if (const Result<void> done = measure(what, threads, std::max(runs, 1)); !done.ok())
        fmt::print(stderr, "{}\n", done.error().to_string());
  return 0;
}
