// pawl optimize: the model with less in its loops, as plain standard ONNX.
#include "pawl/optimize.h"

#include <memory>

#include "base/file.h"
#include "base/try.h"
#include "command.h"
#include "random_inputs.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

struct OptimizeArguments {
  std::string model;
  std::string output;
  std::int64_t opset = 0;
  std::vector<std::string> dims;
  bool parallel_scan = false;
  bool exact = false;
  bool notes = false;
};

Result<int> optimize_model(const OptimizeArguments& arguments) {
  TRY_ASSIGN(const Model model, Model::load(arguments.model));
  OptimizeOptions options;
  options.opset = arguments.opset;
  options.parallel_scan = arguments.parallel_scan;
  options.exact = arguments.exact;
  TRY_ASSIGN(const DimValues dims, parse_dims(arguments.dims, model.inputs()));
  options.dims.assign(dims.begin(), dims.end());
  std::vector<std::string> notes;
  options.notes = &notes;
  TRY_ASSIGN_IN_FILE(arguments.model, const std::string bytes, optimize(model, options));
  TRY(base::write_file(arguments.output, bytes));
  if (arguments.notes || arguments.parallel_scan)
    for (const std::string& note : notes) print(note + "\n");
  return 0;
}

}  // namespace

Action define_optimize(CLI::App& command) {
  const auto arguments = std::make_shared<OptimizeArguments>();
  command.add_option("MODEL", arguments->model, "An .onnx file, or .onnxtxt in ONNX's text syntax")->required();
  command.add_option("-o,--output", arguments->output, "The file to write")->type_name("FILE")->required();
  command
      .add_option("--opset", arguments->opset, "The opset to write; without it, the smallest from the model's own on")
      ->type_name("N");
  command
      .add_option("--dim", arguments->dims,
                  "T=4096 …: the extent of a symbolic dim, or of an unnamed one as INPUT.AXIS=4096; the written model "
                  "takes inputs of that extent only")
      ->type_name("DIM=N");
  command.add_flag("--parallel-scan", arguments->parallel_scan,
                   "Recurrences whose states go lane by lane as chains of operators of logarithmic length, where the "
                   "number of steps is known: more arithmetic, fewer calls, meant for runtimes on GPUs. Floats are "
                   "added up in another order");
  command.add_flag("--exact", arguments->exact, "Floats keep their bits: nothing is added up in another order");
  command.add_flag("--notes", arguments->notes, "Print what became of the states of the loops");
  return [arguments] { return optimize_model(*arguments); };
}

}  // namespace pawl::cli
