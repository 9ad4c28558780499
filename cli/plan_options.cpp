#include "plan_options.h"

#include "base/try.h"
#include "random_inputs.h"

namespace pawl::cli {

void define_plan_options(CLI::App& command, PlanArguments& arguments, const std::string& when) {
  command
      .add_option("--dim", arguments.dims,
                  when + "T=4096 …: the extent of a symbolic dim, or of an unnamed one as INPUT.AXIS=4096")
      ->type_name("DIM=N");
  command.add_option("--threads", arguments.threads, when + "Plan for this many threads")->capture_default_str();
}

Result<ExplainOptions> read_plan_options(const PlanArguments& arguments, const Model& model) {
  if (arguments.threads < 1) return fail(Code::bad_argument, "--threads {}: expected 1 or more", arguments.threads);
  ExplainOptions options;
  options.threads = arguments.threads;
  TRY_ASSIGN(const DimValues dims, parse_dims(arguments.dims, model.inputs()));
  options.dims.assign(dims.begin(), dims.end());
  return options;
}

}  // namespace pawl::cli
