// pawl optimize: the model with less in its loops, as plain standard ONNX.
#include "pawl/optimize.h"

#include <memory>

#include "base/file.h"
#include "base/try.h"
#include "command.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

struct OptimizeArguments {
  std::string model;
  std::string output;
  std::int64_t opset = 0;
};

Result<int> optimize_model(const OptimizeArguments& arguments) {
  TRY_ASSIGN(const Model model, Model::load(arguments.model));
  TRY_ASSIGN_IN_FILE(arguments.model, const std::string bytes, optimize(model, {arguments.opset}));
  TRY(base::write_file(arguments.output, bytes));
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
  return [arguments] { return optimize_model(*arguments); };
}

}  // namespace pawl::cli
