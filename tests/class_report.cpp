// Prints the table of recurrence classes in docs/numerics.md: class_report [PARTS]. Models of examples/recurrences with
// random inputs in float32, three ways, against the evaluator in float64. The exit status is 1 where a model does not
// run, or is off by more units than it has steps.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <sstream>

#include "base/try.h"
#include "pawl/model.h"
#include "pawl/program.h"

namespace pawl {
namespace {

using Values = std::vector<Value>;
struct Range {
  double low = -1, high = 1;
};

struct Subject {
  const char* what;  ///< the class
  const char* model;
  std::map<std::string, std::int64_t> extents;
  std::map<std::string, Range> ranges;  ///< of inputs that are not in [-1, 1]
};

const std::vector<Subject>& subjects() {
  static const std::map<std::string, std::int64_t> kHeads = {{"T", 512}, {"H", 2}, {"K", 32}, {"V", 32}};
  static const std::vector<Subject> kSubjects = {
      {"sum", "prefix_sum", {{"T", 16384}, {"C", 32}}, {}},
      {"product", "running_product", {{"T", 4096}, {"C", 32}}, {{"x", {0.98, 1.02}}}},
      {"affine", "exponential_average", {{"T", 4096}, {"C", 32}}, {}},
      {"affine", "diagonal_gates", {{"T", 4096}, {"C", 32}}, {{"a", {0.98, 1}}}},
      {"affine, rank-1", "gated_linear_attention", kHeads, {{"a", {0.9, 1}}}},
      {"affine, rank-1", "mamba", {{"T", 512}, {"D", 64}, {"N", 16}}, {{"dt", {0, 1}}, {"A", {-1, 0}}}},
      {"sum, rank-1", "linear_attention", kHeads, {}},
      {"matrix, of states", "biquad", {{"T", 4096}, {"C", 32}}, {{"a1", {-1.5, -1.2}}, {"a2", {0.65, 0.75}}}},
      {"matrix, along an axis", "cumulative_matrix_product", {{"T", 64}}, {}},
      {"matrix, along an axis",
       "kalman_constant_gain",
       {{"T", 4096}},
       {{"A", {0.3, 0.5}}, {"K", {0.1, 0.2}}, {"H", {0.4, 0.6}}}},
      {"delta", "delta_rule", kHeads, {{"k", {-0.25, 0.25}}, {"b", {0, 1}}}},
      {"delta", "gated_delta_rule", kHeads, {{"k", {-0.25, 0.25}}, {"b", {0, 1}}, {"a", {0.9, 1}}}},
      {"max", "running_max", {{"T", 4096}, {"C", 32}}, {}},
      {"clamp-add", "clamp_add", {{"T", 4096}, {"C", 32}}, {}},
      {"max-plus", "lindley_queue", {{"T", 4096}, {"C", 32}}, {}},
      {"max-plus with a matrix", "viterbi", {{"T", 512}, {"K", 32}}, {}},
      {"log-sum-exp", "log_sum_exp", {{"T", 4096}, {"C", 32}}, {}},
      {"log-sum-exp with a matrix", "hmm_forward", {{"T", 512}, {"K", 32}}, {{"logA", {-6, -1}}}},
      {"masked affine", "masked_update", {{"T", 1024}, {"B", 2}, {"C", 16}}, {}},
      {"sum with reset", "segmented_sum", {{"T", 4096}, {"C", 32}}, {}},
      {"max-plus; affine", "wkv4", {{"T", 512}, {"C", 32}}, {{"w", {-1, 0}}}},
      {"max-plus; affine, rank-1", "mlstm", kHeads, {{"f", {-1, 0}}}},
      {"map", "pairwise_distances", {{"T", 512}, {"M", 64}, {"D", 32}}, {}},
      {"sequential",
       "gru",
       {{"T", 128}, {"B", 2}, {"D", 64}, {"H", 64}},
       {{"Wz", {-0.1, 0.1}},
        {"Wr", {-0.1, 0.1}},
        {"Wc", {-0.1, 0.1}},
        {"Rz", {-0.1, 0.1}},
        {"Rr", {-0.1, 0.1}},
        {"Rc", {-0.1, 0.1}}}},
      {"sequential",
       "lstm",
       {{"T", 128}, {"B", 2}, {"D", 64}, {"H", 64}, {"G", 256}},
       {{"W", {-0.1, 0.1}}, {"R", {-0.1, 0.1}}}},
  };
  return kSubjects;
}

/// The model in float64, with the constants of the one in float32.
std::string in_double(std::string text) {
  static const std::regex constant(R"(double( \w+|\[[^\]]*\] \w+) = \{([^}]*)\})");
  text = std::regex_replace(text, std::regex(R"(\bfloat\b)"), "double");
  std::string result;
  std::smatch found;
  while (std::regex_search(text, found, constant)) {
    std::string numbers;
    std::istringstream list(found[2]);
    for (std::string number; std::getline(list, number, ',');)
      numbers += fmt::format("{}{:.17g}", numbers.empty() ? "" : ", ", static_cast<double>(std::stof(number)));
    result += found.prefix().str() + "double" + found[1].str() + " = {" + numbers + "}";
    text = found.suffix();
  }
  return result + text;
}

Result<Values> random_inputs(const Program& program, const Subject& subject) {
  std::mt19937 random(5);
  Values inputs;
  for (const Port& port : program.inputs()) {
    Dims shape;
    for (const Dim& dim : *port.type.shape) shape.push_back(dim.known() ? dim.value : subject.extents.at(dim.symbol));
    TRY_ASSIGN(Tensor tensor, Tensor::allocate(port.type.dtype, shape));
    const auto found = subject.ranges.find(port.name);
    const Range range = found == subject.ranges.end() ? Range{} : found->second;
    std::uniform_real_distribution<double> number(range.low, range.high);
    if (port.type.dtype == DType::boolean) {
      for (bool& each : tensor.mutable_values<bool>()) each = number(random) > 0.8;
    } else {
      for (float& each : tensor.mutable_values<float>()) each = static_cast<float>(number(random));
    }
    inputs.emplace_back(std::move(tensor));
  }
  return inputs;
}

Result<Values> widened(const Values& values) {
  Values wide;
  for (const Value& each : values) {
    if (each.tensor().dtype() != DType::f32) {
      wide.push_back(each);
      continue;
    }
    TRY_ASSIGN(Tensor tensor, Tensor::allocate(DType::f64, each.tensor().shape()));
    const auto from = each.tensor().values<float>();
    std::copy(from.begin(), from.end(), tensor.mutable_values<double>().begin());
    wide.emplace_back(std::move(tensor));
  }
  return wide;
}

/// The largest difference of an output, in units of 2^-24 of that output's largest number.
double error_of(const Values& got, const Values& want) {
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i].tensor().dtype() != DType::f32) continue;
    const auto have = got[i].tensor().values<float>();
    const auto truth = want[i].tensor().values<double>();
    double largest = 0, off = 0;
    for (std::size_t k = 0; k < have.size(); ++k) {
      largest = std::max(largest, std::abs(truth[k]));
      off = std::max(off, std::abs(static_cast<double>(have[k]) - truth[k]));
    }
    if (largest > 0) worst = std::max(worst, off / largest * 0x1p24);
  }
  return worst;
}

bool is_in_chunks(const Program& program) {
  const std::vector<std::string> lines = program.kernel_report();
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) { return line.ends_with("chunks"); });
}

/// Prints the row; false where an error is too large.
Result<bool> report(const Subject& subject, int parts) {
  std::ifstream file(fmt::format("{}/examples/recurrences/{}.onnxtxt", PAWL_SOURCE, subject.model));
  std::ostringstream text;
  text << file.rdbuf();
  TRY_ASSIGN(const Model model, Model::from_text(text.str()));
  TRY_ASSIGN(const Model wide, Model::from_text(in_double(text.str())));
  TRY_ASSIGN(const Program truth, Program::compile(wide, {.kernels = Kernels::off}));
  TRY_ASSIGN(const Program reference, Program::compile(model, {.kernels = Kernels::off}));
  TRY_ASSIGN(const Values inputs, random_inputs(reference, subject));
  TRY_ASSIGN(const Values wide_inputs, widened(inputs));
  TRY_ASSIGN(const Values want, truth.run(wide_inputs));
  const CompileOptions ways[] = {
      {.kernels = Kernels::off}, {.kernels = Kernels::compiled}, {.kernels = Kernels::compiled, .parts = parts}};
  bool right = true;
  std::string row = fmt::format("| {} | {} | {} |", subject.what, subject.model, subject.extents.at("T"));
  for (const CompileOptions& way : ways) {
    TRY_ASSIGN(const Program program, Program::compile(model, way));
    TRY_ASSIGN(const Values got, program.run(inputs));
    const bool runs_so = way.parts == 0 || is_in_chunks(program);
    right = right && error_of(got, want) <= static_cast<double>(subject.extents.at("T"));
    row += runs_so ? fmt::format(" {:.3g} |", error_of(got, want)) : std::string(" |");
  }
  fmt::print("{}\n", row);
  return right;
}

}  // namespace
}  // namespace pawl

int main(int argc, char** argv) {
  const int parts = argc > 1 ? std::atoi(argv[1]) : 16;
  fmt::print("| class | model | steps | evaluator | kernels | in {} parts |\n|---|---|---|---|---|---|\n", parts);
  int status = 0;
  for (const pawl::Subject& subject : pawl::subjects()) {
    const pawl::Result<bool> right = pawl::report(subject, parts);
    if (!right.ok() || !*right) {
      status = 1;
      fmt::print(stderr, "{}: {}\n", subject.model, right.ok() ? "off by too much" : right.error().to_string());
    }
  }
  return status;
}
