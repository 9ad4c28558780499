// pawl run: reads or makes the inputs, runs the model, prints and writes the outputs.
#include <fmt/core.h>

#include <charconv>
#include <memory>
#include <optional>

#include "base/try.h"
#include "command.h"
#include "output_files.h"
#include "pawl/program.h"
#include "pawl/value_file.h"
#include "random_inputs.h"
#include "summary.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

struct RunArguments {
  std::string model;
  std::vector<std::string> inputs;  ///< NAME=FILE
  std::vector<std::string> dims;    ///< SYMBOL=N or INPUT.AXIS=N
  std::string output_dir;
  bool random_inputs = false;
  bool exact = false;
  std::uint64_t seed = 1;
};

/// `--input a.npy MODEL`: an option takes all words up to the next one, so a last word that is no assignment is the
/// model.
void find_model(RunArguments& arguments) {
  for (std::vector<std::string>* words : {&arguments.inputs, &arguments.dims}) {
    if (!arguments.model.empty() || words->empty() || words->back().find('=') != std::string::npos) continue;
    arguments.model = words->back();
    words->pop_back();
  }
}

/// Splits "NAME=FILE"; both may contain '=': the longest NAME that the model has an input for counts.
Result<std::pair<std::size_t, std::string>> split_input(const std::string& argument, const std::vector<Port>& ports) {
  for (std::size_t at = argument.rfind('='); at != std::string::npos && at > 0; at = argument.rfind('=', at - 1))
    for (std::size_t i = 0; i < ports.size(); ++i)
      if (ports[i].name == std::string_view(argument).substr(0, at)) return std::pair(i, argument.substr(at + 1));
  const std::size_t at = argument.find('=');
  if (at == std::string::npos) return fail(Code::bad_argument, "--input {}: expected NAME=FILE", argument);
  std::string known;
  for (const Port& port : ports) known += (known.empty() ? "" : ", ") + port.name;
  return fail(Code::bad_argument, "--input {}: the model has no input \"{}\"; it has {}", argument,
              argument.substr(0, at), known.empty() ? "none" : known);
}

/// One value per model input: from a file, random, or undefined where the model has its own.
Result<std::vector<Value>> gather_inputs(const RunArguments& arguments, const std::vector<Port>& ports) {
  std::vector<std::optional<Value>> given(ports.size());
  TRY_ASSIGN(DimValues dims, parse_dims(arguments.dims, ports));
  for (const std::string& argument : arguments.inputs) {
    TRY_ASSIGN(const auto split, split_input(argument, ports));
    const auto& [index, file] = split;
    if (given[index])
      return fail(Code::bad_argument, "--input {}: input \"{}\" is given twice", argument, ports[index].name);
    TRY_ASSIGN_IN(fmt::format("input \"{}\"", ports[index].name), given[index], read_value(file, ports[index].type));
    bind_dims(ports[index].type, *given[index], dims);
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (given[i]) {
      values.push_back(std::move(*given[i]));
    } else if (ports[i].has_default) {
      values.emplace_back(Tensor());
    } else if (arguments.random_inputs) {
      TRY_ASSIGN(Value value, random_value(ports[i], i, arguments.seed, dims));
      values.push_back(std::move(value));
    } else {
      return fail(Code::bad_argument, "input \"{}\" of type {} is missing: give --input {}=FILE, or --random-inputs",
                  ports[i].name, to_string(ports[i].type), ports[i].name);
    }
  }
  return values;
}

Result<int> run_model(RunArguments arguments) {
  find_model(arguments);
  if (arguments.model.empty()) return fail(Code::bad_argument, "MODEL is required (pawl run --help tells more)");
  TRY_ASSIGN(const Model model, Model::load(arguments.model));
  TRY_ASSIGN_IN_FILE(arguments.model, const std::vector<Value> inputs, gather_inputs(arguments, model.inputs()));
  TRY_ASSIGN(const Program program,
             Program::compile(model, {.guarantee = arguments.exact ? Guarantee::exact : Guarantee::deterministic}));
  const std::vector<std::string> stems = output_stems(model.outputs());
  const bool write = !arguments.output_dir.empty();
  if (write) TRY(prepare_output_folder(arguments.output_dir, stems));

  ProgressLine line;
  RunOptions options = run_options(line);
  options.seed = arguments.seed;
  TRY_ASSIGN(const std::vector<Value> outputs, program.run(inputs, options));
  line.erase();

  std::vector<std::filesystem::path> files(outputs.size());
  if (write) {
    TRY_ASSIGN(files, write_outputs(arguments.output_dir, stems, model.outputs(), outputs));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string target = write ? "  -> " + files[i].string() : "";
    print(printable(fmt::format("{}: {}{}", model.outputs()[i].name, summary(outputs[i]), target)) + "\n");
  }
  return 0;
}

}  // namespace

Action define_run(CLI::App& command) {
  const auto arguments = std::make_shared<RunArguments>();
  command.add_option("MODEL", arguments->model, "An .onnx file, or .onnxtxt in ONNX's text syntax");
  command.add_option("--input", arguments->inputs, "NAME=FILE …: the value of an input, from a .npy or .pb file")
      ->type_name("NAME=FILE");
  command
      .add_option("--output-dir", arguments->output_dir,
                  "Write each output to DIR/<name>.npy (.pb for strings, bfloat16, 8-bit and smaller floats, sub-byte "
                  "integers, sequences). Characters outside [A-Za-z0-9_.-] become _; should two names become the same, "
                  "the later one gets _2")
      ->type_name("DIR");
  command.add_flag("--exact", arguments->exact,
                   "Give the bits of the reference evaluator: no faster way that rounds otherwise");
  command.add_flag("--random-inputs", arguments->random_inputs,
                   "Make up the inputs that no --input gives: floats in [-1, 1], integers 0 to 9");
  command
      .add_option("--dim", arguments->dims,
                  "T=512 …: the extent of a symbolic dim, or of an unnamed one as INPUT.AXIS=512")
      ->type_name("DIM=N");
  command.add_option("--seed", arguments->seed, "Of the random inputs and of operators that draw random numbers")
      ->capture_default_str();
  return [arguments] { return run_model(*arguments); };
}

}  // namespace pawl::cli
