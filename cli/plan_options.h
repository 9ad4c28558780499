// What explain and dump are told of the run that they plan for.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "pawl/explain.h"
#include "pawl/model.h"

namespace pawl::cli {

struct PlanArguments {
  std::vector<std::string> dims;
  int threads = 1;
};

/// Adds --dim and --threads to a command. `when` stands in front of their descriptions.
void define_plan_options(CLI::App& command, PlanArguments& arguments, const std::string& when = {});

/// Errors: bad_argument, naming the option.
Result<ExplainOptions> read_plan_options(const PlanArguments& arguments, const Model& model);

}  // namespace pawl::cli
