// pawl dump: a model in ONNX's text syntax, as it is or after a stage of the compiler, or converted to the other form.
#include <memory>

#include "base/file.h"
#include "base/try.h"
#include "command.h"
#include "onnx/read.h"
#include "onnx/text.h"
#include "onnx/write.h"
#include "pawl/explain.h"
#include "plan_options.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

struct DumpArguments {
  std::string model;
  std::string to;
  std::string after;
  PlanArguments plan;
  std::int64_t max_elements = 0;
};

Result<int> dump_stage(const DumpArguments& arguments) {
  TRY_ASSIGN(const Model model, Model::load(arguments.model));
  TRY_ASSIGN(ExplainOptions options, read_plan_options(arguments.plan, model));
  options.max_elements = arguments.max_elements;
  TRY_ASSIGN_IN_FILE(arguments.model, const std::string text, print_after(model, arguments.after, options));
  if (arguments.to.empty())
    print(text);
  else
    TRY(base::write_file(arguments.to, text));
  return 0;
}

Result<int> dump_model(const DumpArguments& arguments) {
  if (arguments.max_elements < 0)
    return fail(Code::bad_argument, "--max-elements {}: expected 0 or more", arguments.max_elements);
  if (!arguments.after.empty()) return dump_stage(arguments);
  if (!arguments.plan.dims.empty()) return fail(Code::bad_argument, "--dim is for --after");
  TRY_ASSIGN_IN_FILE(arguments.model, const onnx::Model model, onnx::read_model(arguments.model));
  if (arguments.to.empty()) {
    print(onnx::print_text(model, arguments.max_elements));
    return 0;
  }
  const std::filesystem::path target(arguments.to);
  if (target.extension() == ".onnx") {
    TRY_ASSIGN_IN_FILE(arguments.to, const std::string bytes, onnx::encode(model));
    TRY(base::write_file(target, bytes));
  } else if (target.extension() == ".onnxtxt" || target.extension() == ".txt") {
    TRY(base::write_file(target, onnx::print_text(model, arguments.max_elements)));
  } else {
    return fail(Code::bad_argument, "--to {}: expected a name that ends in .onnx, .onnxtxt or .txt", arguments.to);
  }
  return 0;
}

}  // namespace

Action define_dump(CLI::App& command) {
  const auto arguments = std::make_shared<DumpArguments>();
  command.add_option("MODEL", arguments->model, "An .onnx file, or .onnxtxt in ONNX's text syntax")->required();
  command
      .add_option("--max-elements", arguments->max_elements,
                  "Cut tensors with more elements than this (the text no longer parses then); 0: never")
      ->capture_default_str();
  command.add_option("--to", arguments->to, "Write to FILE instead: binary for .onnx, text for .onnxtxt and .txt")
      ->type_name("FILE");
  std::string names;
  for (const std::string_view stage : stages()) names += (names.empty() ? "" : ", ") + std::string(stage);
  command
      .add_option("--after", arguments->after,
                  "Print what there is after a stage of the compiler: " + names + " (facts and plans are words)")
      ->type_name("STAGE");
  define_plan_options(command, arguments->plan, "With --after: ");
  return [arguments] { return dump_model(*arguments); };
}

}  // namespace pawl::cli
