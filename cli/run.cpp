// pawl run: reads or makes the inputs, runs the model, prints and writes the outputs.
#include <fmt/core.h>

#include <memory>

#include "base/try.h"
#include "command.h"
#include "device_option.h"
#include "model_inputs.h"
#include "output_files.h"
#include "pawl/program.h"
#include "summary.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

struct RunArguments {
  InputArguments model;
  std::string output_dir;
  std::string device = "cpu";
  bool exact = false;
};

Result<int> run_model(RunArguments arguments) {
  TRY_ASSIGN(const Kernels kernels, kernels_on(arguments.device));
  TRY(find_model(arguments.model, "run"));
  const std::string& file = arguments.model.model;
  TRY_ASSIGN(const Model model, Model::load(file));
  TRY_ASSIGN_IN_FILE(file, const std::vector<Value> inputs, gather_inputs(arguments.model, model.inputs()));
  TRY_ASSIGN(const Program program,
             Program::compile(model, {.guarantee = arguments.exact ? Guarantee::exact : Guarantee::deterministic,
                                      .kernels = kernels}));
  const std::vector<std::string> stems = output_stems(model.outputs());
  const bool write = !arguments.output_dir.empty();
  if (write) TRY(prepare_output_folder(arguments.output_dir, stems));

  ProgressLine line;
  RunOptions options = run_options(line);
  options.seed = arguments.model.seed;
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
  define_input_options(command, arguments->model);
  command
      .add_option("--output-dir", arguments->output_dir,
                  "Write each output to DIR/<name>.npy (.pb for strings, bfloat16, 8-bit and smaller floats, sub-byte "
                  "integers, sequences). Characters outside [A-Za-z0-9_.-] become _; should two names become the same, "
                  "the later one gets _2")
      ->type_name("DIR");
  command.add_option("--device", arguments->device, kDeviceHelp)->capture_default_str();
  command.add_flag("--exact", arguments->exact,
                   "Give the bits of the reference evaluator: no faster way that rounds otherwise");
  return [arguments] { return run_model(*arguments); };
}

}  // namespace pawl::cli
