// A language model over bytes writes text: one call for the prompt, then one call per byte, with the model's states
// carried from call to call. First it checks the model against its own test data.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/program.h"
#include "pawl/value_file.h"

namespace {

using pawl::Error;
using pawl::Program;
using pawl::Result;
using pawl::Tensor;
using pawl::Value;

struct Options {
  std::filesystem::path folder;
  std::string prompt = "NAME\n       ";
  int bytes = 400;
  double temperature = 0.5;  ///< 0: always the likeliest byte
  std::uint64_t seed = 7;
};

Error failure(std::string message) { return Error{pawl::Code::bad_value, std::move(message), {}}; }

/// The largest |got - want|; an error where it is more than atol + 1e-4 * |want|.
Result<double> largest_difference(const Tensor& got, const Tensor& want, double atol) {
  if (got.shape() != want.shape())
    return failure("shape " + to_string(got.shape()) + ", want " + to_string(want.shape()));
  const Result<Tensor> aligned = want.to_dense();  // a tensor in a mapped file may lie unaligned
  if (!aligned) return aligned.error();
  double largest = 0;
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double wanted = aligned->values<float>()[i];
    const double apart = std::abs(got.values<float>()[i] - wanted);
    if (!(apart <= atol + 1e-4 * std::abs(wanted)))
      return failure("element " + std::to_string(i) + " is off by " + std::to_string(apart));
    largest = std::max(largest, apart);
  }
  return largest;
}

Result<Value> read_port(const std::filesystem::path& data, const char* what, std::size_t i,
                        const std::vector<pawl::Port>& ports) {
  return pawl::read_value(data / (what + std::to_string(i) + ".pb"), ports[i].type);
}

/// Runs the model on its own test data and compares with the values of the framework that made it.
Result<void> check_test_data(const Program& program, const std::filesystem::path& data) {
  constexpr double kTolerances[] = {2e-4, 2e-5, 2e-5};  // logits, conv_state, ssm_state
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < program.inputs().size(); ++i) {
    Result<Value> input = read_port(data, "input_", i, program.inputs());
    if (!input) return input.error();
    inputs.push_back(*std::move(input));
  }
  const Result<std::vector<Value>> outputs = program.run(inputs);
  if (!outputs) return outputs.error();
  for (std::size_t i = 0; i < outputs->size(); ++i) {
    const std::string& name = program.outputs()[i].name;
    const Result<Value> want = read_port(data, "output_", i, program.outputs());
    if (!want) return want.error();
    Result<double> largest = largest_difference((*outputs)[i].tensor(), want->tensor(), kTolerances[i]);
    if (!largest) return std::move(largest).error().in("output " + name);
    std::printf("test data: %s agrees, largest difference %.1e\n", name.c_str(), *largest);
  }
  return {};
}

/// The next byte, given its 256 logits.
int choose(std::span<const float> logits, double temperature, std::mt19937_64& random) {
  int best = 0;
  for (int i = 0; i < 256; ++i)
    if (logits[i] > logits[best]) best = i;
  if (temperature <= 0) return best;
  double sum = 0;
  double weights[256];
  for (int i = 0; i < 256; ++i) sum += weights[i] = std::exp((logits[i] - logits[best]) / temperature);
  double draw = static_cast<double>(random() >> 11) * 0x1p-53 * sum;
  for (int i = 0; i < 256; ++i)
    if ((draw -= weights[i]) < 0) return i;
  return best;
}

void print_byte(int byte) {
  const bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
  std::putchar(control ? '?' : byte);
  std::fflush(stdout);
}

/// The model's states, zero at the start.
class Writer {
 public:
  explicit Writer(const Program& program) : program_(program) {}

  Result<void> start() {
    for (std::size_t i = 1; i < program_.inputs().size(); ++i) {
      Result<Tensor> zeros =
          Tensor::allocate(pawl::DType::f32, program_.inputs()[i].type.static_shape().value_or(pawl::Dims{}));
      if (!zeros) return zeros.error();
      for (float& element : zeros->mutable_values<float>()) element = 0;
      states_.emplace_back(*std::move(zeros));
    }
    return {};
  }

  /// Takes the bytes in; returns the 256 logits of what comes after the last one.
  Result<std::span<const float>> read(std::span<const std::int64_t> bytes) {
    const auto count = static_cast<std::int64_t>(bytes.size());
    // The states are given away: they are updated in place where the program can.
    std::vector<Value> inputs = {Tensor::of<std::int64_t>({1, count}, bytes), std::move(states_[0]),
                                 std::move(states_[1])};
    Result<std::vector<Value>> outputs = program_.run_in_place(std::move(inputs));
    if (!outputs) return outputs.error();
    logits_ = std::move((*outputs)[0].tensor());
    for (std::size_t i = 0; i < 2; ++i) states_[i] = std::move((*outputs)[i + 1]);
    return logits_.values<float>().last(256);
  }

 private:
  const Program& program_;
  std::vector<Value> states_;
  Tensor logits_;
};

Result<void> write_text(const Program& program, const Options& options) {
  using Clock = std::chrono::steady_clock;
  Writer writer(program);
  if (Result<void> started = writer.start(); !started) return started;
  std::mt19937_64 random(options.seed);

  std::vector<std::int64_t> prompt;
  for (const char c : options.prompt) prompt.push_back(static_cast<unsigned char>(c));
  std::printf("\n%s", options.prompt.c_str());
  Result<std::span<const float>> logits = writer.read(prompt);

  const Clock::time_point start = Clock::now();
  for (int i = 0; i < options.bytes && logits; ++i) {
    const std::int64_t byte = choose(*logits, options.temperature, random);
    print_byte(static_cast<int>(byte));
    logits = writer.read({&byte, 1});
  }
  if (!logits) return logits.error();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::printf("\n\n%d bytes in %.1f s: %.0f bytes per second\n", options.bytes, seconds, options.bytes / seconds);
  return {};
}

/// "\n" on the command line means a new line.
std::string unescaped(std::string text) {
  for (std::size_t at = 0; (at = text.find("\\n", at)) != std::string::npos;) text.replace(at, 2, "\n");
  return text;
}

Result<Options> parse(int argc, char** argv) {
  const char* usage = "usage: charlm FOLDER [--prompt TEXT] [--bytes N] [--temperature X] [--seed N]";
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with("--")) {
      options.folder = word;
      continue;
    }
    if (++i == argc) return failure(usage);
    if (word == "--prompt")
      options.prompt = unescaped(argv[i]);
    else if (word == "--bytes")
      options.bytes = std::max(1, std::atoi(argv[i]));
    else if (word == "--temperature")
      options.temperature = std::atof(argv[i]);
    else if (word == "--seed")
      options.seed = std::strtoull(argv[i], nullptr, 10);
    else
      return failure(usage);
  }
  if (options.folder.empty() || options.prompt.empty()) return failure(usage);
  return options;
}

Result<void> run(int argc, char** argv) {
  const Result<Options> options = parse(argc, argv);
  if (!options) return options.error();
  const Result<pawl::Model> model = pawl::Model::load(options->folder / "model.onnx");
  if (!model) return model.error();
  const Result<Program> program = Program::compile(*model);
  if (!program) return program.error();
  if (Result<void> checked = check_test_data(*program, options->folder / "test_data_set_0"); !checked) return checked;
  return write_text(*program, *options);
}

}  // namespace

int main(int argc, char** argv) {
  const Result<void> done = run(argc, argv);
  if (!done) std::fprintf(stderr, "error: %s\n", done.error().to_string().c_str());
  return done ? 0 : 1;
}
