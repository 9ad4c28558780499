// pawl explain: what the Scans of a model are, and how they would be run.
#include "pawl/explain.h"

#include <memory>

#include "base/file.h"
#include "base/try.h"
#include "command.h"
#include "random_inputs.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

struct ExplainArguments {
  std::string model;
  std::vector<std::string> dims;
  int threads = 1;
  bool exact = false;
  bool json = false;
  std::string svg;
};

Result<int> explain_model(const ExplainArguments& arguments) {
  if (arguments.threads < 1) return fail(Code::bad_argument, "--threads {}: expected 1 or more", arguments.threads);
  TRY_ASSIGN(const Model model, Model::load(arguments.model));
  ExplainOptions options;
  options.threads = arguments.threads;
  options.exact = arguments.exact;
  TRY_ASSIGN(const DimValues dims, parse_dims(arguments.dims));
  TRY(check_dims(dims, model.inputs()));
  options.dims.assign(dims.begin(), dims.end());
  TRY_ASSIGN_IN_FILE(arguments.model, const Explanation explanation, explain(model, options));
  if (!arguments.svg.empty()) TRY(base::write_file(arguments.svg, explanation.svg));
  print(arguments.json ? explanation.json + "\n" : explanation.text);
  return 0;
}

}  // namespace

Action define_explain(CLI::App& command) {
  const auto arguments = std::make_shared<ExplainArguments>();
  command.add_option("MODEL", arguments->model, "An .onnx file, or .onnxtxt in ONNX's text syntax")->required();
  command
      .add_option("--dim", arguments->dims,
                  "T=4096 …: the extent of a symbolic dim, or of an unnamed one as INPUT.AXIS=4096")
      ->type_name("DIM=N");
  command.add_option("--threads", arguments->threads, "Plan for this many threads")->capture_default_str();
  command.add_flag("--exact", arguments->exact, "Plan for the bits of the reference");
  command.add_flag("--json", arguments->json, "Print one JSON object");
  command.add_option("--svg", arguments->svg, "Also write a picture of the bodies to FILE")->type_name("FILE");
  return [arguments] { return explain_model(*arguments); };
}

}  // namespace pawl::cli
