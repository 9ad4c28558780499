// The first run of a model in a process of its own: what it costs, and the most memory that it takes.
//   first_run MODEL [--kernels off] [--threads N] INPUT.npy…
// Inputs are in the model's order. Prints one line of JSON: milliseconds of the clock and, as "cpu", of the processor;
// kB of memory. bench/first_runs.py calls it.
#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/try.h"
#include "pawl/program.h"
#include "pawl/value_file.h"

namespace pawl {
namespace {

struct Arguments {
  std::string model;
  CompileOptions options;
  std::vector<std::string> inputs;
};

Result<Arguments> parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--kernels" && i + 1 < words.size()) {
      arguments.options.kernels = words[++i] == "off" ? Kernels::off : Kernels::compiled;
    } else if (words[i] == "--threads" && i + 1 < words.size()) {
      arguments.options.threads = std::atoi(words[++i].c_str());
    } else if (arguments.model.empty()) {
      arguments.model = words[i];
    } else {
      arguments.inputs.push_back(words[i]);
    }
  }
  if (arguments.model.empty())
    return fail(Code::bad_argument, "first_run MODEL [--kernels off] [--threads N] INPUT.npy…");
  return arguments;
}

double processor_ms() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

/// A figure of /proc/self/status, in kB; 0 where there is none.
long status_kb(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    long kb = 0;
    if (word == name + ":" && file >> kb) return kb;
  }
  return 0;
}

/// Time since the one before.
class Laps {
 public:
  std::string next(const char* what) {
    const auto now = std::chrono::steady_clock::now();
    const double processor = processor_ms();
    std::string text =
        fmt::format(R"("{0}_ms": {1:.3f}, "{0}_cpu_ms": {2:.3f}, )", what,
                    std::chrono::duration<double, std::milli>(now - clock_).count(), processor - processor_);
    clock_ = now;
    processor_ = processor;
    return text;
  }

 private:
  std::chrono::steady_clock::time_point clock_ = std::chrono::steady_clock::now();
  double processor_ = processor_ms();
};

Result<std::string> measure(const std::vector<std::string>& words) {
  TRY_ASSIGN(const Arguments arguments, parse(words));
  std::vector<Value> inputs;
  for (const std::string& file : arguments.inputs) {
    TRY_ASSIGN(Value value, read_value(file, Type{}));
    inputs.push_back(std::move(value));
  }
  const long before = status_kb("VmHWM");
  Laps laps;
  std::string text;
  TRY_ASSIGN(const Model model, Model::load(arguments.model));
  text += laps.next("load");
  TRY_ASSIGN(const Program program, Program::compile(model, arguments.options));
  text += laps.next("compile");
  TRY_ASSIGN(std::vector<Value> results, program.run(inputs));
  text += laps.next("first");
  const long peak = status_kb("VmHWM");
  for (int i = 0; i < 3; ++i) {
    TRY_ASSIGN(results, program.run(inputs));
  }
  text += laps.next("next_three");
  return fmt::format(R"({{{}"start_kb": {}, "peak_kb": {}}})", text, before, peak);
}

}  // namespace
}  // namespace pawl

int main(int count, char** words) {
  const pawl::Result<std::string> line = pawl::measure({words + 1, words + count});
  fmt::print(line.ok() ? stdout : stderr, "{}\n", line.ok() ? *line : line.error().to_string());
  return line.ok() ? 0 : 1;
}
