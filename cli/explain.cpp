// pawl explain: what the Scans of a model are, and how they would be run.
#include "pawl/explain.h"

#include <memory>

#include "base/file.h"
#include "base/try.h"
#include "command.h"
#include "plan_options.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

struct ExplainArguments {
  std::string model;
  PlanArguments plan;
  bool exact = false;
  bool json = false;
  std::string svg;
};

Result<int> explain_model(const ExplainArguments& arguments) {
  TRY_ASSIGN(const Model model, Model::load(arguments.model));
  TRY_ASSIGN(ExplainOptions options, read_plan_options(arguments.plan, model));
  options.exact = arguments.exact;
  TRY_ASSIGN_IN_FILE(arguments.model, const Explanation explanation, explain(model, options));
  if (!arguments.svg.empty()) TRY(base::write_file(arguments.svg, explanation.svg));
  print(arguments.json ? explanation.json + "\n" : explanation.text);
  return 0;
}

}  // namespace

Action define_explain(CLI::App& command) {
  const auto arguments = std::make_shared<ExplainArguments>();
  command.add_option("MODEL", arguments->model, "An .onnx file, or .onnxtxt in ONNX's text syntax")->required();
  define_plan_options(command, arguments->plan);
  command.add_flag("--exact", arguments->exact, "Plan for the bits of the reference");
  command.add_flag("--json", arguments->json, "Print one JSON object");
  command.add_option("--svg", arguments->svg, "Also write a picture of the bodies to FILE")->type_name("FILE");
  return [arguments] { return explain_model(*arguments); };
}

}  // namespace pawl::cli
