// pawl: runs, tests and looks into ONNX models. Exit status: 0 done, 1 cases failed (test), 2 something is at fault and
// one line on standard error, "error: …", says what and where.
#include <fmt/core.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "base/try.h"
#include "command.h"
#include "describe.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

struct CommandRow {
  const char* name;
  const char* summary;
  Action (*define)(CLI::App&);
};

constexpr CommandRow kCommands[] = {
    {"run", "Run a model on files or on random numbers", define_run},
    {"bench", "Measure how long a model takes to run, and where the time goes", define_bench},
    {"test", "Run ONNX backend-test cases and compare", define_test},
    {"check", "Say all that is wrong with a model", define_check},
    {"info", "Say what a model is made of", define_info},
    {"explain", "Say what the Scans of a model are, and how they would be run", define_explain},
    {"optimize", "Rewrite a model as plain ONNX with less in its loops", define_optimize},
    {"export", "Write a model as a kernel package for WebGPU", define_export},
    {"dump", "Print a model in ONNX's text syntax, or convert it", define_dump},
    {"ops", "List the operators that there are", define_ops},
    {"devices", "List where models can run", define_devices},
};

constexpr int kFault = 2;

int report(const Error& error) {
  const std::string text = error.code == Code::interrupted ? "interrupted" : error.to_string();
  const std::string line = "error: " + printable(text) + "\n";
  static_cast<void>(std::fputs(line.c_str(), stderr));
  return kFault;
}

/// The command line as a document: what builds make the man page and the completions of. Not for people, and not in
/// --help.
Result<int> print_description(const CLI::App& app, const std::string& form) {
  TRY_ASSIGN(const std::string text, describe(app, form));
  print(text);
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("pawl runs ONNX models with Scan, Loop and If exactly as the standard says.", "pawl");
  app.set_version_flag("--version", "pawl " PAWL_VERSION);
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, Action>> commands;
  for (const CommandRow& row : kCommands) {
    CLI::App* command = app.add_subcommand(row.name, row.summary);
    commands.emplace_back(command, row.define(*command));
  }
  if (argc == 3 && std::string_view(argv[1]) == "--describe") {
    const Result<int> status = print_description(app, argv[2]);
    return status.ok() ? *status : report(status.error());
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return 0;
  } catch (const CLI::CallForVersion& version) {
    print(fmt::format("{}\n", version.what()));
    return 0;
  } catch (const CLI::ParseError& error) {
    return report(fail(Code::bad_argument, "{} (pawl --help tells more)", error.what()));
  }
  for (const auto& [command, action] : commands) {
    if (!command->parsed()) continue;
    Result<int> status = action();
    return status.ok() ? *status : report(status.error());
  }
  return kFault;
}

int run_and_flush(int argc, char** argv) {
  int status = kFault;
  try {
    status = run(argc, argv);
  } catch (const std::bad_alloc&) {
    status = report(fail(Code::limit, "out of memory"));
  } catch (const std::exception& exception) {
    status = report(fail(Code::internal, "{}", exception.what()));
  }
  const Result<void> output = finish_output();
  return output.ok() || status == kFault ? status : report(output.error());
}

}  // namespace
}  // namespace pawl::cli

int main(int argc, char** argv) {
  pawl::cli::prepare_streams();
  pawl::cli::install_interrupt_handler();
  return pawl::cli::run_and_flush(argc, argv);
}
