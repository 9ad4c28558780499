// pawl check: all that is wrong with a model, a line each.
#include <fmt/core.h>

#include <memory>

#include "base/try.h"
#include "command.h"
#include "pawl/program.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

Result<int> check_model(const std::string& path) {
  const std::vector<Error> problems = Model::check(path);
  for (const Error& problem : problems) print(printable(fmt::format("error: {}", problem.to_string())) + "\n");
  if (!problems.empty()) {
    // Standard error gets one line, whatever the number: the first problem, and how many there are.
    Error first = problems.front();
    if (problems.size() > 1) first.message += fmt::format(" (the first of {} problems)", problems.size());
    return first;
  }
  TRY_ASSIGN(const Model model, Model::load(path));
  for (const std::string& warning : model.warnings())
    print(printable(fmt::format("warning: {}: {}", path, warning)) + "\n");
  print(printable(fmt::format("ok: {}", path)) + "\n");
  return 0;
}

}  // namespace

Action define_check(CLI::App& command) {
  const auto path = std::make_shared<std::string>();
  command.add_option("MODEL", *path, "An .onnx file, or .onnxtxt in ONNX's text syntax")->required();
  return [path] { return check_model(*path); };
}

}  // namespace pawl::cli
