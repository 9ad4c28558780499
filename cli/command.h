// The subcommands of pawl: each one defines its options and does its work in a file of its own.
#pragma once

#include <CLI/App.hpp>
#include <functional>

#include "pawl/error.h"

namespace pawl::cli {

/// What a subcommand does once its options are read; returns the exit status. An Error means status 2.
using Action = std::function<Result<int>()>;

Action define_run(CLI::App& command);
Action define_bench(CLI::App& command);
Action define_test(CLI::App& command);
Action define_check(CLI::App& command);
Action define_info(CLI::App& command);
Action define_explain(CLI::App& command);
Action define_optimize(CLI::App& command);
Action define_export(CLI::App& command);
Action define_dump(CLI::App& command);
Action define_ops(CLI::App& command);
Action define_devices(CLI::App& command);

}  // namespace pawl::cli
