// Linear attention and the delta rule: as a loop, without tiles and with them, and in chunks by products of matrices.
//   attention_chunks [RUNS]
// Prints, for models of examples/recurrences, the least of RUNS (101) runs of each way, in turns in one process, in
// nanoseconds of a step of one head. Run it where examples/ is.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>

#include "attention_products.h"
#include "backend/cpu/scan_kernels.h"
#include "backend/cpu/threads.h"
#include "example.h"

namespace {

using namespace pawl;
using Values = std::vector<Value>;

struct Measured {
  std::string_view model;
  std::int64_t steps = 0;
  std::int64_t heads = 0;
  std::int64_t width = 0;  ///< of keys and of values
};

constexpr Measured kSizes[] = {{"", 1024, 2, 64}, {"", 256, 2, 128}, {"", 64, 8, 128}, {"", 128, 2, 256}};

struct Problem {
  Measured size;
  Values inputs;  ///< by the graph's inputs
  std::map<std::string, const float*, std::less<>> named;
};

/// Keys and queries of length 1, values, decays and rates from 0.9 to 1.
Result<Problem> problem_of(const graph::Graph& graph, const Measured& size) {
  Problem made{size, {}, {}};
  std::mt19937 random(1);
  for (const graph::ValueId id : graph.inputs) {
    const Dims shape = graph[id].fact.type.static_shape().value_or(Dims{});
    TRY_ASSIGN(Tensor tensor, Tensor::allocate(DType::f32, shape));
    const std::string& name = graph[id].name;
    const double length = std::sqrt(static_cast<double>(size.width));
    std::normal_distribution<double> normal;
    for (float& each : tensor.mutable_values<float>()) {
      const double number = name == "S0"        ? 0
                            : shape.size() == 2 ? 1 - 0.1 * static_cast<double>(random()) / 4294967296.0
                                                : normal(random);
      each = static_cast<float>(name == "q" || name == "k" ? number / length : number);
    }
    made.named[name] = tensor.values<float>().data();
    made.inputs.emplace_back(std::move(tensor));
  }
  return made;
}

class Least {
 public:
  template <class F>
  Result<void> time(F&& f) {
    const auto start = std::chrono::steady_clock::now();
    TRY(f());
    least_ =
        std::min(least_, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
    return {};
  }
  [[nodiscard]] double per_step(const Measured& size) const {
    return least_ / static_cast<double>(size.steps * size.heads);
  }

 private:
  double least_ = 1e30;
};

/// The Scan as a kernel.
class Loop {
 public:
  Loop(const reference::Prepared& prepared, int threads, bool tiles) : prepared_(prepared) {
    kernel::FusedLoopPolicy policy;
    if (!tiles) policy.cache_bytes = std::int64_t{1} << 60;
    kernels_ = std::make_unique<cpu::ScanKernels>(cpu::ScanKernelOptions{threads, cpu::machine_code(), policy, {}});
  }
  Result<void> run(const Problem& problem) {
    reference::EvaluateOptions options;
    options.scans = kernels_.get();
    options.reuse = &outputs_;
    TRY_ASSIGN(outputs_, reference::evaluate(prepared_, problem.inputs, options));
    return {};
  }
  [[nodiscard]] const Tensor& y() const { return outputs_[1].tensor(); }

 private:
  const reference::Prepared& prepared_;
  std::unique_ptr<cpu::ScanKernels> kernels_;
  Values outputs_;
};

/// Products by hand, heads shared out to threads.
class Products {
 public:
  Products(const Problem& problem, int threads, std::int64_t chunk)
      : problem_(problem), threads_(threads), chunk_(chunk) {
    const Measured& size = problem.size;
    y_.resize(static_cast<std::size_t>(size.steps * size.heads * size.width));
    for (int i = 0; i < threads; ++i)
      scratch_.emplace_back(static_cast<std::size_t>(bench::scratch_floats(head(0), chunk)));
  }
  Result<void> run() {
    return cpu::run_parts(threads_, [&](int part) -> Result<void> {
      const std::int64_t heads = problem_.size.heads;
      for (std::int64_t i = heads * part / threads_; i < heads * (part + 1) / threads_; ++i)
        bench::attention_by_products(head(i), chunk_, scratch_[static_cast<std::size_t>(part)].data());
      return {};
    });
  }
  /// The largest difference.
  [[nodiscard]] double off(const Tensor& y) const {
    double most = 0;
    for (std::size_t i = 0; i < y_.size(); ++i)
      most = std::max(most, std::abs(static_cast<double>(y_[i]) - static_cast<double>(y.values<float>()[i])));
    return most;
  }

 private:
  bench::Head head(std::int64_t index) {
    const Measured& size = problem_.size;
    const auto input = [&](std::string_view name, std::int64_t at) -> const float* {
      const auto found = problem_.named.find(name);
      return found == problem_.named.end() ? nullptr : found->second + at;
    };
    const std::int64_t at = index * size.width;
    return {size.steps,     size.width,     size.width,        size.heads * size.width, size.heads,    input("q", at),
            input("k", at), input("v", at), input("a", index), input("b", index),       y_.data() + at};
  }

  const Problem& problem_;
  int threads_;
  std::int64_t chunk_;
  std::vector<float> y_;
  std::vector<std::vector<float>> scratch_;
};

Result<void> measure(const Measured& what, int threads, int runs) {
  TRY_ASSIGN(
      const bench::Example example,
      bench::read_example(what.model, {{"T", what.steps}, {"H", what.heads}, {"K", what.width}, {"V", what.width}}));
  const graph::Graph& graph = *example.graph;
  TRY_ASSIGN(const Problem problem, problem_of(graph, what));
  Loop plain(*example.prepared, threads, false), tiles(*example.prepared, threads, true);
  Products of_16(problem, threads, 16), of_32(problem, threads, 32);
  Least times[4];
  for (int i = 0; i < runs; ++i) {
    TRY(times[0].time([&] { return plain.run(problem); }));
    TRY(times[1].time([&] { return tiles.run(problem); }));
    TRY(times[2].time([&] { return of_16.run(); }));
    TRY(times[3].time([&] { return of_32.run(); }));
  }
  for (const Products* each : {&of_16, &of_32})
    if (each->off(tiles.y()) > 1e-4) fmt::print(stderr, "off by {}\n", each->off(tiles.y()));
  fmt::print("| {} | {} | {} | {} | {} ", what.model, what.steps, what.heads, what.width, threads);
  for (const Least& each : times) fmt::print("| {:.0f} ", each.per_step(what));
  const double products = std::min(times[2].per_step(what), times[3].per_step(what));
  fmt::print("| {:.2f} | {:.2f} |\n", times[0].per_step(what) / times[1].per_step(what),
             times[1].per_step(what) / products);
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  const int runs = count > 1 ? std::atoi(arguments[1]) : 101;
  fmt::print(
      "| model | T | H | K, V | threads | loop | loop in tiles | chunks of 16 | chunks of 32 | loop ÷ in tiles | in "
      "tiles ÷ chunks |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string_view model : {"linear_attention", "mamba2", "delta_rule", "gated_delta_rule"})
    for (Measured what : kSizes)
      for (const int threads : {1, 2}) {
        what.model = model;
        if (const Result<void> done = measure(what, threads, std::max(runs, 1)); !done.ok())
          fmt::print(stderr, "{}\n", done.error().to_string());
      }
  return 0;
}
